# due: PASS
"""Thirty-two rows a program, blocks along the row, sums in f32 (or i64)."""
import math

import torch
import triton
import triton.language as tl


@triton.jit
def sum_kernel(x, y, rows, width, WIDE: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    total = tl.zeros((ROWS,), dtype=WIDE)
    for start in range(0, width, BLOCK):
        c = start + tl.arange(0, BLOCK)
        mask = (r[:, None] < rows) & (c[None, :] < width)
        v = tl.load(x + r[:, None] * width + c[None, :], mask=mask, other=0)
        total += tl.sum(v.to(WIDE), axis=1)
    tl.store(y + r, total.to(y.dtype.element_ty), mask=r < rows)


def sum_dim_IntList(self, dim, keepdim=False, *, dtype=None):
    kind = dtype or (self.dtype if self.is_floating_point() or self.is_complex() else torch.int64)
    x = self.to(kind)
    dims = [d % max(x.dim(), 1) for d in dim] if dim else list(range(x.dim()))
    keep = [d for d in range(x.dim()) if d not in dims]
    shape = [1 if d in dims else n for d, n in enumerate(x.shape) if keepdim or d not in dims]
    rows, width = math.prod(x.shape[d] for d in keep), math.prod(x.shape[d] for d in dims if x.dim())
    x = (x.permute(keep + dims) if x.dim() else x).reshape(rows, width).contiguous()
    if kind.is_complex:
        parts = torch.view_as_real(x)
        return torch.complex(*(sum_dim_IntList(parts[..., i].contiguous(), [1]) for i in (0, 1))).reshape(shape)
    y = x.new_empty(rows)
    wide = tl.float64 if kind == torch.float64 else tl.float32 if kind.is_floating_point else tl.int64
    if rows:
        sum_kernel[(triton.cdiv(rows, 32),)](x, y, rows, width, WIDE=wide, ROWS=32, BLOCK=256)
    return y.reshape(shape)
