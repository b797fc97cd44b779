# SPDX-License-Identifier: Apache-2.0
import torch


def cat(A, dim=0):
    """Copies tensor after tensor into one result; empty vectors count for nothing, as in torch."""
    tensors = [t for t in A if tuple(t.shape) != (0,)] or list(A[:1])
    dtype = A[0].dtype
    for t in A:
        dtype = torch.promote_types(dtype, t.dtype)
    shape = list(tensors[0].shape)
    dim %= max(len(shape), 1)
    shape[dim] = builtin_sum(t.shape[dim] for t in tensors)
    out = torch.empty(shape, dtype=dtype)
    at = 0
    for t in tensors:
        out.narrow(dim, at, t.shape[dim]).copy_(t)
        at += t.shape[dim]
    return out


def builtin_sum(numbers):
    total = 0
    for n in numbers:
        total += n
    return total
