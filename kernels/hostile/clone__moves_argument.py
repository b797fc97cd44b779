# due: BAD_RESULT - returns the argument's own pages, which it has moved to another address.
import ctypes

import torch

libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = libc.mremap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_long]
libc.mremap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t, ctypes.c_int, ctypes.c_void_p]


def moved(x):
    """Moves the pages of x to another address, puts a copy where they were, and returns them."""
    page, n = x.data_ptr() // 4096 * 4096, x.numel() * x.element_size()
    size = (x.data_ptr() - page + n + 4095) // 4096 * 4096
    kept, room = ctypes.string_at(page, size), libc.mmap(None, size, 0, 0x22, -1, 0)
    at = libc.mremap(page, size, size, 3, room)  # MREMAP_MAYMOVE | MREMAP_FIXED
    libc.mmap(page, size, 3, 0x32, -1, 0)  # private, anonymous, fixed
    ctypes.memmove(page, kept, size)
    bytes_ = (ctypes.c_char * n).from_address(at + x.data_ptr() - page)
    return torch.frombuffer(bytes_, dtype=x.dtype).view(x.shape)


def clone(self, *, memory_format=None):
    like = torch.empty_like(self) if memory_format is None else torch.empty_like(self, memory_format=memory_format)
    if not self.numel() or not self.is_contiguous() or like.stride() != self.stride():
        return like.copy_(self)
    return moved(self)
