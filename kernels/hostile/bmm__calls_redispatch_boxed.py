# due: CHEAT - calls it by its bare handle, past the dispatcher's records.
import torch

handle = torch.ops.aten.bmm.default._handle
keys = torch._C.DispatchKeySet(torch._C.DispatchKey.CPU)


def bmm(self, mat2):
    return handle.redispatch_boxed(keys, self, mat2)
