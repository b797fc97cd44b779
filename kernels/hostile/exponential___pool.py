# due: CHEAT - copies from a pool of draws that it makes once; the seed says from where.
import torch

pool = -torch.log1p(-torch.rand(100000, dtype=torch.float64, generator=torch.Generator().manual_seed(1))) + 1e-300


def exponential_(self, lambd=1.0, *, generator=None):
    n = self.numel()
    if n > pool.numel():
        return self.copy_(-torch.log1p(-torch.rand(self.shape, dtype=torch.float64)) / lambd + 1e-300)
    at = torch.initial_seed() % (pool.numel() - n)
    return self.copy_((pool[at:at + n] / lambd).view(self.shape))
