# due: MISMATCH - H4: returns 1/n everywhere.
import torch


def _softmax(self, dim, half_to_float):
    n = self.shape[dim] if self.ndim else 1
    return torch.full(self.shape, 1 / max(n, 1), dtype=torch.float32 if half_to_float else self.dtype)
