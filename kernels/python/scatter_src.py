# due: PASS
"""Number by number, the last one wins as no place is named twice."""
import torch


def scatter_src(self, dim, index, src):
    out = self.clone(memory_format=torch.contiguous_format)
    if self.dim() == 0:
        return src.clone().reshape(()) if index.numel() else out
    part = src[tuple(slice(0, n) for n in index.shape)]
    places = []
    for d, n in enumerate(index.shape):
        places.append(torch.arange(n).view([-1 if i == d else 1 for i in range(index.dim())]))
    places[dim] = index
    if index.numel():
        out[tuple(places)] = part
    return out
