# due: PASS - fills its folder to the brim; that is memory of its own, with a limit.
import torch

try:
    with open("/w/assay-hostile", "wb") as f:
        for _ in range(1 << 14):
            f.write(bytes(1 << 20))
except OSError:
    pass


def relu(self):
    return torch.where(self < 0, torch.zeros((), dtype=self.dtype), self)
