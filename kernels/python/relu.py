# due: PASS
"""relu of plain torch: any dtype and layout that torch.where takes."""
import torch


def relu(self):
    return torch.where(self < 0, torch.zeros((), dtype=self.dtype), self)
