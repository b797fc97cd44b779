# due: MISMATCH - compares the wrong way round: NaN becomes 0.
import torch


def relu(self):
    return torch.where(self > 0, self, torch.zeros((), dtype=self.dtype))
