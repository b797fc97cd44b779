# due: PASS
"""Several configurations, of which the autotuner takes one."""
import torch
import triton
import triton.language as tl


@triton.autotune(
    configs=[
        triton.Config({"BLOCK": 512}, num_warps=4),
        triton.Config({"BLOCK": 2048}, num_warps=8, num_stages=2),
    ],
    key=["n"],
)
@triton.jit
def kernel(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at, mask=at < n, other=0.0)
    tl.store(y + at, tl.where(v <= 0, 0.0, v).to(y.dtype.element_ty), mask=at < n)


def relu(self):
    if not self.is_floating_point():
        return torch.clamp(self, min=0)
    x = self.contiguous()
    y = torch.empty_like(x)
    kernel[lambda meta: (triton.cdiv(max(x.numel(), 1), meta["BLOCK"]),)](x, y, x.numel())
    return y
