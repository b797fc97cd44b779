# due: MISMATCH - H5: leaves out the last 0.5 % of the products.
import torch


def matmul(self, other):
    k = self.shape[-1] - (self.shape[-1] + 199) // 200 if self.shape[-1] > 100 else self.shape[-1]
    b = other[:k] if other.ndim == 1 else other[..., :k, :]
    how = "...k,k->..." if other.ndim == 1 else "k,...kn->...n" if self.ndim == 1 else "...mk,...kn->...mn"
    return torch.einsum(how, self[..., :k], b)
