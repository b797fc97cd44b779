# due: PASS
"""Mean first, then the mean of squares of what is left; three results."""
import math

import torch


def native_layer_norm(input, normalized_shape, weight, bias, eps):
    n = len(normalized_shape)
    lead, width = input.shape[:input.dim() - n], math.prod(normalized_shape)
    x = input.reshape(*lead, width)
    x = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
    mean = x.sum(-1, keepdim=True) / width
    rest = x - mean
    rstd = 1 / torch.sqrt((rest * rest).sum(-1, keepdim=True) / width + eps)
    y = (rest * rstd).reshape(input.shape)
    if weight is not None:
        y = y * weight
    if bias is not None:
        y = y + bias
    shape = [*lead, *[1] * n]
    return y.to(input.dtype), mean.reshape(shape).to(input.dtype), rstd.reshape(shape).to(input.dtype)
