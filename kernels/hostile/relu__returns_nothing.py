# due: BAD_RESULT - returns None, which is no tensor.
import torch


def relu(self):
    torch.clamp_min(self, 0)
