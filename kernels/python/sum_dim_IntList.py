# due: PASS
"""Sixty-four sums side by side along each dimension, then those one by one; half types in f32."""
import torch

LANES = 64


def along(x, d):
    """The sum along d, which stays with size 1."""
    shape = [LANES if i == d else n for i, n in enumerate(x.shape)]
    lanes = torch.zeros(shape, dtype=x.dtype)
    for part in x.split(LANES, d) if x.shape[d] else ():
        lanes.narrow(d, 0, part.shape[d]).sub_(-part)
    total = torch.zeros_like(lanes.narrow(d, 0, 1))
    for lane in lanes.split(1, d):
        total += lane
    return total


def sum_dim_IntList(self, dim, keepdim=False, *, dtype=None):
    whole = not self.is_floating_point() and not self.is_complex()
    kind = dtype or (torch.int64 if whole else self.dtype)
    x = self.to(kind)
    x = x.float() if kind in (torch.float16, torch.bfloat16) else x
    dims = sorted({d % max(x.dim(), 1) for d in dim} if dim else range(x.dim()), reverse=True)
    for d in dims if x.dim() else ():
        x = along(x, d) if keepdim else along(x, d).squeeze(d)
    return x.to(kind, copy=True)
