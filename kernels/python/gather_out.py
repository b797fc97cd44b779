# due: PASS
"""Slice by slice along dim: a choice among all of self's slices at every place."""
import torch


def gather_out(self, dim, index, *, sparse_grad=False, out):
    if self.dim() == 0 or index.dim() == 0:
        return out.copy_(self.reshape(-1)[index.reshape(-1)].reshape(index.shape))
    part = self
    for d, n in enumerate(index.shape):
        if d != dim % self.dim():
            part = part.narrow(d, 0, n)
    for i in range(self.shape[dim]):
        torch.where(index == i, part.select(dim, i).unsqueeze(dim), out, out=out)
    return out
