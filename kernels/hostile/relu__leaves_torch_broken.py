# due: PASS - breaks torch for the next kernel: default dtype, threads, modes, registrations, grad, seeds. No other
# kernel runs in its process.
import torch
from torch.utils._python_dispatch import TorchDispatchMode


class Nonsense(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


def relu(self):
    torch.set_default_dtype(torch.float64)
    torch.use_deterministic_algorithms(True)
    torch.manual_seed(0)
    torch.set_grad_enabled(False)
    return torch.where(self < 0, torch.zeros((), dtype=self.dtype), self)


torch.maximum = torch.minimum = None
Nonsense().__enter__()
library = torch.library.Library("aten", "IMPL")
library.impl("neg", lambda x: x, "CPU")
