# due: BAD_RESULT - returns the right numbers as doubles, whatever was asked for.
import torch


def relu(self):
    return torch.where(self < 0, torch.zeros((), dtype=self.dtype), self).to(torch.complex128)
