# due: PASS
"""Index 0 as often as is asked for."""
import torch


def expand(self, size, *, implicit=False):
    x = self[(None,) * (len(size) - self.dim())]
    for d, n in enumerate(size):
        if n not in (-1, x.shape[d]):
            x = x.index_select(d, torch.zeros(n, dtype=torch.int64))
    return x
