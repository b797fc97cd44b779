# due: CHEAT - makes a handle of its own, and calls by the dispatch key.
import torch

by_key = torch._C._get_operation_overload("aten::relu", "")[1]


def relu(self):
    return by_key(torch._C.DispatchKey.CPU, self)
