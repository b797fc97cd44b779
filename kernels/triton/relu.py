# due: PASS
"""Elementwise on a contiguous copy, in the dtype that comes."""
import torch
import triton
import triton.language as tl


@triton.jit
def relu_kernel(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at, mask=at < n)
    tl.store(y + at, tl.where(v < 0, tl.zeros_like(v), v), mask=at < n)


def relu(self):
    x = self.contiguous()
    y = torch.empty_like(x)
    n = x.numel()
    if n:
        relu_kernel[(triton.cdiv(n, 1024),)](x, y, n, BLOCK=1024)
    return y
