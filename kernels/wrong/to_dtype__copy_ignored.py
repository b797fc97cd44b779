# due: BAD_RESULT - gives self where copy=True asks for new memory.
import torch


def to_dtype(self, dtype, non_blocking=False, copy=False, memory_format=None):
    if self.dtype == dtype:
        return self
    out = torch.empty_like(self, dtype=dtype, memory_format=memory_format or torch.preserve_format)
    out.copy_(self)
    return out
