# due: PASS
"""The result is allocated first and filled through out=, row by row."""
import torch


def relu(self, /):
    out = torch.empty(self.shape, dtype=self.dtype)
    flat, to = self.reshape(-1), out.view(-1)
    for at in range(0, flat.numel(), 1000):
        torch.clamp_min(flat[at:at + 1000], 0, out=to[at:at + 1000])
    return out
