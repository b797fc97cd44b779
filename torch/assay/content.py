# SPDX-License-Identifier: Apache-2.0
"""Describes what the tensors of a call hold as text for a case line (docs/case-lines.md), and makes
such tensors again from it.

The text has either the values themselves, or a fill that keeps what the call needs of them: their
range, their order, that they are integers.
"""
import math
import re

import torch

from assay.lines import DTYPES, Unprintable, number, text

DATA_MAX = 1024  # most elements that a line prints
EXACT = 2**53  # fills are made in double, which is exact up to here

# Arguments that say where, how many or in which order: no other values will do.
PLACES = re.compile(
    r"ind(ex|ices)|offset|length|target|boundaries|sorted_sequence|bins|repeats|batch_sizes|seq|mapping|sorter|pivots"
    r"|perm|bag|count|size"
)
# Operators that need a certain kind of matrix: regular, symmetric, triangular, positive definite.
MATRICES = re.compile(
    r"_?linalg_(?!vector_norm|cross|vander|diagonal)|_?cholesky|lu_|_lu_|triangular_solve|ormqr|orgqr|geqrf|lstsq"
    r"|matrix_exp|lobpcg|_?svd|inverse|_?slogdet|_?det$|qr$|pinverse"
)
# Operators whose second argument divides: integers must not be zero if the sample had no zero.
DIVIDERS = re.compile(r"(div|floor_divide|true_divide|remainder|fmod|__\w*div__)_?$")


class LeftOut(Exception):
    """A call cannot be written as a line; the text is the reason."""


# --- text ---------------------------------------------------------------------------------------------------------


def text_of(x):
    """Returns the text of any value but a tensor."""
    try:
        if isinstance(x, (bool, int, float, complex)):
            return number(x)
        if isinstance(x, str):
            return text(x)
    except Unprintable as e:
        raise LeftOut(str(e)) from None
    if x is None:
        return "None"
    if isinstance(x, torch.dtype):
        if x not in DTYPES:
            raise LeftOut(f"a dtype that case lines do not have ({x})")
        return DTYPES[x]
    if isinstance(x, (torch.layout, torch.memory_format)):
        return str(x)
    if isinstance(x, torch.device):
        return f"torch.device('{x}')"
    if isinstance(x, torch.Generator):
        raise LeftOut("takes a generator")
    raise LeftOut(f"takes a {type(x).__name__}")


def text_of_layout(t):
    text = ""
    if t.dim() and t.numel() and not t.is_contiguous():
        text = f", stride=({', '.join(map(str, t.stride()))}{',' if t.dim() == 1 else ''})"
    if t.storage_offset() and t.numel():
        text += f", offset={t.storage_offset()}"
    return text


def text_of_tensor(t, content, layout=True):
    flags = ", conj=True" if t.is_conj() else ""
    return f"T({list(t.shape)}, {DTYPES[t.dtype]}{text_of_layout(t) if layout else ''}{content}{flags})"


def line_of(func, args, kwargs):
    """Returns the case line; args and kwargs are texts."""
    positional = ", ".join(args) + ("," if len(args) == 1 else "")
    named = ", ".join(f"{text_of(k)}: {value}" for k, value in kwargs.items())
    return f"{name_of(func)}(({positional}), {{{named}}})"


def name_of(func):
    base = func._schema.name
    return f"{base}.{func._overloadname}" if func._overloadname != "default" else base


# --- content ------------------------------------------------------------------------------------------------------


class Content:
    """The content of one tensor: its text, and how to make it again."""

    def __init__(self, text, draw=None, dense=False):
        self.text = text
        self.draw = draw  # n -> numbers for a storage of n; None: the present values
        self.dense = dense  # true: the text has no strides

    def make(self, t):
        if self.draw is None:
            return t.clone() if self.dense else copy_of(t)
        return laid_out(self.draw(extent(t)), t)


def extent(t):
    return 1 + sum((n - 1) * s for n, s in zip(t.shape, t.stride())) if t.numel() else 0


def shares_storage(t):
    """Returns whether two of its elements share memory."""
    end = 0
    for stride, n in sorted((s, n) for n, s in zip(t.shape, t.stride()) if n > 1):
        if stride <= end:
            return True
        end += (n - 1) * stride
    return False


def laid_out(numbers, t):
    if t.is_complex():
        numbers = torch.view_as_complex(numbers.view(-1, 2))
    x = numbers.to(t.dtype).as_strided(t.shape, t.stride())
    return x.conj() if t.is_conj() else x


def copy_of(t):
    if shares_storage(t):
        return t
    x = torch.zeros(extent(t), dtype=t.dtype).as_strided(t.shape, t.stride())
    plain = t.conj() if t.is_conj() else t
    x.copy_(plain)
    return x.conj() if t.is_conj() else x


def drawn(t, generator, draw):
    """Returns a fill as Content. draw: (text, function that fills a double tensor)."""
    text, fill = draw
    parts = 2 if t.is_complex() else 1
    return Content(f", fill={text}", lambda n: fill(torch.empty(n * parts, dtype=torch.float64), generator))


def uniform(lo, hi):
    return f"uniform({lo!r}, {hi!r})", lambda x, g: x.uniform_(lo, hi, generator=g)


def integers(lo, hi):
    return f"int({lo}, {hi})", lambda x, g: x.copy_(torch.randint(lo, hi + 1, x.shape, generator=g))


def constant(v):
    text = {0: "zeros", 1: "ones"}.get(v if math.copysign(1, v) > 0 else None, f"const({v!r})")
    return text, lambda x, g: x.fill_(v)


def truth(p):
    return f"bool({p!r})", lambda x, g: x.copy_(torch.rand(x.shape, generator=g) < p)


def increasing(lo, hi):
    def fill(x, g):
        n = x.numel()
        return x.copy_(lo + (hi - lo) * (torch.arange(n) + torch.rand(n, generator=g, dtype=torch.float64)) / n)

    return f"sorted({lo!r}, {hi!r})", fill


def shuffled():
    return "perm", lambda x, g: x.copy_(torch.randperm(x.numel(), generator=g))


def rounded_inward(lo, hi):
    """Rounds the range to a twentieth of its width, so that similar samples get equal ranges. Never
    outwards, where the operator may be undefined."""
    width = (hi - lo) / 20
    if not (width > 0 and math.isfinite(width)):
        return lo, hi
    tens = 10.0 ** math.floor(math.log10(width))
    step = tens * max(k for k in (1, 2, 5) if k * tens <= width * 1.000001)
    digits = max(0, 1 - math.floor(math.log10(step)))
    a, b = round(math.ceil(lo / step) * step, digits), round(math.floor(hi / step) * step, digits)
    return (a + 0.0, b + 0.0) if lo <= a < b <= hi else (lo, hi)


def plain_values(t):
    """Returns the stored numbers, flat; real and imaginary parts alternate."""
    x = t.conj() if t.is_conj() else t
    x = x.resolve_neg()
    if x.is_complex():
        x = torch.view_as_real(x.contiguous())
    return x.reshape(-1)


def as_data(t):
    if t.numel() > DATA_MAX:
        raise LeftOut(f"its values matter, and a tensor of more than {DATA_MAX} elements cannot be printed")
    dense = shares_storage(t) or t.is_neg()
    numbers = (t.conj() if t.is_conj() else t).resolve_neg().reshape(-1).tolist()
    return Content(f", data=[{', '.join(map(text_of, numbers))}]", None, dense)


def of_integers(t, values, generator):
    lo, hi = (int(v) for v in torch.aminmax(values))
    if lo == hi:
        return drawn(t, generator, constant(lo))
    if not -EXACT < lo <= hi < EXACT:
        return as_data(t)
    return drawn(t, generator, integers(lo, hi))


def of_places(t, values, generator):
    """Returns the content of indices and similar: the values, or the fill that has their
    properties."""
    if t.numel() <= DATA_MAX:
        return as_data(t)
    n = values.numel()
    if values.dtype.is_floating_point or shares_storage(t):
        raise LeftOut(f"its values matter, and a tensor of more than {DATA_MAX} elements cannot be printed")
    lo, hi = (int(v) for v in torch.aminmax(values))
    if lo == 0 and hi == n - 1 and values.unique().numel() == n:
        return drawn(t, generator, shuffled())
    if bool((values[1:] >= values[:-1]).all()):
        return drawn(t, generator, increasing(float(lo), float(hi)))
    return drawn(t, generator, integers(lo, hi))


def of_floats(t, values, generator):
    if not bool(torch.isfinite(values).all()):
        return as_data(t)
    if values.dtype not in (torch.float32, torch.float64):
        values = values.double()
    lo, hi = (float(v) for v in torch.aminmax(values))
    if lo == hi:
        return drawn(t, generator, constant(lo))
    if t.numel() > 2 and not t.is_complex() and not shares_storage(t):
        if t.dim() == 1 and bool((values[1:] >= values[:-1]).all()):
            return drawn(t, generator, increasing(lo, hi))
        if lo == 0 and hi == t.numel() - 1 and values.unique().numel() == t.numel():
            return drawn(t, generator, shuffled())
    if -EXACT < lo and hi < EXACT and bool((values == values.floor()).all()):
        return drawn(t, generator, integers(int(lo), int(hi)))
    return drawn(t, generator, uniform(*rounded_inward(lo, hi)))


def without_zero(content, t, values, generator):
    """Returns the content of a divisor: on the side of zero that has the wider range, if the sample
    had no zero."""
    lo, hi = (int(v) for v in torch.aminmax(values))
    if lo > 0 or hi < 0 or bool((values == 0).any()):
        return content
    return drawn(t, generator, integers(1, hi) if hi >= -lo else integers(lo, -1))


def content_of(t, arg, func, generator, exact, among_floats):
    """Returns the content that a tensor of a call must have."""
    base = func._schema.name.partition("::")[2]
    if not t.numel():
        return Content("")
    if exact or t.numel() == 1 or MATRICES.match(base):
        return as_data(t)
    values = plain_values(t)
    if t.dtype == torch.bool:
        p = round(float(values.double().mean()), 1)
        one_sided = bool(values.all()) or not bool(values.any())
        return drawn(t, generator, constant(int(values[0])) if one_sided else truth(min(max(p, 0.1), 0.9)))
    whole = not t.dtype.is_floating_point and not t.is_complex()
    if PLACES.search(arg) and (whole or "target" not in arg) or whole and among_floats:
        return of_places(t, values, generator)
    if whole:
        content = of_integers(t, values, generator)
        return without_zero(content, t, values, generator) if DIVIDERS.match(base) and arg != "self" else content
    return of_floats(t, values, generator)
