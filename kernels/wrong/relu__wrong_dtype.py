# due: BAD_RESULT - computes, and returns, in double.
import torch


def relu(self):
    x = self.to(torch.float64)
    return torch.where(x < 0, 0 * x, x)
