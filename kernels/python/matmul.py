# due: PASS
"""All leading dimensions as one batch, and bmm; vectors get a dimension and lose it again."""
import math

import torch


def matmul(self, other):
    a = self[None, :] if self.dim() == 1 else self
    b = other[:, None] if other.dim() == 1 else other
    lead = torch.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    a, b = (x.expand(*lead, *x.shape[-2:]).reshape(math.prod(lead), *x.shape[-2:]) for x in (a, b))
    out = torch.bmm(a, b).reshape(*lead, a.shape[-2], b.shape[-1])
    if other.dim() == 1:
        out = out.squeeze(-1)
    return out.squeeze(-2 if other.dim() > 1 else -1) if self.dim() == 1 else out
