# due: PASS
"""An operator of our own, registered with torch."""
import torch


@torch.library.custom_op("honest::positive_part", mutates_args=())
def positive_part(x: torch.Tensor) -> torch.Tensor:
    return torch.where(x < 0, torch.zeros_like(x), x)


def relu(self):
    return positive_part(self)
