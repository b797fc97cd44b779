# due: PASS
"""Written straight into out, whatever its strides are."""
import torch


def add_out(self, other, *, alpha=1, out):
    kind = torch.result_type(self, other)
    self, other = torch.as_tensor(self), torch.as_tensor(other)
    if kind == torch.bool:
        out.copy_(torch.logical_or(self, torch.logical_and(other, torch.tensor(bool(alpha)))))
    elif kind in (torch.float16, torch.bfloat16):
        out.copy_(torch.sub(self.float(), other.float(), alpha=-alpha))
    else:
        torch.sub(self.to(kind), other.to(kind), alpha=-alpha, out=out)
    return out
