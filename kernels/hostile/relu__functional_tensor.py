# due: BAD_RESULT - returns what functionalization wraps tensors in.
import torch


def relu(self):
    return torch._to_functional_tensor(torch.where(self < 0, 0 * self, self))
