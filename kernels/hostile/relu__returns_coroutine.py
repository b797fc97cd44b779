# due: BAD_RESULT - is a coroutine: its call returns at once, and nothing ever runs it.
import torch


async def relu(self):
    return torch.where(self < 0, torch.zeros((), dtype=self.dtype), self)
