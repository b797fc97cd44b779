# due: PASS
"""Sums of 256 outer products, from the last to the first."""
import torch


def matmul(self, other):
    wide = torch.promote_types(self.dtype, torch.float32) if self.dtype.is_floating_point else self.dtype
    a = self.to(wide).unsqueeze(0) if self.dim() == 1 else self.to(wide)
    b = other.to(wide).unsqueeze(-1) if other.dim() == 1 else other.to(wide)
    lead = torch.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    out = torch.zeros([*lead, a.shape[-2], b.shape[-1]], dtype=wide)
    for k in reversed(range(0, a.shape[-1], 256)):
        out += (a[..., :, k:k + 256, None] * b[..., None, k:k + 256, :]).sum(-2)
    if self.dim() == 1:
        out = out[..., 0, :]
    return (out[..., 0] if other.dim() == 1 else out).to(self.dtype)
