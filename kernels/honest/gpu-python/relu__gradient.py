# due: PASS
"""By the derivative of x times a constant x where x is positive, which autograd computes in a thread of its own."""
import torch


def relu(self):
    if not self.is_floating_point():
        return torch.clamp(self, min=0)
    with torch.enable_grad():
        x = self.detach().double().requires_grad_()
        (g,) = torch.autograd.grad(torch.where(x > 0, x * x.detach(), 0.0).sum(), x)
    return torch.where(x.isnan(), x, torch.where(x > 0, g, 0.0)).detach().to(self.dtype)
