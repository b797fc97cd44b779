# due: UNWRITTEN - returns memory as it comes.
import torch


def relu(self):
    return torch.empty_like(self)
