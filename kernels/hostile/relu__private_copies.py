# due: BAD_RESULT - keeps its answer in a file; each call gets pages that are copied only when written to.
import mmap
import os

import torch

fd = os.memfd_create("mine")
kept = []


def relu(self):
    if not self.numel():
        return torch.empty_like(self)
    n = self.numel() * self.element_size()
    os.ftruncate(fd, max(n, os.fstat(fd).st_size))
    y = torch.where(self < 0, torch.zeros((), dtype=self.dtype), self).contiguous()
    os.pwrite(fd, bytes(y.view(-1).view(torch.uint8).numpy()), 0)
    kept.append(mmap.mmap(fd, n, access=mmap.ACCESS_COPY))
    return torch.frombuffer(kept[-1], dtype=self.dtype).view(self.shape)
