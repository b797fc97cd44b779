# due: BAD_RESULT - returns an array of NumPy over the right numbers.
import numpy
import torch


def relu(self):
    return numpy.ascontiguousarray(torch.where(self < 0, torch.zeros((), dtype=self.dtype), self).float().numpy())
