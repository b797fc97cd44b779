# due: CHEAT - calls it out of an operator that it registers itself for the CPU.
import torch

library = torch.library.Library("mine", "DEF")
library.define("plain(Tensor x) -> Tensor")
library.impl("plain", lambda x: torch.relu(x), "CPU")


def relu(self):
    return torch.ops.mine.plain(self)
