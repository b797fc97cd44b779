# SPDX-License-Identifier: Apache-2.0
import torch


def softmax(self, dim, half_to_float=False):
    wide = self.to(torch.float64 if self.dtype == torch.float64 else torch.float32)
    if not self.numel() or not self.ndim:
        return torch.ones_like(wide).to(wide.dtype if half_to_float else self.dtype)
    e = torch.exp(wide - wide.amax(dim, keepdim=True))
    y = e / e.sum(dim, keepdim=True)
    return y if half_to_float else y.to(self.dtype)
