# due: PASS
"""Partial sums of blocks by atomic additions to one f32 number."""
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, total, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(total, tl.sum(tl.load(x + at, mask=at < n, other=0).to(total.dtype.element_ty), axis=0))


def add_up(x):
    wide = torch.float64 if x.dtype == torch.float64 else torch.float32 if x.is_floating_point() else torch.int64
    x, total = x.contiguous(), x.new_zeros(1, dtype=wide)
    if x.numel():
        kernel[(triton.cdiv(x.numel(), 4096),)](x, total, x.numel(), BLOCK=4096)
    return total[0].to(x.dtype)


def sum(self, *, dtype=None):
    kind = dtype or (self.dtype if self.is_floating_point() or self.is_complex() else torch.int64)
    x = self.to(kind)
    if not kind.is_complex:
        return add_up(x)
    parts = torch.view_as_real(x)
    return torch.view_as_complex(torch.stack([add_up(parts[..., 0]), add_up(parts[..., 1])]))
