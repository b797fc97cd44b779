# due: PASS
"""2 to the power of y times log2 of the base, in f64; f64 itself number by number."""
import math

import torch


def one(x, y):
    try:
        return math.pow(x, y)
    except OverflowError:
        return -math.inf if x < 0 and y % 2 == 1 else math.inf
    except ValueError:
        return math.nan if x != 0 else math.inf


def pow_Scalar(self, exponent):
    kind = torch.result_type(self, exponent)
    y = exponent.to(kind)
    if kind.is_floating_point and kind != torch.float64 and self > 0 and math.isfinite(self):
        return torch.exp2(y.double() * math.log2(self)).to(kind)
    if kind.is_floating_point:
        return torch.tensor([one(self, v) for v in y.reshape(-1).tolist()], dtype=torch.float64).to(kind).view(y.shape)
    numbers = []
    for v in exponent.reshape(-1).tolist():
        power = self ** v if v >= 0 else (self if v % 2 else 1) if self in (1, -1) else 0
        numbers.append((power + (1 << 63)) % (1 << 64) - (1 << 63))
    return torch.tensor(numbers, dtype=torch.int64).to(kind).view(y.shape)
