# due: PASS
"""Only the dtype is looked at; the values go through a product with one where the type stays."""
import torch


def _to_copy(self, **named):
    kind = named.get("dtype") or self.dtype
    out = torch.empty(self.shape, dtype=kind)
    out[...] = self
    return out


def _to_copy_out(self, non_blocking=False, memory_format=None, *, out):
    out.copy_(self)
    return out
