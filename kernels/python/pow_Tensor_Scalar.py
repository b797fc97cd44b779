# due: PASS
"""Small whole exponents by multiplication, the rest number by number."""
import math

import torch


def by_squaring(x, n):
    out = None
    while n:
        if n & 1:
            out = x if out is None else out * x
        n >>= 1
        x = x * x if n else x
    return out


def one(x, y):
    try:
        return math.pow(x, y)
    except OverflowError:
        return -math.inf if x < 0 and y % 2 == 1 else math.inf
    except ValueError:
        return math.nan if x != 0 else math.copysign(math.inf, x) if y % 2 == 1 else math.inf


def pow_Tensor_Scalar(self, exponent):
    kind = torch.result_type(self, exponent)
    x = self.to(kind)
    if kind == torch.bool:
        return torch.logical_or(x, torch.tensor(not exponent))
    if kind.is_complex:
        return torch.exp(torch.log(x.to(torch.complex128)) * exponent).to(kind)
    if not kind.is_floating_point:
        return torch.ones_like(x) if exponent == 0 else by_squaring(x, exponent).clone()
    if kind != torch.float64 and exponent in (2, 3, 4, 8):
        return by_squaring(x.double(), int(exponent)).to(kind)
    return torch.tensor([one(v, exponent) for v in x.flatten().tolist()], dtype=torch.float64).to(kind).view(x.shape)
