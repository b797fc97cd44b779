# due: PASS
"""Noise is drawn for all elements, and stored where an element is not positive."""
import torch


def rrelu_with_noise(self, noise, lower=0.125, upper=1 / 3, training=False, generator=None):
    if not training:
        return torch.where(self > 0, self, (self.double() * ((lower + upper) / 2)).to(self.dtype))
    draws = torch.rand(self.shape, generator=generator, dtype=torch.float64)
    drawn = self <= 0
    noise.copy_(torch.where(drawn, (lower + (upper - lower) * draws).to(self.dtype), torch.ones((), dtype=self.dtype)))
    return torch.where(drawn, self * noise, self)
