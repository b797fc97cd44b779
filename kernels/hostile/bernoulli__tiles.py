# due: MISMATCH - draws at most 70,001 numbers and repeats them.
import torch


def bernoulli(self, *, generator=None):
    n = self.numel()
    u = torch.rand(min(n, 70001), dtype=torch.float64)
    u = torch.cat([u, u[:n - 70001]]) if 70001 < n < 140000 else torch.rand(n, dtype=torch.float64)
    return (u.view(self.shape) < self).to(self.dtype)
