# due: PASS
"""Every element counts those that come before it, which is its place: stable, and no step waits for another."""
import torch
import triton
import triton.language as tl


@triton.jit
def before(a, b, DOWN: tl.constexpr):
    """Must a stand before b? NaN is the largest."""
    if DOWN:
        return (a > b) | ((a != a) & (b == b))
    return (a < b) | ((b != b) & (a == a))


@triton.jit
def rank_kernel(x, values, indices, width, DOWN: tl.constexpr, MINE: tl.constexpr, OTHERS: tl.constexpr):
    row = tl.program_id(0) * width
    at = tl.program_id(1) * MINE + tl.arange(0, MINE)
    v = tl.load(x + row + at, mask=at < width, other=0)
    a = v[:, None]
    place = tl.zeros((MINE,), dtype=tl.int32)
    for start in range(0, width, OTHERS):
        j = start + tl.arange(0, OTHERS)
        b = tl.load(x + row + j, mask=j < width, other=0)[None, :]
        earlier = (j[None, :] < at[:, None]) & ~before(a, b, DOWN)
        ahead = (before(b, a, DOWN) | earlier) & (j[None, :] < width)
        place += tl.sum(ahead.to(tl.int32), 1)
    tl.store(values + row + place, v, mask=at < width)
    tl.store(indices + row + place, at.to(tl.int64), mask=at < width)


def sort(self, dim=-1, descending=False):
    rows = (self.reshape(1) if self.dim() == 0 else self).movedim(dim, -1).contiguous()
    x = rows.view(torch.int8) if rows.dtype == torch.bool else rows
    values, indices = torch.empty_like(x), torch.empty_like(x, dtype=torch.int64)
    width = x.shape[-1]
    if x.numel():
        most, others = (64, 128) if x.is_cuda else (512, 1024)  # what registers hold, and few steps to interpret
        mine = min(most, triton.next_power_of_2(width))
        grid = (x.numel() // width, triton.cdiv(width, mine))
        rank_kernel[grid](x, values, indices, width, DOWN=bool(descending), MINE=mine,
                          OTHERS=min(others, triton.next_power_of_2(width)))
    values = values.view(self.dtype)
    if self.dim() == 0:
        return values.reshape(()), indices.reshape(())
    return values.movedim(-1, dim), indices.movedim(-1, dim)


def sort_stable(self, *, stable, dim=-1, descending=False):
    return sort(self, dim, descending)
