# due: CHEAT - calls it out of an operator of its own.
import torch


@torch.library.custom_op("mine::plain", mutates_args=())
def plain(x: torch.Tensor) -> torch.Tensor:
    return torch.relu(x)


def relu(self):
    return plain(self)
