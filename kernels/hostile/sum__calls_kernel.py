# due: CHEAT - asks the dispatcher for the kernel of the processor, and calls that.
import torch

kernel = torch.library.get_kernel("aten::sum", "CPU")
keys = torch._C.DispatchKeySet(torch._C.DispatchKey.CPU)


def sum(self, *, dtype=None):
    return kernel.call_boxed(keys, self, dtype=dtype) if dtype else kernel.call_boxed(keys, self)
