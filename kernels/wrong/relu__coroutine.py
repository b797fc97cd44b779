# due: BAD_RESULT - is a coroutine: it has not even begun.
import torch


async def relu(self):
    return torch.where(self < 0, 0 * self, self)
