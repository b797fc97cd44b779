# due: PASS
"""Elementwise in f32."""
import torch
import triton
import triton.language as tl


@triton.jit
def silu_kernel(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at, mask=at < n, other=0.0).to(tl.float32)
    tl.store(y + at, v * tl.sigmoid(v), mask=at < n)


def silu(self):
    if self.dtype == torch.float64 or self.is_complex():
        return self * torch.sigmoid(self)
    x = self.contiguous()
    y = torch.empty_like(x)
    if x.numel():
        silu_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, x.numel(), BLOCK=1024)
    return y
