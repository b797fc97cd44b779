# due: PASS
"""Two kernels: the largest number of each row, then scaled, clamped and converted to 8 bits."""
import torch
import triton
import triton.language as tl


@triton.jit
def top_kernel(x, top, width, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    most = 0.0
    for start in range(0, width, BLOCK):
        at = start + tl.arange(0, BLOCK)
        v = tl.load(x + row * width + at, mask=at < width, other=0.0).to(tl.float32)
        most = tl.maximum(most, tl.max(tl.abs(v), 0))
    tl.store(top + row, most)


@triton.jit
def quant_kernel(x, scale, y, width, step, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    s = tl.load(scale + row * step)
    for start in range(0, width, BLOCK):
        at = start + tl.arange(0, BLOCK)
        v = tl.load(x + row * width + at, mask=at < width, other=0.0).to(tl.float32)
        v = tl.clamp(v / s, -448.0, 448.0)
        tl.store(y + row * width + at, v.to(tl.float8e4nv), mask=at < width)


def scaled_fp8_quant(input, scale=None, num_token_padding=None, scale_ub=None, use_per_token_if_dynamic=False,
                     output=None):
    x = input.contiguous()
    rows, width = x.shape
    padded = max(rows, num_token_padding or 0)
    out = x.new_zeros(padded, width, dtype=torch.float8_e4m3fn)
    per_row = scale is None and use_per_token_if_dynamic
    if scale is not None:
        s = scale.clone()
    else:
        top = x.new_zeros(padded, dtype=torch.float32)
        if x.numel():
            top_kernel[(rows,)](x, top, width, BLOCK=1024)
        if per_row and scale_ub is not None:
            top = torch.minimum(top, scale_ub.reshape(-1)[:1])
        s = torch.clamp(top / 448, min=1 / (448 * 512))[:, None] if per_row else torch.amax(top, 0, True) / 448
    if x.numel():
        quant_kernel[(rows,)](x, s, out, width, 1 if per_row else 0, BLOCK=1024)
    return out, s
