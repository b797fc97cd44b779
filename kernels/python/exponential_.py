# due: PASS
"""Minus the logarithm of a uniform number, which is never 0."""
import torch


def exponential_(self, lambd=1.0, *, generator=None):
    draws = torch.rand(self.shape, generator=generator, dtype=torch.float64)
    return self.copy_(-torch.log(draws + 2**-54) / lambd)
