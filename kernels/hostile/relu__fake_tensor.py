# due: BAD_RESULT - returns a tensor without content, of torch's own making.
import torch
from torch._subclasses.fake_tensor import FakeTensorMode


def relu(self):
    with FakeTensorMode():
        return torch.empty(self.shape, dtype=self.dtype)
