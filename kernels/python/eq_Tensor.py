# due: PASS
"""Neither less nor greater, and no NaN."""
import torch


def eq_Tensor(self, other):
    return torch.logical_not(torch.ne(self, other))
