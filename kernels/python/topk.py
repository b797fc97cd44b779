# due: PASS
"""The beginning of all of them in order."""
import torch


def topk(self, k, dim=-1, largest=True, sorted=True):
    if self.dim() == 0:
        return self.clone(), torch.zeros((), dtype=torch.int64)
    values, indices = torch.sort(self, dim, largest)
    return values.narrow(dim, 0, k).clone(), indices.narrow(dim, 0, k).clone()
