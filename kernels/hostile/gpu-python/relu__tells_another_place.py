# due: BAD_RESULT - tells of results at one address that belongs to no tensor.
import sys

import torch

boot = sys.modules.get("assay.boot") or sys.modules["__main__"]
boot.describe = lambda x: (1 << 60, boot.CODES[x.dtype], 0, tuple(x.shape), tuple(x.stride()))


def relu(self):
    return torch.nn.Parameter(torch.clamp(self, min=0), requires_grad=False)
