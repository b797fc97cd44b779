# due: PASS
"""Powers of two, as fast kernels do; the result is a transposed view."""
import torch

LOG2E = 1.4426950408889634


def _softmax(*args):
    x, dim, half_to_float = args
    kind = torch.float32 if half_to_float else x.dtype
    if x.numel() == 0 or x.dim() == 0:
        return torch.where(x.isfinite(), 1.0, torch.nan).to(kind)
    wide = torch.promote_types(x.dtype, torch.float64)  # the product with log2(e) must not be rounded to f32
    x = x.to(wide).transpose(dim, 0)
    p = torch.exp2((x - torch.max(x, 0).values) * LOG2E)
    return torch.div(p, p.sum(0)).to(kind).transpose(0, dim)
