# due: PASS - registers an implementation of another operator of torch, which does not call the judged one.
import torch

library = torch.library.Library("aten", "IMPL")
library.impl("erfinv", lambda x: torch.where(x < 0, torch.zeros((), dtype=x.dtype), x), "CPU")


def relu(self):
    return torch.erfinv(self)
