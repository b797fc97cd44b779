# due: PASS
"""Shifted products, one for each place of the window; two dimensions, and no transposed ones."""
import torch


def convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups):
    if transposed or input.dim() != 4:
        raise NotImplementedError("plain convolutions of two dimensions only")
    x = torch.nn.functional.pad(input.float(), (padding[-1], padding[-1], padding[0], padding[0]))
    n, c, h, w = x.shape
    o, per, kh, kw = weight.shape
    (sh, sw), (dh, dw) = ((v * 2)[:2] if len(v) == 1 else v for v in (stride, dilation))
    oh, ow = (h - dh * (kh - 1) - 1) // sh + 1, (w - dw * (kw - 1) - 1) // sw + 1
    out = torch.zeros(n, groups, o // groups, oh, ow)
    x, k = x.view(n, groups, per, h, w), weight.float().view(groups, o // groups, per, kh, kw)
    for i in range(kh):
        for j in range(kw):
            part = x[..., i * dh:i * dh + (oh - 1) * sh + 1:sh, j * dw:j * dw + (ow - 1) * sw + 1:sw]
            out += torch.einsum("ngchw,goc->ngohw", part, k[..., i, j])
    out = out.view(n, o, oh, ow)
    return (out if bias is None else out + bias.float()[:, None, None]).to(input.dtype)
