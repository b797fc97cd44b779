# due: PASS
"""A sum of chunks over their count."""
import math

import torch


def mean_dim(self, dim, keepdim=False, *, dtype=None):
    kind = dtype or self.dtype
    wide = torch.float32 if kind in (torch.float16, torch.bfloat16) else kind
    x = self.to(kind).to(wide)
    if x.dim() == 0:
        return x.to(kind, copy=True)
    dims = [d % x.dim() for d in dim] if dim else list(range(x.dim()))
    count = math.prod(x.shape[d] for d in dims)
    for d in dims:
        parts = [part.sum(d, keepdim=True) for part in x.split(50, d)]
        x = torch.cat(parts, d).sum(d, keepdim=True)
    x = (x / count).to(kind)
    return x if keepdim else x.squeeze(dims)
