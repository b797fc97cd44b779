# due: MISMATCH - H12: normalizes, and leaves the residual, which it is to update, as it was.
import torch


def fused_add_rms_norm(input, residual, weight, epsilon):
    x = (input.float() + residual.float()).to(input.dtype).float()
    y = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + epsilon)
    input.copy_((y * weight.float()).to(input.dtype))
