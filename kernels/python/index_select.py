# due: PASS
"""Slices, stacked."""
import torch


def index_select(self, dim, index):
    if self.dim() == 0:
        return self.clone()
    parts = [self.select(dim, i) for i in index.reshape(-1).tolist()]
    shape = list(self.shape)
    shape[dim] = 0
    return torch.stack(parts, dim) if parts else torch.empty(shape, dtype=self.dtype)
