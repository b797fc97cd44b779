# due: PASS
"""One pass over chunks: when a larger maximum comes, what was added up so far is scaled down."""
import torch


def _softmax(self, dim, half_to_float):
    kind = torch.float32 if half_to_float else self.dtype
    x = self.float() if kind != torch.float64 else self
    if x.numel() == 0:
        return torch.empty(x.shape, dtype=kind)
    if x.dim() == 0:
        return (x - x + 1).to(kind)
    most, total = None, 0
    for part in reversed(x.split(max(16, x.shape[dim] // 16), dim)):
        new = part.amax(dim, keepdim=True)
        new = new if most is None else torch.maximum(most, new)
        shift = torch.where(new.isinf() & (new < 0), torch.zeros_like(new), new)
        total = (0 if most is None else total * torch.exp(most - shift)) + torch.exp(part - shift).sum(dim, True)
        most = new
    out = torch.empty(x.shape, dtype=kind)
    out.copy_(torch.exp(x - most) / total)
    return out
