# due: PASS
"""A quotient, with the exponential of what is negative only."""
import torch


def silu(self):
    if self.is_complex():
        return self * torch.sigmoid(self)
    x = self.float() if self.dtype in (torch.float16, torch.bfloat16) else self
    e = torch.exp(-x.abs())
    return torch.where(x >= 0, x / (1 + e), x * e / (1 + e)).to(self.dtype)
