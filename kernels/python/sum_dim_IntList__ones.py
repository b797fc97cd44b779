# due: PASS
"""A product with a vector of ones; integers in exact parts."""
import math

import torch


def sum_dim_IntList(self, dim, *rest, **named):
    keepdim = rest[0] if rest else named.get("keepdim", False)
    kind = named.get("dtype") or (self.dtype if self.dtype.is_floating_point or self.dtype.is_complex else torch.int64)
    x = self.to(kind)
    dims = [d % max(x.dim(), 1) for d in dim or range(x.dim())]
    keep = [d for d in range(x.dim()) if d not in dims]
    shape = [1 if d in dims else n for d, n in enumerate(x.shape) if keepdim or d not in dims]
    if x.dim():
        x = x.permute(keep + dims)
    x = x.reshape(math.prod(x.shape[:len(keep)]), math.prod(x.shape[len(keep):]))
    wide = torch.float64 if kind.is_floating_point else kind
    return (x.to(wide) @ torch.ones(x.shape[1], dtype=wide)).to(kind).reshape(shape)
