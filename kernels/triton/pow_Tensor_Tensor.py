# due: PASS
"""libdevice's pow in f64, rounded to the type that is due; whole numbers by squaring in torch."""
import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def pow_kernel(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(x + at, mask=at < n, other=1.0).to(tl.float64)
    b = tl.load(y + at, mask=at < n, other=1.0).to(tl.float64)
    tl.store(out + at, libdevice.pow(a, b).to(out.dtype.element_ty), mask=at < n)


def squaring(x, y):
    out, base = torch.ones_like(x), x
    for bit in range(16):
        out = torch.where((y >> bit) & 1 == 1, out * base, out)
        base = base * base
    negative = torch.where(x == 1, x, torch.where(x == -1, 1 - 2 * (y & 1), torch.zeros_like(x)))
    return torch.where(y < 0, negative.to(x.dtype), out)


def pow_Tensor_Tensor(self, exponent):
    kind = torch.result_type(self, exponent)
    x, y = (torch.as_tensor(t).to(kind) for t in (self, exponent))
    x, y = (t.contiguous() for t in torch.broadcast_tensors(x, y))
    if kind == torch.bool:
        return x | ~y
    if kind.is_complex:
        return torch.exp(torch.log(x.to(torch.complex128)) * y).to(kind)
    if not kind.is_floating_point:
        return squaring(x, y)
    out = torch.empty_like(x)
    n = out.numel()
    if n:
        pow_kernel[(triton.cdiv(n, 2048),)](x, y, out, n, BLOCK=2048)
    return out
