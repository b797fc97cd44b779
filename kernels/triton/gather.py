# due: PASS
"""Places in a flat self: each program takes a block of a flat index."""
import torch
import triton
import triton.language as tl


@triton.jit
def gather_kernel(x, index, other_places, y, n, step, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    place = tl.load(other_places + at, mask=mask, other=0) + tl.load(index + at, mask=mask, other=0) * step
    tl.store(y + at, tl.load(x + place, mask=mask), mask=mask)


def gather(self, dim, index, *, sparse_grad=False):
    x, at = (t.reshape(1) if t.dim() == 0 else t for t in (self, index))
    bits = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
    x = x.contiguous()
    if self.is_complex():
        x = torch.view_as_real(x)
        parts = torch.stack([gather(x[..., i], dim, at) for i in (0, 1)], -1)
        return torch.view_as_complex(parts).reshape(index.shape)
    x = x.view(bits[x.element_size()])
    y = x.new_empty(at.shape)
    rest = at.new_zeros(at.shape, dtype=torch.int64)
    for d in range(x.dim()):
        if d != dim % x.dim():
            step = torch.arange(at.shape[d], device=at.device) * x.stride(d)
            rest += step.view([-1 if i == d else 1 for i in range(x.dim())])
    if y.numel():
        n = y.numel()
        gather_kernel[(triton.cdiv(n, 2048),)](x, at.contiguous(), rest, y, n, x.stride(dim), BLOCK=2048)
    return y.view(self.dtype).reshape(index.shape)
