# due: PASS
"""Sums of shifted views over how many places count."""
import torch
import torch.nn.functional as F


def pair(x):
    return (x[0], x[0]) if len(x) == 1 else tuple(x)


def size(n, k, s, p, ceil_mode):
    out = (n + 2 * p - k + (s - 1 if ceil_mode else 0)) // s + 1
    return out - 1 if ceil_mode and (out - 1) * s >= n + p else out


def avg_pool2d(self, kernel_size, stride=(), padding=0, ceil_mode=False, count_include_pad=True,
               divisor_override=None):
    (kh, kw), (ph, pw) = pair(kernel_size), pair(padding if isinstance(padding, (list, tuple)) else [padding])
    sh, sw = pair(stride) if stride else (kh, kw)
    h, w = self.shape[-2:]
    oh, ow = size(h, kh, sh, ph, ceil_mode), size(w, kw, sw, pw, ceil_mode)
    wide = torch.promote_types(self.dtype, torch.float32)
    room = (pw, max(0, (ow - 1) * sw + kw - w - pw), ph, max(0, (oh - 1) * sh + kh - h - ph))
    x = F.pad(self.to(wide), room)
    real = F.pad(torch.ones(h, w, dtype=wide), room)
    if count_include_pad:
        real[:h + 2 * ph, :w + 2 * pw] = 1
    total, count = 0, 0
    for i in range(kh):
        for j in range(kw):
            at = (..., slice(i, i + (oh - 1) * sh + 1, sh), slice(j, j + (ow - 1) * sw + 1, sw))
            total, count = total + x[at], count + real[at]
    return (total / (divisor_override or count)).to(self.dtype)
