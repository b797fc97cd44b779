# due: BAD_RESULT - returns the same tensor from every call: the second call writes over what the first returned.
import torch

kept = {}


def relu(self):
    y = kept.setdefault((self.shape, self.dtype), torch.empty(self.shape, dtype=self.dtype))
    y.copy_(torch.where(self < 0, torch.zeros((), dtype=self.dtype), self))
    return y
