# due: CHEAT - calls the operator by its bare handle.
import torch

f = torch._C._get_operation_overload("aten::relu", "")[0]


def relu(self):
    return f(self)
