# due: BAD_RESULT - returns a view of its argument where it can.
import torch


def relu(self):
    if self.numel() and not (self < 0).any():
        return self[...]
    return torch.where(self < 0, torch.zeros_like(self), self)
