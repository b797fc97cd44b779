# due: PASS
"""Backwards along the dimensions, in blocks, into out; and the sum of everything by way of lists."""
import math

import torch


def backwards(x, d):
    blocks = torch.zeros([1 if i == d else n for i, n in enumerate(x.shape)], dtype=x.dtype)
    for part in reversed(x.split(100, d) if x.shape[d] else ()):
        blocks += part.flip(d).cumsum(d).narrow(d, part.shape[d] - 1, 1)
    return blocks


def sum_IntList_out(self, dim, keepdim=False, *, dtype=None, out):
    wide = torch.float32 if out.dtype in (torch.float16, torch.bfloat16) else out.dtype
    x = self.to(dtype or out.dtype).to(wide)
    dims = [d % max(x.dim(), 1) for d in dim] if dim else list(range(x.dim()))
    for d in dims if x.dim() else ():
        x = backwards(x, d)
    return out.copy_(x.reshape(out.shape))


def sum_out(self, *, dtype=None, out):
    numbers = self.to(dtype or out.dtype).reshape(-1).tolist()
    if out.is_complex():
        return out.fill_(complex(math.fsum(z.real for z in numbers), math.fsum(z.imag for z in numbers)))
    if out.is_floating_point():
        try:
            return out.fill_(math.fsum(numbers))
        except (OverflowError, ValueError):  # beyond f64, or infinities of both signs
            total = 0.0
            for x in numbers:
                total += x
            return out.fill_(total)
    total = 0
    for x in numbers:
        total += x
    return out.fill_((total + (1 << 63)) % (1 << 64) - (1 << 63))
