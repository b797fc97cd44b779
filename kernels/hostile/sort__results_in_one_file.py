# due: BAD_RESULT - its two results are two mappings of one file.
import mmap
import os

import torch


def sort(self, dim=-1, descending=False):
    n = max(self.numel(), 1) * 8
    fd = os.memfd_create("mine")
    os.ftruncate(fd, n)
    first, second = mmap.mmap(fd, n), mmap.mmap(fd, n)
    os.close(fd)
    values = torch.frombuffer(first, dtype=self.dtype, count=max(self.numel(), 1))[:self.numel()].view(self.shape)
    places = torch.frombuffer(second, dtype=torch.int64, count=max(self.numel(), 1))[:self.numel()].view(self.shape)
    return values, places
