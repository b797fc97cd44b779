# due: PASS - an operator of its own with a gradient, which calls on below it; and torch's library by ctypes.
import ctypes
import os

import torch

library = ctypes.CDLL(os.path.join(os.path.dirname(torch.__file__), "lib", "libtorch_cpu.so"))
library.aoti_torch_dtype_float32()


@torch.library.custom_op("mine::cut", mutates_args=())
def cut(x: torch.Tensor) -> torch.Tensor:
    return torch.where(x < 0, torch.zeros((), dtype=x.dtype), x)


cut.register_autograd(lambda ctx, grad: grad)
below = torch._C.DispatchKeySet(torch._C.DispatchKey.CPU)


def relu(self):
    if self.is_floating_point():
        return cut(self.detach().requires_grad_()).detach()
    return torch.ops.aten.maximum.default.redispatch(below, self, torch.zeros((), dtype=self.dtype))
