# due: PASS
"""Rows times matrix, one row at a time."""
import torch


def mm(self, mat2):
    wide = torch.float32 if self.dtype in (torch.float16, torch.bfloat16) else self.dtype
    b = mat2.to(wide).t()
    rows = [torch.mv(b, row.to(wide)) for row in self.unbind()]
    return torch.stack(rows).to(self.dtype) if rows else torch.empty(0, mat2.shape[1], dtype=self.dtype)
