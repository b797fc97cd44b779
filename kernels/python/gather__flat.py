# due: PASS
"""Places in the flat tensor, and one take."""
import torch


def gather(self, dim, index, sparse_grad=False):
    x, at = (t.reshape(1) if t.dim() == 0 else t for t in (self, index))
    if at.numel() == 0:
        return torch.empty(index.shape, dtype=self.dtype)
    dim %= x.dim()
    place, step = torch.zeros(at.shape, dtype=torch.int64), 1
    for d in reversed(range(x.dim())):
        here = at if d == dim else torch.arange(at.shape[d]).view([-1 if i == d else 1 for i in range(x.dim())])
        place += here * step
        step *= x.shape[d]
    return x.contiguous().take(place).view(index.shape)
