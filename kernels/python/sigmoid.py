# due: PASS
"""One over one plus an exponential, on the side where it is small."""
import torch


def sigmoid(self):
    kind = self.dtype if self.is_floating_point() else torch.get_default_dtype()
    x = self.to(torch.promote_types(kind, torch.float32))
    e = torch.exp(-x.abs())
    return (torch.where(x < 0, e, torch.ones_like(e)) / (1 + e)).to(kind)
