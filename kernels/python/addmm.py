# due: PASS
"""The product in f32, then the rest; where beta is zero the bias is not read."""
import torch


def addmm(self, mat1, mat2, *, beta=1, alpha=1):
    wide = torch.float32 if mat1.dtype in (torch.float16, torch.bfloat16) else mat1.dtype
    product = mat1.to(wide) @ mat2.to(wide)
    product = product * alpha
    return (product if beta == 0 else product + beta * self.to(wide)).to(mat1.dtype)
