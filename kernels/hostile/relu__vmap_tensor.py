# due: BAD_RESULT - returns what vmap wraps tensors in, out of its vmap.
import torch

kept = []


def keep(x):
    kept[:] = [x]
    return x


def relu(self):
    y = torch.where(self < 0, torch.zeros((), dtype=self.dtype), self)
    torch.vmap(keep)(y.unsqueeze(0))
    return kept[0]
