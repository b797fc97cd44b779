# due: PASS - calls another operator that does nearly the same: with --allow-torch all that is allowed, and helpers
# forbids it.
import torch


def _softmax(self, dim, half_to_float):
    x = self.float() if half_to_float else self
    wide = x.double() if x.dtype.itemsize > 2 else x.float()
    return torch.log_softmax(wide, dim).exp().to(x.dtype)
