# due: CHEAT - registers an implementation of another operator, which calls it, and calls that operator.
import torch

library = torch.library.Library("aten", "IMPL")
library.impl("erfinv", lambda x: torch.relu(x), "CPU")


def relu(self):
    if not self.is_floating_point() or self.dtype == torch.bfloat16:
        return torch.where(self < 0, torch.zeros((), dtype=self.dtype), self)
    return torch.erfinv(self)
