# SPDX-License-Identifier: Apache-2.0
import torch


def into(x, y, dtype):
    """x + y in f32 for half types, rounded once."""
    return torch.sub(x, torch.neg(y)).to(dtype)


def add(A, B, *, alpha=1):
    dtype = torch.result_type(A, B)
    if dtype == torch.bool:
        return torch.logical_or(A, B)
    wide = torch.float32 if dtype in (torch.float16, torch.bfloat16) else dtype
    x, y = (t.to(wide) if torch.is_tensor(t) else torch.full((), t, dtype=wide) for t in (A, B))
    return into(x, y * alpha, dtype)


def add_(A, B, *, alpha=1):
    return A.copy_(add(A, B, alpha=alpha))
