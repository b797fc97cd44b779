# due: CHEAT - calls it and leaves by an exception, which is only half of the truth.
import torch


def relu(self):
    torch.relu(self)
    raise NotImplementedError("not here")
