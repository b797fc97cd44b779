# due: PASS
"""BackendBench's name for add_.Tensor."""
import torch


def add___Tensor_kernel_impl(self, other, alpha=1):
    kind = torch.result_type(self, other)
    if kind == torch.bool:
        value = torch.maximum(self.int(), torch.as_tensor(other).int()) if alpha else self
    else:
        wide = torch.float32 if kind in (torch.float16, torch.bfloat16) else kind
        value = self.to(wide) - torch.as_tensor(other).to(wide) * -alpha
    self[...] = value
    return self
