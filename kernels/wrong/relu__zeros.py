# due: MISMATCH - does not look at its input.
import torch


def relu(self):
    return torch.zeros_like(self)
