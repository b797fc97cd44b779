# due: PASS
"""Triton's own Philox, with a key from the default generator."""
import torch
import triton
import triton.language as tl


@triton.jit
def draw_kernel(out, n, p, key, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    draw = tl.rand(key, at)
    tl.store(out + at, (draw < p).to(out.dtype.element_ty), mask=at < n)


def bernoulli_p(self, p, *, generator=None):
    out = torch.empty_like(self, dtype=torch.float32, memory_format=torch.contiguous_format)
    key = int(torch.randint(0, 1 << 31, (), generator=generator, device=self.device))
    if out.numel():
        draw_kernel[(triton.cdiv(out.numel(), 4096),)](out, out.numel(), p, key, BLOCK=4096)
    return out.to(self.dtype)
