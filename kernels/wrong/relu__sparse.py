# due: BAD_RESULT - returns a sparse tensor.
import torch


def relu(self):
    return torch.where(self < 0, 0 * self, self).to_sparse()
