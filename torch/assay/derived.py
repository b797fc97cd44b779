# SPDX-License-Identifier: Apache-2.0
"""Derives forms that a kernel does not define. Its functional form is called, and what that returns
is copied to where the out= or in-place form writes."""
import inspect

import torch

COPY = torch.ops.aten.copy_.default._op  # taken at import, before a kernel could replace it


class BadResult(Exception):
    """What a function returned is no result of its operator. The text is for the kernel's author."""


def copy_result(to, x):
    if type(x) is not torch.Tensor:
        raise BadResult(f"returned a {type(x).__name__} where a tensor is due")
    if x.shape != to.shape or not torch.can_cast(x.dtype, to.dtype):
        raise BadResult(f"returned {list(x.shape)} of {x.dtype} where {list(to.shape)} of {to.dtype} is due")
    COPY(to, x)


def written(about):
    """Returns the indices of the arguments that the form writes. None: the form cannot be derived,
    because it writes a list of tensors or returns them in another order."""
    args = about["args"]
    found = [i for i, a in enumerate(args) if a["type"]["written"]]
    if [r["arg"] for r in about["rets"]] != found or any(args[i]["type"]["list"] for i in found):
        return None
    return found


def call_functional(about, function, targets):
    """Returns a function with the form's arguments that calls the functional form without the
    arguments that only out= has."""
    args = [about["args"][i] for i in targets]
    outs = [a["name"] for a in args if a["kwonly"]]

    def call(*args, **kwargs):
        return function(*args, **{k: v for k, v in kwargs.items() if k not in outs})

    try:
        signature = inspect.signature(function)
        extra = [inspect.Parameter(n, inspect.Parameter.KEYWORD_ONLY) for n in outs]
        call.__signature__ = signature.replace(parameters=[*signature.parameters.values(), *extra])
    except (TypeError, ValueError):
        pass  # the caller goes without a signature
    return call


def deliver(value, targets):
    """Copies what the functional form returned to the tensors that the form writes. Returns what the form returns."""
    values = [value] if len(targets) == 1 else value
    if not isinstance(values, (list, tuple)) or len(values) != len(targets):
        raise BadResult(f"returned {type(value).__name__} where {len(targets)} results are due")
    for to, x in zip(targets, values):
        copy_result(to, x)
    return targets[0] if len(targets) == 1 else tuple(targets)
