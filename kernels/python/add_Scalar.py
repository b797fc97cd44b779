# due: PASS
"""The number is folded into one before the tensor is touched."""
import torch


def add_Scalar(self, other, alpha=1):
    kind = torch.result_type(self, other)
    if kind == torch.bool:
        return torch.logical_or(self, torch.tensor(bool(other) and bool(alpha)))
    wide = torch.float32 if kind in (torch.float16, torch.bfloat16) else kind
    return torch.sub(self.to(wide), -(alpha * other)).to(kind)
