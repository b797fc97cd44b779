# due: PASS
"""The result lies in memory with its dimensions in reverse: any layout that does not overlap will do."""
import torch


def relu(self):
    out = torch.empty(self.shape[::-1], dtype=self.dtype).permute(tuple(range(self.dim()))[::-1])
    out.copy_(self)
    return out.masked_fill_(out < 0, 0)
