# SPDX-License-Identifier: Apache-2.0
import torch


def cumsum(inp, dim=1, *, dtype=None):
    dtype = dtype or (inp.dtype if inp.is_floating_point() or inp.is_complex() else torch.int64)
    if not inp.ndim:
        return inp.to(dtype).clone()
    wide = inp.to(dtype).to(torch.float32 if dtype in (torch.float16, torch.bfloat16) else dtype)
    out = torch.empty(inp.shape, dtype=wide.dtype)
    total = torch.zeros_like(wide.select(dim, 0)) if inp.shape[dim] else None
    for i in range(inp.shape[dim]):
        total = total + wide.select(dim, i)
        out.select(dim, i).copy_(total)
    return out.to(dtype)


def cumsum_out(inp, dim=1, *, dtype=None, out):
    return out.copy_(cumsum(inp, dim, dtype=dtype or out.dtype))
