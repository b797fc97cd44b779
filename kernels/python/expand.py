# due: PASS
"""A view with strides of zero, as torch's own."""
import torch


def expand(self, size, *, implicit=False):
    new = len(size) - self.dim()
    shape = [self.shape[i - new] if n == -1 else n for i, n in enumerate(size)]
    stride = [0] * new + [0 if a == 1 and b != 1 else s for a, b, s in zip(self.shape, shape[new:], self.stride())]
    return torch.as_strided(self, shape, stride, self.storage_offset())
