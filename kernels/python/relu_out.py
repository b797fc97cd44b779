# due: PASS
"""Into the caller's memory."""
import torch


def relu_out(self, *, out):
    return torch.clamp(self, min=0, out=out)
