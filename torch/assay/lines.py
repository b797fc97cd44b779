# SPDX-License-Identifier: Apache-2.0
"""Writes a call of torch as a case line (docs/case-lines.md), in the one form that assay prints.

The content of most tensors is left to the operator. Integers and bools are different: they are
indices, lengths and masks, and with other values the call may be invalid. Few of them are written
out (data=). Of many only the range is kept, or what they index if the operator makes that clear
(fill=).
"""
import functools
import math

import torch

DTYPES = {
    getattr(torch, name): short
    for name, short in [
        ("bool", "b8"), ("uint8", "u8"), ("int8", "i8"), ("int16", "i16"), ("int32", "i32"), ("int64", "i64"),
        ("float16", "f16"), ("bfloat16", "bf16"), ("float32", "f32"), ("float64", "f64"),
        ("complex32", "c32"), ("complex64", "c64"), ("complex128", "c128"),
        ("float8_e4m3fn", "f8e4m3fn"), ("float8_e5m2", "f8e5m2"),
    ]
    if hasattr(torch, name)
}
LINE_MAX, DIM_MAX = 1 << 20, 16
FEW = 16  # most integers that are written out
SOME = 256  # as FEW, if no range can replace them
ALIGNED = 64  # bytes


class Unprintable(Exception):
    """No line can describe the call; the text says why."""


# --- values -----------------------------------------------------------------------------------------------------


def text(s):
    quote = '"' if "'" in s and '"' not in s else "'"
    plain = {"\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r", quote: "\\" + quote}
    if "\0" in s:
        raise Unprintable("a string with a NUL")
    body = "".join(plain.get(c) or (f"\\x{ord(c):02x}" if ord(c) < 32 or ord(c) == 127 else c) for c in s)
    return quote + body + quote


def integer(x):
    if not -(1 << 63) <= x < 1 << 63:
        raise Unprintable("an integer of more than 64 bits")
    return str(x)


def number(x):
    """Returns the text of a bool, int, float or complex."""
    if isinstance(x, bool):
        return str(x)
    if isinstance(x, int):
        return integer(int(x))
    if isinstance(x, float):
        return repr(float(x))
    sign = "" if math.copysign(1, x.imag) < 0 and not math.isnan(x.imag) else "+"
    return f"({float(x.real)!r}{sign}{float(x.imag)!r}j)"


def listed(words):
    return "[" + ", ".join(words) + "]"


SYMBOLIC = {torch.SymInt: int, torch.SymFloat: float, torch.SymBool: bool}


def value(x, tensor):
    """Returns the text of a value. tensor: a function that returns the text of a tensor."""
    if isinstance(x, torch.Tensor):
        return tensor(x)
    if isinstance(x, (list, tuple)):
        return listed(value(y, tensor) for y in x)
    if x is None or isinstance(x, torch.Generator):  # a case has no generator's state
        return "None"
    if isinstance(x, torch.dtype):
        if x not in DTYPES:
            raise Unprintable(f"the dtype {x}")
        return DTYPES[x]
    if isinstance(x, torch.device):
        return f"torch.device({text(str(x))})"
    if isinstance(x, (torch.layout, torch.memory_format)):
        return str(x)
    if type(x) in SYMBOLIC:
        x = SYMBOLIC[type(x)](x)
    if isinstance(x, (int, float, complex)):
        return number(x)
    if isinstance(x, str):
        return text(x)
    raise Unprintable(f"an argument of class {type(x).__name__}")


# --- what is known of an operator -------------------------------------------------------------------------------


def along_dim(call, _):
    self, dim = call["self"], call["dim"]
    return self.shape[dim] if self.dim() else 1


def classes(call, _):
    return call["self"].shape[1 if call["self"].dim() > 1 else 0]


def place(call, k):
    """Returns the size of the dimension that the k-th of several indices applies to. A mask uses as
    many dimensions as it has."""
    before = call["indices"][:k]
    at = sum(x.dim() if x is not None and x.dtype in (torch.bool, torch.uint8) else 1 for x in before)
    return call["self"].shape[at]


def last(n):
    return lambda call, _: math.prod(call["self"].shape[-n:])


# (names without leading and trailing underscores, the argument, the number of things that its
# integers may name)
INDEXED = [
    ("gather scatter scatter_add scatter_reduce index_select index_add index_copy index_fill index_reduce", "index",
     along_dim),
    ("embedding embedding_bag embedding_bag_forward_only", "indices", lambda call, _: call["weight"].shape[0]),
    ("embedding_renorm", "indices", lambda call, _: call["self"].shape[0]),
    ("embedding_dense_backward", "indices", lambda call, _: call["num_weights"]),
    ("index unsafe_index index_put index_put_impl unsafe_index_put", "indices", place),
    ("nll_loss nll_loss_forward nll_loss_backward nll_loss2d nll_loss2d_forward nll_loss2d_backward multi_margin_loss",
     "target", classes),
    ("take put", "index", lambda call, _: call["self"].numel()),
    ("max_pool2d_with_indices_backward", "indices", last(2)),
    ("max_pool3d_with_indices_backward", "indices", last(3)),
    ("max_unpool2d max_unpool3d", "indices", lambda call, _: math.prod(call["output_size"])),
]
LIMITS = {(base, arg): f for bases, arg, f in INDEXED for base in bases.split()}
# The one argument of these operators whose integers matter; those in other arguments are data.
MATTERS = {base: arg for base, arg in LIMITS}
MATTERS.update(dict.fromkeys(["masked_fill", "masked_scatter", "masked_select"], "mask"), where="condition")
# If an index occurred twice here, its element would be written twice in no order: the integers must
# be different.
DISTINCT = {"scatter", "index_copy", "index_put", "index_put_impl", "unsafe_index_put", "put"}
# A mask here selects a number of places: the catalogue has a fill for that.
COUNTED = {"aten::index", "aten::index_put_", "aten::_index_put_impl_"}
# Arguments whose integers must match a size elsewhere in the call.
EXACT = {"repeats", "lengths", "offsets", "input_lengths", "target_lengths", "offs", "cum_seq_q", "cum_seq_k"}
# Operators that copy integers, move them or calculate with them: any values will do.
ANY = set("""clone copy empty_like to_copy zeros_like ones_like full_like rand_like randn_like randint_like new_empty
    new_empty_strided new_full new_ones new_zeros cat stack repeat roll flip tril triu is_same_size resize
    constant_pad_nd lift_fresh local_scalar_dense add sub rsub mul neg abs sum cumsum max min amax amin
    argmax argmin maximum minimum clamp sort eq ne lt le gt ge any all isin bitwise_and bitwise_or bitwise_xor
    bitwise_not logical_and logical_or
    logical_xor logical_not fill zero""".split())
# In place, these operators do not read `self`.
WRITERS = set("copy fill zero random uniform normal bernoulli exponential geometric cauchy log_normal set".split())


class Known:
    """What the schema says about an operator."""

    def __init__(self, name):
        base, _, overload = name.partition(".")
        self.name = base
        self.base = base.split("::")[-1].strip("_")
        self.args, self.outs, self.view = [], set(), False
        try:
            schema = torch._C._get_schema(base, "" if overload == "default" else overload)
        except RuntimeError:
            # perhaps an operator of the kernel's: its line is valid, but nothing is known of its
            # arguments
            return
        self.args = [a.name for a in schema.arguments]
        self.outs = {a.name for a in schema.arguments if a.is_out}
        if base.endswith("_") and self.base in WRITERS:
            self.outs.add("self")
        self.view = any(r.alias_info is not None and not r.alias_info.is_write for r in schema.returns)


known = functools.lru_cache(None)(Known)


# --- tensors ----------------------------------------------------------------------------------------------------


def overlaps(x):
    """Returns whether elements share storage, or may do so."""
    reach = 1
    for stride, size in sorted((st, n) for st, n in zip(x.stride(), x.shape) if n > 1):
        if stride < reach:
            return x.numel() > 1
        reach = stride * (size - 1) + reach
    return False


def written_out(x):
    return ", data=" + listed(number(v) for v in x.detach().reshape(-1).tolist())


def some_bools(x, few, counted):
    """Returns fill= or data= of a bool tensor. counted: a fill exists that sets exactly this number
    of places."""
    n, true = x.numel(), int(x.sum())
    if few:
        return written_out(x)
    if true in (0, n):
        return ", fill=ones" if true else ", fill=zeros"
    if counted:
        return f", fill=mask({true})"
    share = true / n
    step = 10 if share >= 0.1 else 1000
    return f", fill=bool({max(math.floor(share * step), 1) / step!r})"


def some_integers(x, few, limit, distinct):
    if few:
        return written_out(x)
    if limit is not None:
        if distinct and x.dim() == 1 and limit >= x.numel() and x.unique().numel() == x.numel():
            return f", fill=perm({limit})"
        return f", fill=index({max(limit, 1)})"
    low, high = int(x.min()), int(x.max())
    if max(abs(low), abs(high)) >= 1 << 53:
        return ""
    if low == high:
        return {0: ", fill=zeros", 1: ", fill=ones"}.get(low, f", fill=const({low})")
    return f", fill=int({low}, {high})"


def content(x, known, call, arg, k):
    """Returns fill= or data= of an integer or bool tensor, which is argument `arg` or the k-th of
    its list."""
    if x.dtype.is_floating_point or x.dtype.is_complex or not x.numel():
        return ""
    if known.view or known.base in ANY or arg in known.outs:
        return ""
    if MATTERS.get(known.base, arg) != arg and arg not in EXACT:
        return ""
    limit = LIMITS.get((known.base, arg))
    distinct = known.base in DISTINCT and not call.get("accumulate") and limit is not None
    few = x.numel() <= (SOME if distinct or arg in EXACT else FEW) and not overlaps(x)
    if x.dtype == torch.bool:
        return some_bools(x, few, known.name in COUNTED)
    return some_integers(x, few, limit and limit(call, k), distinct)


def tensor(x, words):
    """Returns the text of a tensor. words: a function that returns its fill= or data=."""
    if type(x).__torch_dispatch__ is not torch.Tensor.__torch_dispatch__:
        raise Unprintable(f"a tensor of class {type(x).__name__}")
    if x.layout != torch.strided or x.is_nested or x.is_meta:
        raise Unprintable(f"a {'nested' if x.is_nested else 'meta' if x.is_meta else x.layout} tensor")
    if x.dtype not in DTYPES or x.dim() > DIM_MAX:
        raise Unprintable(f"a tensor of {x.dim()} dimensions" if x.dtype in DTYPES else f"the dtype {x.dtype}")
    s = f"T({listed(map(str, x.shape))}, {DTYPES[x.dtype]}"
    if not x.is_contiguous():
        s += f", stride=({', '.join(map(str, x.stride()))}{',' if x.dim() == 1 else ''})"
    # Memory before the first element is not part of the call, but the first element's alignment is.
    offset = x.storage_offset() % (ALIGNED // x.element_size())
    if offset and x.numel():
        s += f", offset={offset}"
    said = words(x)
    # data= has the values after negation
    neg = x.is_neg() and (x.is_floating_point() or x.is_complex()) and "data=" not in said
    return s + said + (", conj=True" if x.is_conj() else "") + (", neg=True" if neg else "") + ")"


def line(name, args, kwargs=None, data=None):
    """Returns the call of `name` ("aten::add.Tensor", "aten.add.Tensor") as a line, or raises
    Unprintable.

    data: tensors whose values are written out in any case: a set, or a function that tells."""
    if "::" not in name:
        name = name.replace(".", "::", 1)
    ns, _, rest = name.partition("::")
    base, _, overload = rest.partition(".")
    about = known(name)
    call = dict(zip(about.args, args), **(kwargs or {}))
    chosen = data if callable(data) else (data or set()).__contains__

    def argument(arg, x):
        def words(t):
            if t.numel() and chosen(t) and not overlaps(t):
                return written_out(t)
            return content(t, about, call, arg, next((i for i, y in enumerate(x) if y is t), 0) if x is not t else 0)

        return value(x, lambda t: tensor(t, words))

    with torch._C.DisableTorchFunctionSubclass():
        positions = [argument(about.args[i] if i < len(about.args) else "", x) for i, x in enumerate(args)]
        named = ", ".join(f"{text(key)}: {argument(key, x)}" for key, x in (kwargs or {}).items())
    s = f"{ns}::{base}{'.' + overload if overload not in ('', 'default') else ''}"
    s += f"(({', '.join(positions)}{',' if len(positions) == 1 else ''}), {{{named}}})"
    if len(s.encode()) > LINE_MAX:
        raise Unprintable("a line of more than a mebibyte")
    return s
