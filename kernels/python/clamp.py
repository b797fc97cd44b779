# due: PASS
"""Two choices; NaN stays."""
import torch


def clamp(self, min=None, max=None):
    kind = self.dtype
    for bound in (min, max):
        kind = kind if bound is None else torch.result_type(torch.empty(1, dtype=kind), bound)
    x = self.to(kind, copy=True)
    if min is not None:
        x = torch.where(x < min, torch.tensor(min, dtype=kind), x)
    return x if max is None else torch.where(x > max, torch.tensor(max, dtype=kind), x)
