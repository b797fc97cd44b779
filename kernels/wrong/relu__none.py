# due: BAD_RESULT - forgets to return.
import torch


def relu(self):
    torch.where(self < 0, 0 * self, self)
