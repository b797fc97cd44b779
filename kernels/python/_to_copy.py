# due: PASS
"""Memory in the layout that is asked for, and a copy into it."""
import torch


def _to_copy(self, *, dtype=None, layout=None, device=None, pin_memory=None, non_blocking=False, memory_format=None):
    how = torch.preserve_format if memory_format is None else memory_format
    out = torch.empty_like(self, dtype=dtype or self.dtype, memory_format=how)
    return out.copy_(self)
