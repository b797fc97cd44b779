# due: CHEAT - calls it in a task of TorchScript's, which runs in a thread of torch's.
import torch


@torch.jit.script
def later(x: torch.Tensor):
    return torch.jit.wait(torch.jit.fork(torch.relu, x))


def relu(self):
    return later(self)
