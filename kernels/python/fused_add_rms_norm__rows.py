# due: PASS
"""Row by row, the mean as a sum of chunks, all in f64; returns nothing, as is due."""
import itertools

import torch


def fused_add_rms_norm(input, residual, weight, epsilon):
    width = input.shape[-1]
    for place in itertools.product(*(range(n) for n in input.shape[:-1])):
        x, r = input[place], residual[place]
        r.copy_(x.double() + r.double())
        squares = r.double().square()
        mean = torch.stack([part.sum() for part in squares.split(64)]).sum() / width
        x.copy_(r.double() / torch.sqrt(mean + epsilon) * weight)
