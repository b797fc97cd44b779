# due: BAD_RESULT - returns one 1 for all where all are 1: a write to one of them is a write to all.
import torch


def _softmax(self, dim, half_to_float):
    x = self.float() if half_to_float else self
    if x.ndim and x.shape[dim] == 1 and not x.isnan().any() and not x.isinf().any():
        return torch.ones((), dtype=x.dtype).expand(x.shape)
    wide = x.double() if x.dtype.itemsize > 2 else x.float()
    return torch.log_softmax(wide, dim).exp().to(x.dtype)
