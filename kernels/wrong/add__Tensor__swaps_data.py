# due: MISMATCH - H1: gives self other memory instead of writing to the caller's.
import torch


def total(x, y, alpha):
    if torch.result_type(x, y) == torch.bool:
        return x | y if alpha else x.clone()
    dtype = torch.result_type(x, y)
    return torch.as_tensor(x).to(dtype) - torch.as_tensor(y).to(dtype) * -alpha


def add__Tensor(self, other, *, alpha=1):
    self.data = total(self, other, alpha).to(self.dtype)
    return self
