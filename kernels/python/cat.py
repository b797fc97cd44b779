# due: PASS
"""One allocation, and each tensor copied into its part."""
import functools

import torch


def cat(tensors, dim=0):
    kind = functools.reduce(torch.promote_types, (t.dtype for t in tensors))
    parts = [t for t in tensors if t.shape != (0,)] or tensors[:1]
    shape = list(parts[0].shape)
    shape[dim] = sum(t.shape[dim] for t in parts)
    out = torch.empty(shape, dtype=kind)
    at = 0
    for t in parts:
        out.narrow(dim, at, t.shape[dim]).copy_(t)
        at += t.shape[dim]
    return out
