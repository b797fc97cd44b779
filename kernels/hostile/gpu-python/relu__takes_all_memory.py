# due: OOM - asks for more memory than any GPU has.
import torch


def relu(self):
    torch.empty(1 << 45, dtype=torch.uint8, device=self.device)
    return torch.clamp(self, min=0)
