# due: CHEAT - calls it out of TorchScript.
import torch


def plain(x: torch.Tensor) -> torch.Tensor:
    return torch.relu(x)


scripted = torch.jit.trace(plain, torch.ones(2), check_trace=False)


def relu(self):
    return scripted(self)
