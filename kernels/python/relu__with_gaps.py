# due: PASS
"""The result has gaps between its elements, and starts in the middle of what was allocated."""
import torch


def relu(self):
    roomy = torch.empty([*self.shape, 3], dtype=self.dtype)
    out = roomy.select(-1, 1)
    torch.clamp(self, min=0, out=out)
    return out
