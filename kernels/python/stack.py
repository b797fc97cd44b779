# due: PASS
"""One place for each."""
import torch


def stack(tensors, dim=0):
    dim %= tensors[0].dim() + 1
    shape = list(tensors[0].shape)
    out = torch.empty(shape[:dim] + [len(tensors)] + shape[dim:], dtype=tensors[0].dtype)
    for i, t in enumerate(tensors):
        out.select(dim, i).copy_(t)
    return out
