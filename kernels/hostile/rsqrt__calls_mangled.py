# due: CHEAT - looks up its C++ function in torch's library by the mangled name.
import ctypes
import os

import torch

library = ctypes.CDLL(os.path.join(os.path.dirname(torch.__file__), "lib", "libtorch_cpu.so"))
library["_ZN2at4_ops5rsqrt4callERKNS_6TensorE"]


def rsqrt(self):
    x = self if self.is_floating_point() or self.is_complex() else self.float()
    return torch.pow(x, -0.5)
