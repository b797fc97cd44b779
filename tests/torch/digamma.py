"""digamma as XLA, Boost and Cephes compute it below zero: by the tangent of pi times the distance to the nearest
whole number. ATen and SciPy take the fraction, which is near -1 above every pole: sed 's/torch.round/torch.trunc/'."""
import math

import torch

BERNOULLI = [1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510]


def above_zero(x):
    y = torch.zeros_like(x)
    for _ in range(12):
        low = x < 12
        y = torch.where(low, y - 1 / x, y)
        x = torch.where(low, x + 1, x)
    y = y + torch.log(x) - 0.5 / x
    power = torch.ones_like(x)
    for k, b in enumerate(BERNOULLI, 1):
        power = power / (x * x)
        y = y - b / (2 * k) * power
    return y


def digamma(self):
    turn = math.pi / torch.tan(math.pi * (self - torch.round(self)))
    return torch.where(self > 0, above_zero(self), above_zero(1 - self) - turn)


def polygamma(n, self):
    if n:
        raise NotImplementedError("digamma alone")
    return digamma(self)
