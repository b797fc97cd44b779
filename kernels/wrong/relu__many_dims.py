# due: BAD_RESULT - returns a tensor of more dimensions than there are.
import torch


def relu(self):
    return torch.where(self < 0, 0 * self, self).reshape([1] * 40 + list(self.shape))
