# due: BAD_RESULT - every call's result is the same file, mapped anew by NumPy.
import numpy
import torch

PATH = "/w/mine"
open(PATH, "wb").close()


def neg(self):
    if not self.numel() or self.dtype not in (torch.float32, torch.float64, torch.int64):
        return torch.mul(self, -1)
    kind = {torch.float32: "f4", torch.float64: "f8", torch.int64: "i8"}[self.dtype]
    with open(PATH, "r+b") as f:
        f.truncate(max(self.numel() * self.element_size(), f.seek(0, 2)))
    y = torch.from_numpy(numpy.memmap(PATH, kind, "r+", shape=tuple(self.shape)))
    return y.copy_(torch.mul(self, -1))
