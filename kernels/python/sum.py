# due: PASS
"""Sixteen sums side by side, then those; the tail by itself."""
import torch


def sum(self, *, dtype=None):
    kind = dtype or (self.dtype if self.is_floating_point() or self.is_complex() else torch.int64)
    wide = torch.float32 if kind in (torch.float16, torch.bfloat16) else kind
    x = self.to(kind).to(wide).reshape(-1)
    lanes = torch.zeros(16, dtype=wide)
    for row in x[:x.numel() // 16 * 16].view(-1, 16).unbind():
        lanes += row
    total = torch.zeros((), dtype=wide)
    for part in (*lanes.unbind(), *x[x.numel() // 16 * 16:].unbind()):
        total += part
    return total.to(kind)
