# due: PASS
"""Mapped over the first dimension."""
import torch


def relu(self):
    if self.dim() == 0 or self.shape[0] == 0:
        return self.clamp(min=0)
    return torch.vmap(lambda row: row.clamp(min=0))(self)
