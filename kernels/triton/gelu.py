# due: PASS
"""By tl.erf, or libdevice's tanh."""
import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def gelu_kernel(x, y, n, WIDE: tl.constexpr, TANH: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at, mask=at < n, other=0.0).to(WIDE)
    if TANH:
        out = 0.5 * v * (1 + libdevice.tanh(0.7978845608028654 * (v + 0.044715 * v * v * v)))
    else:
        out = 0.5 * v * (1 + tl.erf(v * 0.7071067811865476))
    tl.store(y + at, out, mask=at < n)


def gelu(self, *, approximate="none"):
    x = self.contiguous()
    y = torch.empty_like(x)
    if x.numel():
        wide = tl.float64 if x.dtype == torch.float64 else tl.float32
        grid = (triton.cdiv(x.numel(), 1024),)
        gelu_kernel[grid](x, y, x.numel(), WIDE=wide, TANH=approximate == "tanh", BLOCK=1024)
    return y
