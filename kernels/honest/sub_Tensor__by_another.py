# due: PASS - calls an operator of torch that calls the judged one itself.
import torch


def sub_Tensor(self, other, *, alpha=1):
    kind = torch.result_type(self, other)
    wide = torch.float32 if kind in (torch.float16, torch.bfloat16) else kind
    x, y = torch.as_tensor(self).to(wide), torch.as_tensor(other).to(wide)
    return torch.rsub(y, x, alpha=alpha).to(kind)
