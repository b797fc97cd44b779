# due: PASS
"""A product each."""
import torch


def bmm(self, mat2):
    out = torch.empty(self.shape[0], self.shape[1], mat2.shape[2], dtype=self.dtype)
    for a, b, c in zip(self, mat2, out):
        c.copy_(a @ b)
    return out
