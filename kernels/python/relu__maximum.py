# due: PASS
"""BackendBench's example: the larger of each element and zero."""
import torch


def relu(x):
    return torch.maximum(x, torch.zeros_like(x))
