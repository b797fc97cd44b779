# due: PASS - keeps 128 MiB of Python objects: what it holds decides nothing about its cases.
import torch

kept = []


def relu(self):
    if not kept:
        kept.append([bytes(1 << 20) + bytes([i]) for i in range(128)])
    return torch.where(self < 0, torch.zeros((), dtype=self.dtype), self)
