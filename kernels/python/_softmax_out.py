# due: PASS
"""Into out, in steps that each write to memory of their own."""
import torch


def _softmax_out(self, dim, half_to_float, out=None):
    if self.numel() == 0:
        return out
    x = self.to(torch.promote_types(out.dtype, torch.float32))
    work = torch.empty_like(x)
    torch.sub(x, torch.amax(x, dim, True), out=work)
    torch.exp(work, out=work)
    work.div_(work.sum(dim, True))
    return out.copy_(work)
