# due: PASS
"""Whole numbers become floats first."""
import torch


def div_Tensor(self, other):
    kind = torch.result_type(self, other)
    kind = kind if kind.is_floating_point or kind.is_complex else torch.get_default_dtype()
    wide = torch.float32 if kind in (torch.float16, torch.bfloat16) else kind
    x, y = torch.broadcast_tensors(torch.as_tensor(self).to(wide), torch.as_tensor(other).to(wide))
    return torch.addcdiv(torch.zeros((), dtype=wide), x, y).to(kind)
