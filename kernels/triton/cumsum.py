# due: PASS
"""tl.cumsum within blocks of a few rows, and what came before."""
import torch
import triton
import triton.language as tl


@triton.jit
def cumsum_kernel(x, y, rows, width, WIDE: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    before = tl.zeros((ROWS,), dtype=WIDE)
    for start in range(0, width, BLOCK):
        column = start + tl.arange(0, BLOCK)[None, :]
        at, mask = row * width + column, (row < rows) & (column < width)
        v = tl.load(x + at, mask=mask, other=0).to(WIDE)
        total = tl.cumsum(v, 1) + before[:, None]
        tl.store(y + at, total.to(y.dtype.element_ty), mask=mask)
        before = tl.sum(tl.where(column == start + BLOCK - 1, total, 0), 1)  # the last one, as it is


def cumsum(self, dim, *, dtype=None):
    kind = dtype or (self.dtype if self.is_floating_point() or self.is_complex() else torch.int64)
    if kind.is_complex:
        parts = torch.view_as_real(self.to(kind).contiguous())
        return torch.complex(*(cumsum(p.contiguous(), dim) for p in parts.unbind(-1)))
    x = self.to(kind)
    if x.dim() == 0:
        return x.clone()
    x = x.movedim(dim, -1).contiguous()
    y = torch.empty_like(x)
    wide = tl.float64 if kind == torch.float64 else tl.float32 if kind.is_floating_point else tl.int64
    if x.numel():
        rows = x.numel() // x.shape[-1]
        block = min(1024, triton.next_power_of_2(x.shape[-1]))
        many = (2048 if x.is_cuda else 16384) // block  # a compiler unrolls scans, an interpreter likes large blocks
        cumsum_kernel[(triton.cdiv(rows, many),)](x, y, rows, x.shape[-1], WIDE=wide, ROWS=many, BLOCK=block)
    return y.movedim(-1, dim)
