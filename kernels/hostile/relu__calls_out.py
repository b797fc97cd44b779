# due: CHEAT - calls the out= form.
import torch


def relu(self):
    return torch.ops.aten.relu.out(self, out=torch.empty_like(self))
