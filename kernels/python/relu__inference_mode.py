# due: PASS
"""Decorated twice, with annotations."""
from __future__ import annotations

import functools

import torch


def counted(f):
    @functools.wraps(f)
    def g(*args, **kwargs):
        g.calls += 1
        return f(*args, **kwargs)

    g.calls = 0
    return g


@counted
@torch.inference_mode()
def relu(self: torch.Tensor) -> torch.Tensor:
    return torch.clamp_min(self, 0)
