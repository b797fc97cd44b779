# due: BAD_RESULT - returns the same tensor from every call: the second call writes over what the first returned.
import torch

kept = {}


def relu(self):
    key = self.shape, self.dtype
    if key not in kept:
        kept[key] = torch.empty(self.shape, dtype=self.dtype, device=self.device)
    return kept[key].copy_(torch.where(self < 0, torch.zeros_like(self), self))
