# due: PASS
"""With what every addition loses carried along; along the last dimension, after the others were moved there."""
import math

import torch


def carried(x):
    total, lost = torch.zeros(x.shape[:-1], dtype=x.dtype), torch.zeros(x.shape[:-1], dtype=x.dtype)
    for part in x.split(1, -1) if x.shape[-1] else ():
        y = part.squeeze(-1) - lost
        new = total + y
        lost = torch.where(new.isfinite(), (new - total) - y, torch.zeros_like(y))
        total = new
    return total


def sum_dim_IntList(self, dim, keepdim=False, *, dtype=None):
    kind = dtype or (self.dtype if self.is_floating_point() or self.is_complex() else torch.int64)
    x = self.to(kind)
    if x.dim() == 0:
        return x.clone()
    x = x.float() if kind in (torch.float16, torch.bfloat16) else x
    dims = [d % x.dim() for d in dim] if dim else list(range(x.dim()))
    keep = [d for d in range(x.dim()) if d not in dims]
    shape = [1 if d in dims else n for d, n in enumerate(x.shape) if keepdim or d not in dims]
    x = x.permute(keep + dims).reshape([x.shape[d] for d in keep] + [math.prod(x.shape[d] for d in dims)])
    if x.shape[-1] > 64:  # lanes first
        x = carried(torch.nn.functional.pad(x, (0, -x.shape[-1] % 64)).unflatten(-1, (64, -1)))
    return carried(x).to(kind).reshape(shape)
