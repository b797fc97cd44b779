# due: PASS
"""As in the books, in f32 for half types."""
import torch


def _softmax(self, dim, half_to_float):
    kind = torch.float32 if half_to_float else self.dtype
    x = self.float() if self.dtype in (torch.float16, torch.bfloat16) else self
    if x.numel() == 0:
        return torch.empty(x.shape, dtype=kind)
    powers = torch.exp(x - x.amax(dim, keepdim=True))
    return (powers / powers.sum(dim, keepdim=True)).to(kind)
