# due: CHEAT, partial: LOAD - calls it through torch.compile, with a backend that needs no compiler.
import torch


@torch.compile(backend="eager")
def plain(x):
    return torch.relu(x)


def relu(self):
    return plain(self)
