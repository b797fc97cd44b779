# due: BAD_RESULT - returns a tensor over memory that it takes away.
import ctypes

import torch

libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_long]
libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]


def relu(self):
    n = max(self.numel(), 1) * self.element_size()
    at = libc.mmap(None, n, 3, 0x22, -1, 0)
    y = torch.frombuffer((ctypes.c_char * n).from_address(at), dtype=self.dtype, count=max(self.numel(), 1))
    libc.munmap(at, n)
    return y[:self.numel()].view(self.shape)
