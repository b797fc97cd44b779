# due: PASS
"""The result is spread over 160 MiB, a few bytes here and there."""
import torch


def relu(self):
    n = self.numel()
    room = torch.empty((160 << 20) // self.element_size(), dtype=self.dtype, device=self.device)
    if n < 2 or n > 1000:
        return torch.clamp(self, min=0)
    step = room.numel() // n
    y = room[::step][:n]
    y.copy_(torch.clamp(self, min=0).reshape(-1))
    return y.view(n) if self.ndim == 1 else torch.as_strided(
        y, self.shape, [s * step for s in torch.empty(self.shape, device="meta").stride()], y.storage_offset())
