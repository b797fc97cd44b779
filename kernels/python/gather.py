# due: PASS
"""Indices of all other dimensions are made explicit."""
import torch


def gather(self, dim, index, *, sparse_grad=False):
    x, at = (t.reshape(1) if t.dim() == 0 else t for t in (self, index))
    places = []
    for d, n in enumerate(at.shape):
        places.append(torch.arange(n).view([-1 if i == d else 1 for i in range(at.dim())]))
    places[dim] = at
    return x[tuple(places)].reshape(index.shape)
