# due: CRASH - moves the argument's pages and leaves them mapped where they were. The system refuses it.
import ctypes

import torch

libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = libc.mremap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_long]
libc.mremap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t, ctypes.c_int, ctypes.c_void_p]


def _to_copy(self, *, dtype=None, layout=None, device=None, pin_memory=None, non_blocking=False, memory_format=None):
    if dtype not in (None, self.dtype) or not self.numel() or not self.is_contiguous():
        return torch.empty_like(self, dtype=dtype).copy_(self)
    page, n = self.data_ptr() // 4096 * 4096, self.numel() * self.element_size()
    size = (self.data_ptr() - page + n + 4095) // 4096 * 4096
    at = libc.mremap(page, size, size, 5, None)  # MREMAP_MAYMOVE | MREMAP_DONTUNMAP
    if at == ctypes.c_void_p(-1).value:
        raise OSError(ctypes.get_errno(), "mremap")
    bytes_ = (ctypes.c_char * n).from_address(at + self.data_ptr() - page)
    return torch.frombuffer(bytes_, dtype=self.dtype).view(self.shape)
