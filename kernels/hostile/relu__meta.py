# due: BAD_RESULT - returns a tensor on the device meta: a shape without memory.
import torch


def relu(self):
    return torch.empty_like(self, device="meta")
