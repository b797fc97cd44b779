# due: BAD_RESULT - returns a new mapping of one and the same shared memory from every call.
import mmap
import os

import torch

fd = os.memfd_create("mine")
kept = []


def clone(self, *, memory_format=None):
    like = torch.empty_like(self) if memory_format is None else torch.empty_like(self, memory_format=memory_format)
    if not self.numel() or not like.is_contiguous():
        return like.copy_(self)
    n = self.numel() * self.element_size()
    os.ftruncate(fd, max(n, os.fstat(fd).st_size))
    kept.append(mmap.mmap(fd, n))
    return torch.frombuffer(kept[-1], dtype=self.dtype).view(self.shape).copy_(self)
