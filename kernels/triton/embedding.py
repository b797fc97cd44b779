# due: PASS
"""Sixteen rows of the result per program, in blocks of the width; complex numbers as pairs."""
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(weight, index, out, rows, width, step_row, step, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    to = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    row = tl.load(index + to, mask=to < rows, other=0)
    at = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)[None, :]
    mask = (to[:, None] < rows) & (at < width)
    v = tl.load(weight + row[:, None] * step_row + at * step, mask=mask)
    tl.store(out + to[:, None] * width + at, v, mask=mask)


def embedding(weight, indices, padding_idx=-1, scale_grad_by_freq=False, sparse=False):
    if weight.is_complex():
        pairs = torch.view_as_real(weight.resolve_conj().contiguous()).flatten(1)
        return torch.view_as_complex(embedding(pairs, indices).unflatten(-1, (-1, 2)))
    width, n = weight.shape[1], indices.numel()
    out = weight.new_empty([*indices.shape, width])
    if out.numel():
        grid = (triton.cdiv(n, 16), triton.cdiv(width, 256))
        kernel[grid](weight, indices.contiguous(), out, n, width, *weight.stride(), ROWS=16, BLOCK=256)
    return out
