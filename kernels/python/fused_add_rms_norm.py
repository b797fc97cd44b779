# due: PASS
"""Both tensors in place; squares in f32, z not rounded before it is normalised."""
import torch


def fused_add_rms_norm(input, residual, weight, epsilon):
    z = input.float() + residual.float()
    residual.copy_(z)
    z = residual.float()
    scale = torch.rsqrt(z.square().mean(-1, keepdim=True) + epsilon)
    input.copy_((z * scale).to(input.dtype) * weight)
