# due: CHEAT - calls torch's C function, under which no Python name stands.
import torch

f = torch._C._VariableFunctions.relu


def relu(self):
    with torch._C.DisableTorchFunctionSubclass():
        return f(self)
