# due: PASS
"""Memory for what is in between is kept from call to call; the result is a copy."""
import torch

workspace = {}


def relu(self):
    key = tuple(self.shape), self.dtype
    if key not in workspace:
        workspace[key] = torch.empty(self.shape, dtype=self.dtype)
    torch.clamp(self, min=0, out=workspace[key])
    return workspace[key].clone()
