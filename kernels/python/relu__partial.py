# due: PASS
"""No def at all."""
import functools

import torch

relu = functools.partial(torch.clamp, min=0)

if __name__ == "__main__":
    print(relu(torch.randn(3)))
