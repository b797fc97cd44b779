# due: PASS
"""Blocks of 32: a loop within all blocks at once, then what came before each."""
import torch
import torch.nn.functional as F

BLOCK = 32


def cumsum_out(self, dim, *, dtype=None, out):
    wide = torch.float32 if out.dtype in (torch.float16, torch.bfloat16) else out.dtype
    x = self.to(dtype or out.dtype).to(wide)
    if x.dim() == 0 or x.numel() == 0:
        return out.copy_(x)
    x = x.movedim(dim, -1)
    n = x.shape[-1]
    x = torch.cat([x, torch.zeros([*x.shape[:-1], -n % BLOCK], dtype=wide)], -1).unflatten(-1, (-1, BLOCK))
    for i in range(1, BLOCK):
        x[..., i] += x[..., i - 1]
    before = x[..., -1].clone()
    for i in range(1, before.shape[-1]):
        before[..., i] += before[..., i - 1]
    x[..., 1:, :] += before[..., :-1, None]
    return out.copy_(x.flatten(-2)[..., :n].movedim(-1, dim))
