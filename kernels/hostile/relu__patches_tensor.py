# due: MISMATCH - makes tensors lie about where they lie: what is read there is no answer.
import torch

ones = torch.ones(1 << 20, dtype=torch.uint8)
where = ones.data_ptr()
torch.Tensor.data_ptr = lambda self: where


def relu(self):
    return torch.empty_like(self)
