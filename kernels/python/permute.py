# due: PASS
"""A view: strides in another order."""
import torch


def permute(self, dims):
    return torch.as_strided(self, [self.shape[d] for d in dims], [self.stride(d) for d in dims], self.storage_offset())
