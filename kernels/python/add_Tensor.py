# due: PASS
"""The difference to what is to be added, with its sign turned; half types in f32."""
import torch


def add_Tensor(self, other, *, alpha=1):
    kind = torch.result_type(self, other)
    if kind == torch.bool:
        return torch.logical_or(self, torch.logical_and(other, torch.tensor(bool(alpha))))
    wide = torch.float32 if kind in (torch.float16, torch.bfloat16) else kind
    x = torch.as_tensor(self).to(wide)
    return torch.sub(x, torch.as_tensor(other).to(wide), alpha=-alpha).to(kind)
