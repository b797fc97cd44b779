# due: PASS
"""Asks for too much memory, is refused, and does it another way."""
import torch


def relu(self):
    try:
        torch.empty(1 << 45, dtype=torch.uint8, device=self.device)
    except RuntimeError:
        return torch.clamp(self, min=0)
    raise MemoryError
