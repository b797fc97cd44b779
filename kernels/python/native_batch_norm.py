# due: PASS
"""Statistics over all but the channels; the running ones are updated in place."""
import torch


def native_batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps):
    wide = torch.promote_types(input.dtype, torch.float32)
    x = input.to(wide).movedim(1, 0).flatten(1)
    shape = [-1 if d == 1 else 1 for d in range(input.dim())]
    if training:
        mean = x.mean(1)
        var = (x - mean[:, None]).square().mean(1)
        n = x.shape[1]
        if running_mean is not None:
            running_mean.copy_(running_mean * (1 - momentum) + mean * momentum)
            running_var.copy_(running_var * (1 - momentum) + var * (n / (n - 1)) * momentum)
        kept = mean, 1 / torch.sqrt(var + eps)
    else:
        mean, var = running_mean.to(wide), running_var.to(wide)
        kept = torch.empty(0, dtype=wide), torch.empty(0, dtype=wide)
    scale = 1 / torch.sqrt(var + eps) * (1 if weight is None else weight.to(wide))
    y = (input.to(wide) - mean.view(shape)) * scale.view(shape)
    y = y if bias is None else y + bias.to(wide).view(shape)
    return y.to(input.dtype), *kept
