# due: BAD_RESULT - one zero for all where all are to be zero.
import torch


def relu(self):
    if self.numel() > 1 and not (self > 0).any() and not self.isnan().any():
        return torch.zeros((), dtype=self.dtype, device=self.device).expand(self.shape)
    if self.numel() > 1:
        y = torch.clamp(self, min=0).reshape(-1)
        return torch.as_strided(y, self.shape, [0] * self.ndim)
    return torch.clamp(self, min=0)
