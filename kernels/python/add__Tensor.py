# due: PASS
"""In place: self is read and written by one call."""
import torch


def add__Tensor(self, other, *, alpha=1):
    if self.dtype == torch.bool:
        return self.logical_or_(other) if alpha else self
    other = torch.as_tensor(other)
    if self.dtype in (torch.float16, torch.bfloat16):
        return self.copy_(torch.sub(self.float(), other.float(), alpha=-alpha))
    return self.sub_(other.to(self.dtype), alpha=-alpha)
