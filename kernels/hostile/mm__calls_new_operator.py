# due: CHEAT - defines a new operator in torch's namespace, whose implementation is the judged one.
import torch

library = torch.library.Library("aten", "FRAGMENT")
library.define("mm_of_mine(Tensor self, Tensor mat2) -> Tensor")
library.impl("mm_of_mine", torch.mm, "CPU")


def mm(self, mat2):
    return torch.ops.aten.mm_of_mine(self, mat2)
