# due: BAD_RESULT - is a generator, which would compute when it is asked for its first value.
import torch


def relu(self):
    yield torch.where(self < 0, torch.zeros((), dtype=self.dtype), self)
