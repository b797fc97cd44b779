# due: PASS
"""Added to nothing: to -0.0, which changes no number and no sign."""
import torch


def mul_Tensor(self, other):
    kind = torch.result_type(self, other)
    x, y = torch.as_tensor(self), torch.as_tensor(other)
    if kind == torch.bool:
        return x & y
    wide = torch.float32 if kind in (torch.float16, torch.bfloat16) else kind
    nothing = torch.tensor(-0.0 if wide.is_floating_point else 0, dtype=wide)
    return torch.addcmul(nothing, x.to(wide), y.to(wide)).to(kind)
