# due: PASS
"""p is broadcast to self."""
import torch


def bernoulli_Tensor(self, p, *, generator=None):
    draws = torch.empty(self.shape, dtype=torch.float64).uniform_(generator=generator)
    return torch.lt(draws, p).to(self.dtype)


def bernoulli_Tensor_out(self, p, *, generator=None, out):
    return out.copy_(bernoulli_Tensor(self, p))


def bernoulli_float_out(self, p=0.5, *, generator=None, out):
    return out.copy_(torch.rand(self.shape, generator=generator) < p)


def bernoulli_out(self, *, generator=None, out):
    return out.copy_(bernoulli_Tensor(self, self))
