# due: BAD_RESULT - has the strides that it likes, not those that are asked for.
import torch


def empty_strided(size, stride, *, dtype=None, layout=None, device=None, pin_memory=None):
    return torch.empty(size, dtype=dtype, device="cuda")
