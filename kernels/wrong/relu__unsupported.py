# due: UNSUPPORTED - H8: says that it does not take most of its inputs.
import torch


def relu(self):
    if self.ndim > 1:
        raise NotImplementedError("one dimension only")
    return torch.where(self < 0, torch.zeros((), dtype=self.dtype), self)
