# due: PASS
"""One place for each."""
import functools

import torch


def stack(tensors, dim=0):
    dim %= tensors[0].dim() + 1
    shape = list(tensors[0].shape)
    dtype = functools.reduce(torch.promote_types, (t.dtype for t in tensors))
    out = torch.empty(shape[:dim] + [len(tensors)] + shape[dim:], dtype=dtype)
    for i, t in enumerate(tensors):
        out.select(dim, i).copy_(t)
    return out
