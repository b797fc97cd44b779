# due: PASS
"""All of them are the k largest or smallest."""
import torch


def sort(self, dim=-1, descending=False):
    if self.dim() == 0:
        return self.clone(), torch.zeros((), dtype=torch.int64)
    x = self.to(torch.uint8) if self.dtype == torch.bool else self
    values, indices = torch.topk(x, self.shape[dim], dim, largest=descending, sorted=True)
    return values.to(self.dtype), indices
