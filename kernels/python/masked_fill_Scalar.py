# due: PASS
"""A choice between the number and what is there."""
import torch


def masked_fill_Scalar(self, mask, value):
    return torch.where(mask, torch.tensor(value, dtype=self.dtype), self)
