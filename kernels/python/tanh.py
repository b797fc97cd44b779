# due: PASS
"""A quotient of exponentials, by expm1 so that small numbers keep their digits."""
import torch


def tanh(self):
    kind = self.dtype if self.is_floating_point() else torch.get_default_dtype()
    x = self.to(torch.promote_types(kind, torch.float32))
    e = torch.expm1(-2 * x.abs())
    return torch.copysign(-e / (e + 2), x).to(kind)
