# due: PASS
"""Two passes over blocks of a few rows: maximum and sum together, then the quotient. Any strides of the input."""
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, y, rows, width, step_row, step, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    most = tl.full((ROWS,), -float("inf"), dtype=tl.float32)
    total = tl.zeros((ROWS,), dtype=tl.float32)
    for start in range(0, width, BLOCK):
        at = start + tl.arange(0, BLOCK)[None, :]
        mask = (row[:, None] < rows) & (at < width)
        v = tl.load(x + row[:, None] * step_row + at * step, mask=mask, other=-float("inf")).to(tl.float32)
        new = tl.maximum(most, tl.max(v, 1))
        safe = tl.where(new == -float("inf"), 0.0, new)
        total = total * tl.exp(most - safe) + tl.sum(tl.exp(v - safe[:, None]), 1)
        most = new
    for start in range(0, width, BLOCK):
        at = start + tl.arange(0, BLOCK)[None, :]
        mask = (row[:, None] < rows) & (at < width)
        v = tl.load(x + row[:, None] * step_row + at * step, mask=mask, other=-float("inf")).to(tl.float32)
        e = tl.exp(v - most[:, None]) / total[:, None]
        tl.store(y + row[:, None] * width + at, e.to(y.dtype.element_ty), mask=mask)


def _softmax(self, dim, half_to_float):
    kind = torch.float32 if half_to_float else self.dtype
    if kind == torch.float64:
        p = torch.exp(self - self.amax(dim, True)) if self.numel() else self.clone()
        return p.div_(p.sum(dim, True))
    rows = self.reshape(1, 1) if self.dim() == 0 else self.movedim(dim, -1)
    width = rows.shape[-1]
    out = torch.empty(rows.shape, dtype=kind, device=self.device)
    if out.numel():
        rows = rows.reshape(-1, width)
        n = rows.shape[0]
        block = min(2048, triton.next_power_of_2(width))
        many = 16384 // block
        kernel[(triton.cdiv(n, many),)](rows, out, n, width, rows.stride(0), rows.stride(1), ROWS=many, BLOCK=block,
                                        num_warps=8)
    return out.reshape(self.shape) if self.dim() == 0 else out.movedim(-1, dim)
