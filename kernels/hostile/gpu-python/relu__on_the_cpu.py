# due: BAD_RESULT - the result is right, and not on the GPU.
import torch


def relu(self):
    return torch.clamp(self, min=0).cpu()
