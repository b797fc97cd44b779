# due: PASS
"""A row per program: mean, then the mean of squares of what is left."""
import math

import torch
import triton
import triton.language as tl


@triton.jit
def norm_kernel(x, w, b, y, mean, rstd, width, eps, WIDE: tl.constexpr, HAS_W: tl.constexpr, HAS_B: tl.constexpr,
                BLOCK: tl.constexpr):
    row, at = tl.program_id(0), tl.arange(0, BLOCK)
    mask = at < width
    v = tl.load(x + row * width + at, mask=mask, other=0.0).to(WIDE)
    m = tl.sum(v, 0) / width
    rest = tl.where(mask, v - m, 0.0)
    r = tl.rsqrt(tl.sum(rest * rest, 0) / width + eps)
    out = rest * r
    if HAS_W:
        out = out * tl.load(w + at, mask=mask, other=0.0).to(WIDE)
    if HAS_B:
        out = out + tl.load(b + at, mask=mask, other=0.0).to(WIDE)
    tl.store(y + row * width + at, out, mask=mask)
    tl.store(mean + row, m)
    tl.store(rstd + row, r)


def native_layer_norm(input, normalized_shape, weight, bias, eps):
    x, width = input.contiguous(), math.prod(normalized_shape)
    lead = input.shape[:input.dim() - len(normalized_shape)]
    y = torch.empty_like(x)
    half = input.dtype in (torch.float16, torch.bfloat16)
    kept = torch.float32 if half and input.is_cuda else input.dtype  # as ATen has it there
    mean, rstd = (input.new_empty([*lead, *[1] * len(normalized_shape)], dtype=kept) for _ in range(2))
    w, b = (x if t is None else t.contiguous() for t in (weight, bias))
    if x.numel():
        wide = tl.float64 if x.dtype == torch.float64 else tl.float32
        norm_kernel[(x.numel() // width,)](x, w, b, y, mean, rstd, width, eps, WIDE=wide, HAS_W=weight is not None,
                                           HAS_B=bias is not None, BLOCK=triton.next_power_of_2(width))
    return y, mean, rstd
