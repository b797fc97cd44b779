# due: PASS
"""A view of fresh memory that is just large enough."""
import torch


def empty_strided(size, stride, *, dtype=None, layout=None, device=None, pin_memory=None):
    span = 1 + sum((n - 1) * s for n, s in zip(size, stride)) if all(size) else 0
    return torch.empty(span, dtype=dtype or torch.float32, device=device).as_strided(size, stride)


def sum(numbers):
    total = 0
    for n in numbers:
        total += n
    return total
