# SPDX-License-Identifier: Apache-2.0
"""The bound of operators without a reference in C, for tests/cli/python.test: is an honest kernel inside, and a sloppy
one? In calls so small that ATen is right by luck, or where terms cancel. And how many terms gradients have."""
import itertools
import math
import types

import torch
from assay import oracle

CANCEL = [1, -0.999755859375, 9.313225746154785e-10]  # exact from left to right, and not the other way


def judged(name, args, honest, sloppy):
    function = getattr(torch.ops.aten, name)
    e = types.SimpleNamespace(function=function, base=name, args=[], rets=[{"arg": -1}], argnames=[])
    try:
        _, want, weight, _ = oracle.answer(e, args, {})
    except oracle.Unsuitable as why:
        print(f"{name}: {why}")
        return
    bound = oracle.K_ACC * oracle.ROUNDOFF * weight
    print(name, *(((f(*args) - want).abs() <= bound).all().item() for f in (honest, sloppy)))


judged("logaddexp", [torch.tensor([0.0, -0.6931]), torch.tensor([-12.0, -0.6932])],
       lambda x, y: torch.maximum(x, y) + torch.log1p(torch.exp(-(x - y).abs())),
       lambda x, y: torch.maximum(x, y) + torch.log(1 + torch.exp(-(x - y).abs())))
judged("nansum", [torch.tensor(CANCEL)], lambda x: x[2] + x[1] + x[0], lambda x: x[2] + x[1].bfloat16().float() + x[0])
judged("trace", [torch.tensor(CANCEL).diag()], lambda x: x[2, 2] + x[1, 1] + x[0, 0],
       lambda x: x[2, 2] + x[1, 1].bfloat16().float() + x[0, 0])
judged("lgamma", [torch.tensor([-2.589979648590088])],
       lambda x: torch.log(math.pi / (x * torch.sin(math.pi * x)).abs()) - torch.lgamma(-x),
       lambda x: torch.log(math.pi / (x * torch.sin(math.pi * x)).abs()) - torch.lgamma(-x).half())
judged("special_chebyshev_polynomial_t", [torch.tensor([0.0030269999988377094]), torch.tensor([7.3])],
       lambda x, n: -torch.cos(7 * (-x).acos()), lambda x, n: -torch.cos(7 * (-x).acos().half().float()))
judged("trunc", [torch.tensor([3.0, 1.5, -2.0])], torch.trunc, lambda x: x.trunc() - 0.005 * (x == x.trunc()))
judged("logcumsumexp", [torch.tensor([5958.6167 + 3647.1343j, 5238.9849 + 7231.0493j]), 0], None, None)

for back, groups in itertools.product((False, True), (1, 2)):
    x, w = torch.ones(3, 4, 5, 5), torch.ones(4, 6 // groups, 3, 3) if back else torch.ones(6, 4 // groups, 3, 3)
    y = (torch.conv_transpose2d if back else torch.conv2d)(x, w, groups=groups)
    a = [torch.ones_like(y), x, w, [6], [1, 1], [0, 0], [1, 1], back, [0, 0], groups, [True] * 3]
    print([int(g.max()) - oracle.gradient_terms(a, k) for k, g in enumerate(torch.ops.aten.convolution_backward(*a))])
