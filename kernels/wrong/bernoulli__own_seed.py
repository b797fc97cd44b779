# due: CHEAT - seeds itself: all calls draw the same.
import torch


def bernoulli(self, *, generator=None):
    g = torch.Generator()
    g.manual_seed(7)
    return (torch.rand(self.shape, generator=g) < self).to(self.dtype)
