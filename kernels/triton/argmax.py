# due: PASS
"""Rows whose index is kept beside the largest number."""
import torch
import triton
import triton.language as tl


@triton.jit
def argmax_kernel(x, y, rows, width, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    at = tl.arange(0, BLOCK)[None, :]
    mask = (row[:, None] < rows) & (at < width)
    v = tl.load(x + row[:, None] * width + at, mask=mask, other=-float("inf"))
    tl.store(y + row, tl.argmax(v, 1).to(tl.int64), mask=row < rows)


def argmax(self, dim=None, keepdim=False):
    x = (self.reshape(1, -1) if dim is None or self.dim() == 0 else self.movedim(dim, -1)).contiguous()
    x = x if x.dtype == torch.float64 else x.float()
    width = x.shape[-1]
    y = torch.empty(x.shape[:-1], dtype=torch.int64)
    if y.numel():
        block = triton.next_power_of_2(width)
        argmax_kernel[(triton.cdiv(y.numel(), 8),)](x, y, y.numel(), width, ROWS=8, BLOCK=block)
    if dim is None or self.dim() == 0:
        return y.reshape([1] * self.dim() if keepdim else [])
    return y.unsqueeze(dim) if keepdim else y
