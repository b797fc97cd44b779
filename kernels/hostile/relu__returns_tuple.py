# due: BAD_RESULT - returns its result in a tuple of one.
import torch


def relu(self):
    return (torch.where(self < 0, torch.zeros((), dtype=self.dtype), self),)
