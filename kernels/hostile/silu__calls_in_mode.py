# due: CHEAT - a mode of its own calls it where another operator is called.
import torch
from torch.utils._python_dispatch import TorchDispatchMode


class Mode(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return torch.nn.functional.silu(*args)


def silu(self):
    with Mode():
        return torch.ops.aten.erfinv.default._op(self)
