# due: PASS
"""Scale, clamp, convert; rows that are only padding stay as they come."""
import torch

MOST = 448.0


def scaled_fp8_quant(input, scale=None, num_token_padding=None, scale_ub=None, use_per_token_if_dynamic=False,
                     output=None):
    rows = max(input.shape[0], num_token_padding or 0)
    x = input.float()
    if scale is not None:
        s = scale.clone()
    elif use_per_token_if_dynamic:
        s = torch.zeros(rows, 1)
        if x.numel():
            top = x.abs().amax(-1, keepdim=True)
            if scale_ub is not None:
                top = torch.minimum(top, scale_ub.reshape(-1)[0])
            s[:x.shape[0]] = torch.clamp(top / MOST, min=1 / (MOST * 512))
    else:
        s = (x.abs().max() / MOST).reshape(1) if x.numel() else torch.zeros(1)
    out = torch.zeros(rows, *input.shape[1:], dtype=torch.float8_e4m3fn)
    by = s[:x.shape[0]] if scale is None and use_per_token_if_dynamic else s.reshape(-1)
    out[:x.shape[0]] = (x / by).clamp(-MOST, MOST).to(out.dtype)
    return out, s
