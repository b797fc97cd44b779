# due: PASS
"""Values and the first places of them."""
import torch


def max_dim(self, dim, keepdim=False):
    at = torch.argmax(self, dim, keepdim=True) if self.dtype != torch.bool else self.int().argmax(dim, True)
    values = torch.take_along_dim(self, at, dim) if self.dim() else self.clone()
    return (values, at) if keepdim or not self.dim() else (values.squeeze(dim), at.squeeze(dim))
