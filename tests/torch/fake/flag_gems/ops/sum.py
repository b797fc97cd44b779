# SPDX-License-Identifier: Apache-2.0
"""Wrong on purpose: the last element of a reduced dimension is left out."""
import torch


def sum(inp, *, dtype=None):
    return sum_dim(inp.reshape(-1), [0], dtype=dtype)


def sum_dim(inp, dim=None, keepdim=False, *, dtype=None):
    dims = [d % inp.ndim for d in dim] if dim and inp.ndim else list(range(inp.ndim))
    for d in dims:
        inp = inp.narrow(d, 0, max(inp.shape[d] - 1, 0))
    out = inp.mean(dims, keepdim=keepdim, dtype=dtype or torch.float32)
    return (out * inp.numel() / max(out.numel(), 1)).to(dtype or inp.dtype)
