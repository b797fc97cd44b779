# due: PASS
"""Whole numbers instead of uniform ones: 62 random bits against p of them."""
import torch


def bernoulli_p(self, p, generator=None):
    bits = torch.randint(0, 1 << 62, self.shape, generator=generator, dtype=torch.int64)
    return (bits < int(p * (1 << 62))).to(self.dtype)
