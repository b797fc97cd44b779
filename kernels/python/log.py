# due: PASS
"""By log2 in f64."""
import math

import torch


def log(self):
    kind = self.dtype if self.is_floating_point() else torch.get_default_dtype()
    if kind == torch.float64:
        return torch.tensor([one(v) for v in self.reshape(-1).tolist()], dtype=kind).reshape(self.shape)
    return (torch.log2(self.double()) * math.log(2)).to(kind)


def one(v):
    return math.log(v) if v > 0 else -math.inf if v == 0 else math.nan
