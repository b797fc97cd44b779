# due: PASS
"""BackendBench's name for the default overload."""
import torch


def relu__default_kernel_impl(self):
    return torch.where(self > 0, self, torch.where(self == self, torch.zeros_like(self), self))
