# due: CHEAT - registers an implementation of another operator of two results, which calls it.
import torch

library = torch.library.Library("aten", "IMPL")
library.impl("mode", lambda self, dim=-1, keepdim=False: torch.sort(self, dim, keepdim), "CPU")


def sort(self, dim=-1, descending=False):
    return torch.mode(self, dim, descending)
