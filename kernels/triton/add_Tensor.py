# due: PASS
"""Broadcast by torch, added in f32 where the type is a half one. Wrapped in heuristics that choose the block."""
import torch
import triton
import triton.language as tl


@triton.heuristics({"BLOCK": lambda args: max(16, min(4096, triton.next_power_of_2(args["n"])))})
@triton.jit
def add_kernel(x, y, out, alpha, n, WIDE: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(x + at, mask=at < n).to(WIDE)
    b = tl.load(y + at, mask=at < n).to(WIDE)
    tl.store(out + at, (a + b * alpha).to(out.dtype.element_ty), mask=at < n)


def add_Tensor(self, other, *, alpha=1):
    kind = torch.result_type(self, other)
    if kind == torch.bool or kind.is_complex or kind == torch.float64:
        if kind == torch.bool:
            return torch.as_tensor(self) | (torch.as_tensor(other) & bool(alpha))
        x, y = (torch.as_tensor(t).to(kind) for t in (self, other))
        return torch.sub(x, y * -alpha)
    place = self.device if isinstance(self, torch.Tensor) and self.dim() else torch.as_tensor(other).device
    x, y = torch.broadcast_tensors(*(torch.as_tensor(t, device=place).to(kind) for t in (self, other)))
    x, y = x.contiguous(), y.contiguous()
    out = torch.empty_like(x)
    n = out.numel()
    wide = {torch.int64: tl.int64}.get(kind, tl.float32 if kind.is_floating_point else tl.int32)
    if n:
        grid = lambda meta: (triton.cdiv(n, meta["BLOCK"]),)
        add_kernel[grid](x, y, out, float(alpha) if kind.is_floating_point else int(alpha), n, WIDE=wide)
    return out
