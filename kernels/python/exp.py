# due: PASS
"""As a power of two in f64; f64 itself number by number."""
import math

import torch


def one(x):
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf


def exp(self):
    kind = self.dtype if self.is_floating_point() else torch.get_default_dtype()
    if kind == torch.float64:
        return torch.tensor([one(x) for x in self.reshape(-1).tolist()], dtype=kind).reshape(self.shape)
    return torch.exp2(self.double() * math.log2(math.e)).to(kind)
