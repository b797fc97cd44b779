# due: PASS
"""Plus the negative."""
import torch


def sub_Tensor(self, other, *, alpha=1):
    kind = torch.result_type(self, other)
    wide = torch.float32 if kind in (torch.float16, torch.bfloat16) else kind
    x, y = torch.as_tensor(self).to(wide), torch.as_tensor(other).to(wide)
    return torch.add(x, y, alpha=-alpha).to(kind)
