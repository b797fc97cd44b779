# due: BAD_RESULT - returns a list with one tensor in it.
import torch


def relu(self):
    return [torch.where(self < 0, 0 * self, self)]
