# SPDX-License-Identifier: Apache-2.0
"""The suite opinfo: the samples that PyTorch tests itself with, as case lines.

Every sample of every entry of op_db is run on the CPU, and every ATen call that it comes down to becomes a line of that
call's overload. A line cannot carry what a tensor holds, except for small ones, so each tensor gets the content that its
call needs: `data=` where the values themselves matter (indices, matrices of linalg, the exact bounds of something), else
a fill over the range that the sample had. Whether that is enough is tried at once: the call is made again with content
drawn from the line, and a line whose call then raises, gives another shape or is no longer finite is written again with
data, or left out. What is left out goes to a list of its own, with the reason: it is still part of what was asked.

    assay.opinfo --out FILE --left FILE [--dtypes f32,bf16] [--ops add,sub] [--samples N]

Written to standard output while it runs: "done total" after each entry.
"""
import argparse
import math
import random
import re
import sys
import types
import warnings
import zlib

import torch
from torch.utils._python_dispatch import TorchDispatchMode

DEFAULT_DTYPES = "f32,bf16,i64,c64"
SAMPLES = 30  # of one entry and dtype; a few have over a thousand that differ in a detail
ALIKE = 2  # lines that differ only in what their tensors hold
DATA_MAX = 1024  # elements that a line prints
INT_MAX = 2**63 - 1
EXACT = 2**53  # fills are made in double

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

# Arguments that say where, how many or in which order: no other value will do.
PLACES = re.compile(
    r"ind(ex|ices)|offset|length|target|boundaries|sorted_sequence|bins|repeats|batch_sizes|seq|mapping|sorter|pivots"
    r"|perm|bag|count|scatter_dim|size"
)
# Operators that need a matrix of some kind: regular, symmetric, triangular, positive definite.
MATRICES = re.compile(
    r"_?linalg_(?!vector_norm|cross|vander|diagonal)|_?cholesky|lu_|_lu_|triangular_solve|ormqr|orgqr|geqrf|lstsq"
    r"|matrix_exp|lobpcg|_?svd|inverse|_?slogdet|_?det$|qr$|pinverse"
)
# Whose second argument divides: integers must not hit the zero that the sample left out.
DIVIDERS = re.compile(r"(div|floor_divide|true_divide|remainder|fmod|__\w*div__|reciprocal|lcm|gcd)_?$")
# What they return is whatever the memory held.
EMPTY = re.compile(r"(new_)?empty(_like|_strided|_permuted|_quantized)?$|resize_?$|resize_as_?$|_resize_output_?$")
# With these a random operator draws nothing.
QUIET = {"dropout_p": 0.0, "training": False, "train": False}


UNSTEADY, UNDEFINED = "not deterministic", "parts of what it returns are undefined"


class LeftOut(Exception):
    """No line can be made of a call; the text is the reason."""


# --- text ---------------------------------------------------------------------------------------------------------


def text_of_complex(z):
    sign = "+" if math.copysign(1, z.imag) > 0 or math.isnan(z.imag) else ""
    return f"({z.real!r}{sign}{z.imag!r}j)"


def text_of_str(s):
    quote = '"' if "'" in s and '"' not in s else "'"
    out = []
    for c in s:
        if c in ("\\", quote):
            out.append("\\" + c)
        elif c in "\n\t\r":
            out.append({"\n": "\\n", "\t": "\\t", "\r": "\\r"}[c])
        else:
            out.append(c if c.isprintable() else "".join(f"\\x{b:02x}" for b in c.encode()))
    return quote + "".join(out) + quote


def text_of(x):
    """Of anything but a tensor."""
    if x is None or isinstance(x, bool):
        return str(x)
    if isinstance(x, int):
        if not -INT_MAX - 1 <= x <= INT_MAX:
            raise LeftOut("an int of more than 64 bits")
        return str(int(x))
    if isinstance(x, float):
        return repr(float(x))
    if isinstance(x, complex):
        return text_of_complex(x)
    if isinstance(x, str):
        return text_of_str(x)
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


def dense_strides(shape):
    out, n = [], 1
    for size in reversed(shape):
        out.append(n)
        n *= max(size, 1)
    return tuple(reversed(out))


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
    """Of texts."""
    positional = ", ".join(args) + ("," if len(args) == 1 else "")
    named = ", ".join(f"{text_of_str(k)}: {text}" for k, text in kwargs.items())
    return f"{name_of(func)}(({positional}), {{{named}}})"


def name_of(func):
    base = func._schema.name
    return f"{base}.{func._overloadname}" if func._overloadname != "default" else base


# --- content ------------------------------------------------------------------------------------------------------


class Content:
    """Of one tensor: its text, and how to make it again."""

    def __init__(self, text, draw=None, dense=False):
        self.text = text
        self.draw = draw  # n -> numbers for a storage of n; None: the values that are there
        self.dense = dense  # it is written without its strides

    def make(self, t):
        if self.draw is None:
            return t.clone() if self.dense else copy_of(t)
        return laid_out(self.draw(extent(t)), t)


def extent(t):
    return 1 + sum((n - 1) * s for n, s in zip(t.shape, t.stride())) if t.numel() else 0


def shares_storage(t):
    """Do two of its elements have one place?"""
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
    """A fill as Content: draw fills a double tensor of its own."""
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
    """To a twentieth of the width, so that like samples get like ranges. Never outside: that may be no longer defined."""
    width = (hi - lo) / 20
    if not (width > 0 and math.isfinite(width)):
        return lo, hi
    tens = 10.0 ** math.floor(math.log10(width))
    step = tens * max(k for k in (1, 2, 5) if k * tens <= width * 1.000001)
    digits = max(0, 1 - math.floor(math.log10(step)))
    a, b = round(math.ceil(lo / step) * step, digits), round(math.floor(hi / step) * step, digits)
    return (a + 0.0, b + 0.0) if lo <= a < b <= hi else (lo, hi)


def plain_values(t):
    """The stored numbers, flat; real and imaginary parts in turn."""
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
    """Indices and the like: the values, or what they have in common with a fill."""
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
    """Of a divisor: the side of zero where there is more room, if the sample had no zero."""
    lo, hi = (int(v) for v in torch.aminmax(values))
    if lo > 0 or hi < 0 or bool((values == 0).any()):
        return content
    return drawn(t, generator, integers(1, hi) if hi >= -lo else integers(lo, -1))


def content_of(t, arg, func, generator, exact, among_floats):
    """What a tensor of a call must hold."""
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


# --- a call -------------------------------------------------------------------------------------------------------


def tensors_in(x):
    if isinstance(x, torch.Tensor):
        yield x
    elif isinstance(x, (list, tuple)):
        for y in x:
            yield from tensors_in(y)
    elif isinstance(x, dict):
        for y in x.values():
            yield from tensors_in(y)


def check_tensor(t):
    if type(t) not in (torch.Tensor, torch.nn.Parameter):
        raise LeftOut(f"takes or gives a {type(t).__name__}")
    if t.is_quantized:
        raise LeftOut("needs quantised tensors")
    if t.layout != torch.strided:
        raise LeftOut("needs sparse tensors")
    if t.device.type != "cpu":
        raise LeftOut(f"needs the device {t.device.type}")
    if t.dtype not in DTYPES:
        raise LeftOut(f"a dtype that case lines do not have ({t.dtype})")


def is_random(func, args, kwargs):
    """Dropout that drops nothing is not."""
    if torch.Tag.nondeterministic_seeded not in func.tags:
        return False
    for i, a in enumerate(func._schema.arguments):
        value = args[i] if i < len(args) else kwargs.get(a.name, a.default_value)
        if QUIET.get(a.name, None) == value and value is not None:
            return False
    return True


def check_func(func, args, kwargs):
    schema = func._schema
    base = schema.name.partition("::")[2]
    if is_random(func, args, kwargs):
        raise LeftOut("random")
    if EMPTY.match(base):
        raise LeftOut("what it returns is undefined")
    if not schema.returns:
        raise LeftOut("returns nothing")


class Call:
    """One call of one overload, described before it is made: it may write to what it is given."""

    def __init__(self, func, args, kwargs):
        check_func(func, args, kwargs)
        for t in tensors_in((args, kwargs)):
            check_tensor(t)
        self.func, self.args, self.kwargs = func, args, kwargs
        self.generator = torch.Generator()
        self.among_floats = any(t.dtype.is_floating_point or t.is_complex() for t in tensors_in((args, kwargs)))
        self.names = [a.name for a in func._schema.arguments]
        self.outs = {a.name for a in func._schema.arguments if a.is_out}
        self.describe(exact=False)

    def describe(self, exact):
        """The line; if exact, with all that is there as data."""
        self.exact = exact
        args = [self.put(self.names[i], x) for i, x in enumerate(self.args)]
        kwargs = {k: self.put(k, x) for k, x in self.kwargs.items()}
        self.line = line_of(self.func, [a[0] for a in args], {k: a[0] for k, a in kwargs.items()})
        self.shape = line_of(self.func, [a[1] for a in args], {k: a[1] for k, a in kwargs.items()})
        self.again = [a[2] for a in args], {k: a[2] for k, a in kwargs.items()}

    def put(self, name, x):
        """A value's text, the same without what tensors hold, and a function that makes it again."""
        if isinstance(x, torch.Tensor):
            if name in self.outs:
                content = Content("")
            else:
                content = content_of(x, name, self.func, self.generator, self.exact, self.among_floats)
            layout = not content.dense
            return text_of_tensor(x, content.text, layout), text_of_tensor(x, "", layout), lambda: content.make(x)
        if isinstance(x, (list, tuple)):
            items = [self.put(name, y) for y in x]
            texts, shapes = (f"[{', '.join(item[k] for item in items)}]" for k in (0, 1))
            return texts, shapes, lambda: [make() for _, _, make in items]
        text = text_of(x)
        return text, text, lambda: x

    def make_again(self):
        """The inputs as the line gives them: other numbers each time that a line is read, the same for one line."""
        self.generator.manual_seed(zlib.crc32(self.line.encode()))
        args, kwargs = self.again
        return [make() for make in args], {k: make() for k, make in kwargs.items()}


def is_finite(result):
    return all(bool(torch.isfinite(t).all()) for t in tensors_in(result) if t.numel())


def looks_like(x, y):
    """Are these results of one call on two inputs?"""
    x, y = list(tensors_in(x)), list(tensors_in(y))
    return [(t.shape, t.dtype) for t in x] == [(t.shape, t.dtype) for t in y] and (is_finite(y) or not is_finite(x))


def same_bits(x, y):
    for a, b in zip(tensors_in(x), tensors_in(y)):
        if not torch.equal(torch.nan_to_num(plain_values(a)), torch.nan_to_num(plain_values(b))):
            return False
    return True


def has_undefined_parts(call, result):
    """Does it return memory that nobody wrote? Filled with NaN and the largest integers, that can be seen."""
    torch.use_deterministic_algorithms(True, warn_only=True)
    try:
        args, kwargs = call.make_again()
        filled = call.func(*args, **kwargs)
    finally:
        torch.use_deterministic_algorithms(False)
    for a, b in zip(tensors_in(result), tensors_in(filled)):
        a, b = plain_values(a), plain_values(b)
        if a.dtype.is_floating_point:
            seen = torch.isfinite(a) & ~torch.isfinite(b)
        elif a.dtype == torch.bool:
            continue
        else:
            seen = (b == torch.iinfo(b.dtype).max) & (a != b)
        if bool(seen.any()):
            return True
    return False


def try_line(call, result):
    """Does the line stand for its call? A function of the inputs gives one result, whatever was called before."""
    try:
        args, kwargs = call.make_again()
        first = call.func(*args, **kwargs)
    except Exception as e:
        if call.exact:
            raise LeftOut(f"raised when called again: {first_line(e)}") from None
        return False
    if not looks_like(result, first):
        if call.exact:
            raise LeftOut("gave another kind of result when called again")
        return False
    args, kwargs = call.make_again()
    if not same_bits(first, call.func(*args, **kwargs)):
        raise LeftOut(UNSTEADY)
    if has_undefined_parts(call, first):
        raise LeftOut(UNDEFINED)
    return True


def first_line(e):
    words = str(e).strip().split("\n")[0].replace("\t", " ")[:150]
    return f"{type(e).__name__}: {words}" if words else type(e).__name__


# --- all samples --------------------------------------------------------------------------------------------------


class Record(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.lines = {}  # overload -> {line: None}, in order of appearance
        self.left = {}  # overload -> {reason: calls}
        self.tried = {}  # a line as first described -> what became of it
        self.alike = {}  # a line without what its tensors hold -> those that were kept

    def leave(self, name, reason):
        reasons = self.left.setdefault(name, {})
        reasons[reason] = reasons.get(reason, 0) + 1

    def drop_unsteady(self):
        """What was caught once is not believed elsewhere: whether it is caught depends on what memory held."""
        for name, reasons in self.left.items():
            for reason in (UNSTEADY, UNDEFINED):
                if reason in reasons:
                    reasons[reason] = "some"
                    self.lines.pop(name, None)

    def keep(self, call, result):
        """The line under which the call is kept: with fills if that is enough."""
        for t in tensors_in(result):
            check_tensor(t)
        if not try_line(call, result):
            call.describe(exact=True)
            try_line(call, result)
        return call.line

    def take(self, call, result, before):
        """A call that was made: what becomes of it."""
        first, name = call.line, name_of(call.func)
        if first not in self.tried:
            if before:
                call.args, call.kwargs = before
                call.describe(exact=False)
            try:
                self.tried[first] = self.keep(call, result)
            except LeftOut as e:
                self.tried[first] = e
        kept = self.tried[first]
        if isinstance(kept, LeftOut):
            self.leave(name, str(kept))
            return
        self.lines.setdefault(name, {})[kept] = None
        self.alike.setdefault(call.shape, set()).add(first)

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        call, before = None, None
        try:
            call = Call(func, args, kwargs)
            if len(self.alike.get(call.shape, ())) >= ALIKE:
                call = None
            elif func._schema.is_mutable and call.line not in self.tried:
                before = kept_for_later(call)
        except LeftOut as e:
            self.leave(name_of(func), str(e))
        result = func(*args, **kwargs)
        if call:
            self.take(call, result, before)
        if EMPTY.match(func._schema.name.partition("::")[2]):  # or the next call would see other values each time
            for t in tensors_in(result):
                if t.layout == torch.strided and not t.is_quantized:
                    t.zero_()
        return result


def kept_for_later(call):
    """The arguments of a call that writes: a second look at them must find what they were."""

    def copy(x):
        if isinstance(x, torch.Tensor):
            return copy_of(x)
        return [copy(y) for y in x] if isinstance(x, (list, tuple)) else x

    return [copy(x) for x in call.args], {k: copy(x) for k, x in call.kwargs.items()}


def some_of(samples, most):
    """At most so many. Drawn: samples are loops over options, and every n-th would meet some of those always or never."""
    if len(samples) <= most:
        return samples
    return [samples[i] for i in sorted(random.Random(0).sample(range(len(samples)), most))]


def run_entry(record, entry, dtype, most):
    """All samples of one entry in one dtype; how many there were."""
    torch.manual_seed(0)
    random.seed(0)
    name = entry.name + (f".{entry.variant_test_name}" if entry.variant_test_name else "")
    try:
        samples = list(entry.sample_inputs("cpu", dtype, requires_grad=False))
    except Exception as e:
        record.leave(f"opinfo:{name}", f"its samples cannot be made: {first_line(e)}")
        return 0
    for sample in some_of(samples, most):
        torch.manual_seed(0)
        try:
            with record:
                entry(sample.input, *sample.args, **sample.kwargs)
        except Exception as e:
            record.leave(f"opinfo:{name}", f"a sample raised: {first_line(e)}")
    return len(samples)


def import_entries():
    """op_db belongs to PyTorch's tests, which want a package that is not needed for samples."""
    try:
        import expecttest  # noqa: F401
    except ImportError:
        stand_in = types.ModuleType("expecttest")
        stand_in.TestCase = type("TestCase", (), {})
        sys.modules["expecttest"] = stand_in
    # Seeds for devices that are not there are put by, each with a stack trace: it would be half of the time.
    torch.manual_seed = torch.default_generator.manual_seed
    from torch.testing._internal import common_utils
    from torch.testing._internal.common_methods_invocations import op_db
    from torch.testing._internal.opinfo import core

    # A unit test is looked for along the stack, in sources, again and again: most of the rest. There is none.
    for module in (common_utils, core):
        if hasattr(module, "extract_test_fn"):
            module.extract_test_fn = lambda: None
    return op_db


def run_all(entries, dtypes, most):
    record, cut = Record(), []
    for done, entry in enumerate(entries):
        for dtype in dtypes:
            if not entry.supports_dtype(dtype, "cpu"):
                continue
            n = run_entry(record, entry, dtype, most)
            if n > most:
                cut.append(f"{entry.name} {DTYPES[dtype]} {n}")
        print(done + 1, len(entries), flush=True)
    record.drop_unsteady()
    return record, cut


# --- files --------------------------------------------------------------------------------------------------------


def write_suite(path, record, cut, args):
    cases = sum(map(len, record.lines.values()))
    with open(path, "w") as f:
        print("# opinfo: the samples PyTorch tests itself with, made by assay", file=f)
        print(f"# torch {torch.__version__}, dtypes {args.dtypes}{', entries ' + args.ops if args.ops else ''}", file=f)
        print(f"# {len(record.lines)} overloads, {cases} cases", file=f)
        print(f"# of lines that differ only in what their tensors hold, {ALIKE}", file=f)
        print(f"# at most {args.samples} samples of an entry and dtype, drawn; these had more:", file=f)
        for line in cut:
            print(f"#   {line}", file=f)
        for name in sorted(record.lines):
            for line in record.lines[name]:
                print(line, file=f)


def write_left(path, record):
    with open(path, "w") as f:
        print("# what is not in the suite: operator, cases it has all the same, calls left out, reason", file=f)
        for name in sorted(record.left):
            for reason, calls in record.left[name].items():
                print(name, len(record.lines.get(name, ())), calls, reason, sep="\t", file=f)


def main(argv):
    p = argparse.ArgumentParser(prog="assay.opinfo")
    p.add_argument("--out", required=True)
    p.add_argument("--left", required=True)
    p.add_argument("--dtypes", default=DEFAULT_DTYPES)
    p.add_argument("--ops", default="")
    p.add_argument("--samples", type=int, default=SAMPLES)
    args = p.parse_args(argv)
    by_name = {short: dtype for dtype, short in DTYPES.items()}
    unknown = [d for d in args.dtypes.split(",") if d not in by_name]
    if unknown:
        sys.exit(f"there is no dtype {unknown[0]}")
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    entries = import_entries()
    wanted = {name for name in args.ops.split(",") if name}
    entries = [e for e in entries if not wanted or e.name in wanted]
    missing = wanted - {e.name for e in entries}
    if missing:
        sys.exit(f"there is no entry {sorted(missing)[0]} in op_db")
    record, cut = run_all(entries, [by_name[d] for d in args.dtypes.split(",")], args.samples)
    write_left(args.left, record)
    write_suite(args.out, record, cut, args)
