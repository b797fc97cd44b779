# due: OOM - asks torch for more memory than any machine has.
import torch


def relu(self):
    return torch.empty(1 << 60, dtype=torch.uint8)
