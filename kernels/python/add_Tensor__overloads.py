# due: PASS
"""Every overload of the file, all of them made of one helper that takes arguments in whatever form they come."""
import torch


def total(x, y, alpha, out=None):
    kind = torch.result_type(x, y) if out is None else out.dtype
    between = torch.result_type(x, y)
    wide = torch.float32 if between in (torch.float16, torch.bfloat16) else between
    x, y = (v if isinstance(v, torch.Tensor) else torch.as_tensor(v, dtype=wide) for v in (x, y))
    if between == torch.bool:
        value = torch.logical_or(x, y) if alpha else torch.logical_or(x, torch.zeros_like(y))
    else:
        value = x.to(wide) - y.to(wide) * -alpha
    return value.to(kind) if out is None else out.copy_(value)


def add_Tensor(self, other, **kwargs):
    return total(self, other, kwargs.get("alpha", 1))


def add_Scalar(self, *args):
    return total(self, args[0], *(args[1:] or (1,)))


def add_out(self, other, alpha=1, out=None):
    return total(self, other, alpha, out)


def add_Scalar_out(self, other, alpha=1, *, out):
    return total(self, other, alpha, out)


def add__Tensor(self, other, alpha=1):
    return total(self, other, alpha, self)


def add__Scalar(*args, **kwargs):
    return total(*args, *(() if len(args) > 2 else (kwargs.get("alpha", 1),)), args[0])
