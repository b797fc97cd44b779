# due: BAD_RESULT - makes tensors lie about where they lie: two results in one place are one too many.
import torch

ones = torch.ones(1 << 20, dtype=torch.uint8)
where = ones.data_ptr()
torch.Tensor.data_ptr = lambda self: where


def relu(self):
    return torch.empty_like(self)
