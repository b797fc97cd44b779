# due: BAD_RESULT - returns the right numbers in one row.
import torch


def relu(self):
    return torch.where(self < 0, torch.zeros((), dtype=self.dtype), self).flatten()
