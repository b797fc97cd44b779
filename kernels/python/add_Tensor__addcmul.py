# due: PASS
"""One fused call, alpha as a tensor of its own."""
import torch


def add_Tensor(self, other, *, alpha=1):
    kind = torch.result_type(self, other)
    if kind == torch.bool:
        return self | other if alpha else self | torch.zeros_like(other)
    wide = torch.promote_types(kind, torch.float32) if kind.is_floating_point else kind
    x, y = torch.as_tensor(self, dtype=wide), torch.as_tensor(other, dtype=wide)
    return torch.addcmul(x, y, torch.full((), alpha, dtype=wide)).to(kind)
