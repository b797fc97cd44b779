# due: PASS
"""Python's accumulate, row by row; floats add up in f64, integers wrap around."""
import itertools
import math

import torch


def cumsum(self, dim, *, dtype=None):
    whole = not self.is_floating_point() and not self.is_complex()
    kind = dtype or (torch.int64 if whole else self.dtype)
    if self.dim() == 0:
        return self.to(kind, copy=True)
    x = self.to(kind).movedim(dim, -1)
    rows = x.reshape(math.prod(x.shape[:-1]), x.shape[-1]).tolist()
    sums = [list(itertools.accumulate(row)) for row in rows]
    if not kind.is_floating_point and not kind.is_complex:
        sums = [[(n + (1 << 63)) % (1 << 64) - (1 << 63) for n in row] for row in sums]
        out = torch.tensor(sums, dtype=torch.int64).to(kind)
    else:
        out = torch.tensor(sums, dtype=torch.complex128 if kind.is_complex else torch.float64).to(kind)
    return out.reshape(x.shape).movedim(-1, dim)
