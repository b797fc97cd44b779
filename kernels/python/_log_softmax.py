# due: PASS
"""What is left of each number when the logarithm of the sum is taken away, by chunks of it."""
import torch


def _log_softmax(self, dim, half_to_float):
    kind = torch.float32 if half_to_float else self.dtype
    x = self.float() if self.dtype in (torch.float16, torch.bfloat16) else self
    if x.numel() == 0:
        return torch.empty(x.shape, dtype=kind)
    rest = x - x.amax(dim, keepdim=True)
    return (rest - torch.log(torch.exp(rest).sum(dim, keepdim=True))).to(kind)
