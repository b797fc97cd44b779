# due: CRASH - maps the argument's pages a second time and returns that mapping. The system refuses it.
import ctypes

import torch

libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = libc.mremap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_long]
libc.mremap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t, ctypes.c_int, ctypes.c_void_p]


def clone(self, *, memory_format=None):
    like = torch.empty_like(self) if memory_format is None else torch.empty_like(self, memory_format=memory_format)
    if not self.numel() or like.stride() != self.stride():
        return like.copy_(self)
    page, n = self.data_ptr() // 4096 * 4096, self.untyped_storage().nbytes()
    inside = self.data_ptr() - page
    at = libc.mremap(page, 0, (inside + n + 4095) // 4096 * 4096, 1, None)  # MREMAP_MAYMOVE
    if at == ctypes.c_void_p(-1).value:
        raise OSError(ctypes.get_errno(), "mremap")
    bytes_ = (ctypes.c_char * n).from_address(at + inside)
    return torch.frombuffer(bytes_, dtype=self.dtype).as_strided(self.shape, self.stride())
