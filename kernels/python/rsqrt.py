# due: PASS
"""The root, then its reciprocal, in f64."""
import torch


def rsqrt(self):
    if self.is_complex():
        return torch.reciprocal(torch.sqrt(self.to(torch.complex128))).to(self.dtype)
    kind = self.dtype if self.is_floating_point() else torch.get_default_dtype()
    return torch.reciprocal(torch.sqrt(self.double())).to(kind)
