# due: PASS
"""Python's own power for floats, number by number; squaring for integers."""
import cmath
import math

import torch


def power(x, y):
    try:
        return math.pow(x, y)
    except OverflowError:
        return -math.inf if x < 0 and y % 2 == 1 else math.inf
    except ValueError:  # 0 to a negative power, a negative base to a fraction
        odd = y % 2 == 1
        return math.nan if x != 0 else math.copysign(math.inf, x) if odd else math.inf


def squaring(x, y):
    out, base = torch.ones_like(x), x.clone()
    for bit in range(63):
        out = torch.where((y >> bit) & 1 == 1, out * base, out)
        base = base * base
    sign = torch.where(y & 1 == 1, x, x * x)  # of -1 and 1; all else is below one
    return torch.where(y < 0, torch.where((x == 1) | (x == -1), sign, torch.zeros_like(x)), out)


def pow_Tensor_Tensor(self, exponent):
    kind = torch.result_type(self, exponent)
    x, y = torch.broadcast_tensors(torch.as_tensor(self), torch.as_tensor(exponent))
    if kind == torch.bool:
        return torch.logical_or(x, torch.logical_not(y))
    if not kind.is_floating_point and not kind.is_complex:
        return squaring(x.to(kind), y.to(kind))
    one = (lambda a, b: cmath.exp(b * cmath.log(a))) if kind.is_complex else power
    x, y = x.to(kind), y.to(kind)
    numbers = [one(a, b) for a, b in zip(x.reshape(-1).tolist(), y.reshape(-1).tolist())]
    wide = torch.complex128 if kind.is_complex else torch.float64
    return torch.tensor(numbers, dtype=wide).to(kind).reshape(x.shape)
