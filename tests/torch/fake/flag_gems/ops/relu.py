# SPDX-License-Identifier: Apache-2.0
import torch


def relu(self):
    return torch.where(self <= 0, torch.zeros((), dtype=self.dtype), self)


def relu_(A):
    return A.copy_(relu(A))
