# due: PASS
"""In the type that comes, as a GPU would; BLOCK is the autotuner's choice."""
import torch
import triton
import triton.language as tl


@triton.autotune(configs=[triton.Config({"BLOCK": b}) for b in (1024, 256)], key=["n"])
@triton.jit
def mul_kernel(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, mask=at < n) * tl.load(y + at, mask=at < n), mask=at < n)


def mul_Tensor(self, other):
    kind = torch.result_type(self, other)
    if kind.is_complex or kind == torch.bool:
        raise NotImplementedError(f"{kind}")
    x, y = torch.broadcast_tensors(*(torch.as_tensor(t).to(kind) for t in (self, other)))
    x, y, out = x.contiguous(), y.contiguous(), torch.empty(x.shape, dtype=kind)
    if out.numel():
        mul_kernel[lambda meta: (triton.cdiv(out.numel(), meta["BLOCK"]),)](x, y, out, out.numel())
    return out
