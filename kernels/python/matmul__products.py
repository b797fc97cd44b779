# due: PASS
"""Every product written out and added up along k by halves; half types in f32."""
import torch


def fold(x):
    """The sum along the last dimension, pairwise."""
    while x.shape[-1] > 1:
        n = x.shape[-1] // 2
        x = torch.cat([x[..., :n] + x[..., n:2 * n], x[..., 2 * n:]], -1)
    return x.squeeze(-1) if x.shape[-1] else torch.zeros(x.shape[:-1], dtype=x.dtype)


def matmul(self, other):
    wide = torch.float32 if self.dtype in (torch.float16, torch.bfloat16) else self.dtype
    a = (self if self.dim() > 1 else self.unsqueeze(0)).to(wide)
    b = (other if other.dim() > 1 else other.unsqueeze(1)).to(wide)
    out = fold(a.unsqueeze(-2) * b.transpose(-1, -2).unsqueeze(-3))
    drop = [d for d, x in ((-2, self), (-1, other)) if x.dim() == 1]
    return out.squeeze(drop).to(self.dtype) if drop else out.to(self.dtype)
