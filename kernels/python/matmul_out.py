# due: PASS
"""Four parts of k, each by einsum, added up in f32 or better."""
import torch


def matmul_out(self, other, *, out):
    wide = torch.float32 if self.dtype in (torch.float16, torch.bfloat16) else self.dtype
    a = (self[None] if self.dim() == 1 else self).to(wide)
    b = (other[:, None] if other.dim() == 1 else other).to(wide)
    total = torch.zeros([*torch.broadcast_shapes(a.shape[:-2], b.shape[:-2]), a.shape[-2], b.shape[-1]], dtype=wide)
    for x, y in zip(a.chunk(4, -1), b.chunk(4, -2)):
        total += torch.einsum("...ik,...kj->...ij", x, y)
    return out.copy_(total.reshape(out.shape))
