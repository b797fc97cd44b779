# due: PASS
"""From the last to the first, each written by index."""
import functools

import torch


def cat(tensors, dim=0):
    kind = functools.reduce(torch.promote_types, [t.dtype for t in tensors])
    parts = [t for t in tensors if t.shape != (0,)]
    if not parts:
        return torch.empty(0, dtype=kind)
    shape = list(parts[0].shape)
    at = shape[dim] = sum(t.shape[dim] for t in parts)
    out = torch.empty(shape, dtype=kind)
    for t in reversed(parts):
        at -= t.shape[dim]
        out.index_copy_(dim, torch.arange(at, at + t.shape[dim]), t.to(kind))
    return out
