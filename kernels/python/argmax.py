# due: PASS
"""The first place that holds the largest number; NaN is larger than all."""
import torch


def argmax(self, dim=None, keepdim=False):
    x = self.reshape(-1) if dim is None or self.dim() == 0 else self
    d = 0 if dim is None or self.dim() == 0 else dim
    best = x.amax(d, keepdim=True)
    hit = (x == best) | (x != x)
    n = x.shape[d]
    place = torch.arange(n).view([-1 if i == d % x.dim() else 1 for i in range(x.dim())])
    found = torch.where(hit, place, n).amin(d, keepdim=True)
    if dim is None or self.dim() == 0:
        return found.reshape([1] * self.dim() if keepdim else [])
    return found if keepdim else found.squeeze(d)
