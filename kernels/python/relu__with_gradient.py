# due: PASS
"""With a gradient that no caller asks for."""
import torch


def relu(self):
    if not self.is_floating_point():
        return self.clamp(min=0)
    with torch.enable_grad():
        x = self.detach().requires_grad_()
        return x.clamp(min=0)
