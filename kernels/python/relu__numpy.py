# due: PASS
"""By way of numpy, which shares the memory; torch for what numpy does not have."""
import torch

try:
    import numpy
except ImportError:
    numpy = None


def relu(self):
    if numpy is None or self.dtype == torch.bfloat16:
        return self.clamp(min=0)
    return torch.from_numpy(numpy.asarray(numpy.maximum(self.numpy(), 0), dtype=self.numpy().dtype))
