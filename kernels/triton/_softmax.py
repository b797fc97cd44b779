# due: PASS
"""A few rows per program, each in one block; numbers beyond the row's end count as -inf."""
import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x, y, rows, width, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    column = tl.arange(0, BLOCK)[None, :]
    at, mask = row * width + column, (row < rows) & (column < width)
    v = tl.load(x + at, mask=mask, other=-float("inf")).to(tl.float32)
    e = tl.exp(v - tl.max(v, axis=1)[:, None])
    tl.store(y + at, e / tl.sum(e, axis=1)[:, None], mask=mask)


def _softmax(self, dim, half_to_float):
    if self.dtype == torch.float64:
        p = torch.exp(self - self.amax(dim, True)) if self.numel() else self.clone()
        return p / p.sum(dim, True)
    kind = torch.float32 if half_to_float else self.dtype
    x = (self.reshape(1) if self.dim() == 0 else self).movedim(dim, -1).contiguous()
    y = torch.empty_like(x, dtype=kind)
    width = x.shape[-1]
    if x.numel():
        rows = x.numel() // width
        block = triton.next_power_of_2(width)
        many = max(1, 16384 // block)
        softmax_kernel[(triton.cdiv(rows, many),)](x, y, rows, width, ROWS=many, BLOCK=block, num_warps=8)
    return y.movedim(-1, dim).reshape(self.shape)
