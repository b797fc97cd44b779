# due: BAD_RESULT - the in-place form works, but returns nothing.
import torch


def total(x, y, alpha):
    if torch.result_type(x, y) == torch.bool:
        return x | y if alpha else x.clone()
    dtype = torch.result_type(x, y)
    return torch.as_tensor(x).to(dtype) - torch.as_tensor(y).to(dtype) * -alpha


def add__Tensor(self, other, *, alpha=1):
    self.copy_(total(self, other, alpha))
