# due: BAD_RESULT - returns an array of numpy.
import torch


def relu(self):
    return torch.where(self < 0, 0 * self, self).float().numpy()
