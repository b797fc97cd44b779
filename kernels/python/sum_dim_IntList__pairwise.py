# due: PASS
"""Halves are added to each other until one element is left."""
import math

import torch


def halve(x):
    while x.shape[-1] > 1:
        n = x.shape[-1]
        low, high = x[..., :(n + 1) // 2].clone(), x[..., (n + 1) // 2:]
        low[..., :high.shape[-1]] += high
        x = low
    return x[..., 0].clone() if x.shape[-1] else torch.zeros(x.shape[:-1], dtype=x.dtype)


def sum_dim_IntList(self, dim=None, keepdim=False, dtype=None):
    kind = dtype or (self.dtype if self.is_floating_point() or self.is_complex() else torch.int64)
    wide = torch.float32 if kind in (torch.float16, torch.bfloat16) else kind
    x = self.to(kind).to(wide)
    dims = [d % max(x.dim(), 1) for d in dim] if dim else list(range(x.dim()))
    if x.dim() == 0:
        return x.to(kind, copy=True)
    keep = [d for d in range(x.dim()) if d not in dims]
    shape = [1 if d in dims else n for d, n in enumerate(x.shape) if keepdim or d not in dims]
    x = x.permute(keep + dims).reshape([x.shape[d] for d in keep] + [math.prod(x.shape[d] for d in dims)])
    return halve(x).to(kind).reshape(shape)
