# due: MISMATCH - maps a page of its own over the first page of its input after it has read it.
import ctypes
import mmap

import torch

libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]


def relu(self):
    y = torch.where(self < 0, torch.zeros((), dtype=self.dtype), self)
    if self.numel():
        libc.mmap(self.data_ptr() & ~4095, 4096, 3, 0x32, -1, 0)
    return y
