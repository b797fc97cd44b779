# due: PASS
"""Another sign for floats, the larger of both signs for the rest."""
import torch


def abs(self):
    if self.is_complex():
        return torch.hypot(self.real, self.imag)
    if self.is_floating_point():
        return torch.copysign(self, torch.ones((), dtype=self.dtype))
    return torch.maximum(self, torch.neg(self))
