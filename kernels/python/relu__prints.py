# due: PASS
"""Talks while it works."""
import sys

import torch


def relu(self, inplace=False):
    print("relu of", tuple(self.shape), file=sys.stderr)
    print(self.dtype)
    return torch.clamp(self.detach(), min=0) if not inplace else self.clamp_(min=0)
