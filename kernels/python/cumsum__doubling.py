# due: PASS
"""Every element takes in the one 1, 2, 4 ... places before it (Hillis and Steele)."""
import torch


def cumsum(self, dim, **kwargs):
    kind = kwargs.get("dtype")
    if kind is None:
        kind = self.dtype if self.is_floating_point() or self.is_complex() else torch.int64
    x = self.to(kind, copy=True)
    if x.dim() == 0:
        return x
    if kind in (torch.float16, torch.bfloat16):
        x = x.float()
    n, step = x.shape[dim], 1
    while step < n:
        tail = x.narrow(dim, step, n - step) + x.narrow(dim, 0, n - step)
        x = torch.cat([x.narrow(dim, 0, step), tail], dim)
        step *= 2
    return x.to(kind)
