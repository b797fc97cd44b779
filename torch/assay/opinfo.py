# SPDX-License-Identifier: Apache-2.0
"""The suite opinfo: the samples that PyTorch tests itself with, as case lines.

Every sample of every entry of op_db is run on the CPU, and every ATen call in it becomes a line of
that call's overload. A line cannot have the content of a large tensor. So each tensor gets the
content that its call needs: `data=` if the values themselves matter (indices, matrices of linalg,
exact bounds), else a fill over the sample's range. That is tested at once: the call is made again
with content drawn from the line. If that call raises an exception, has another shape or is no
longer finite, the line is written again with data, or left out. A second file lists what is left
out with the reason, because it is still a part of PyTorch's samples.

    assay.opinfo --out FILE --left FILE [--dtypes f32,bf16] [--ops add,sub] [--samples N]

While it runs, it prints "done total" to standard output after each entry.
"""
import argparse
import random
import re
import sys
import types
import warnings
import zlib

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from assay.content import DTYPES, Content, LeftOut, content_of, copy_of, line_of, name_of, plain_values, text_of
from assay.content import text_of_tensor

DEFAULT_DTYPES = "f32,bf16,i64,c64"
SAMPLES = 30  # of one entry and dtype; some have over a thousand, which differ in details
ALIKE = 2  # most lines that differ only in the content of tensors
# Operators that return uninitialized memory.
EMPTY = re.compile(r"(new_)?empty(_like|_strided|_permuted|_quantized)?$|resize_?$|resize_as_?$|_resize_output_?$")
# With these arguments a random operator is deterministic.
QUIET = {"dropout_p": 0.0, "training": False, "train": False}
UNSTEADY, UNDEFINED = "not deterministic", "parts of what it returns are undefined"


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
    """Returns whether the call is random. Dropout that drops nothing is not."""
    if torch.Tag.nondeterministic_seeded not in func.tags:
        return False
    for i, a in enumerate(func._schema.arguments):
        value = args[i] if i < len(args) else kwargs.get(a.name, a.default_value)
        if QUIET.get(a.name, None) == value and value is not None:
            return False
    return True


def check_func(func, args, kwargs):
    schema = func._schema
    namespace, _, base = schema.name.partition("::")
    if namespace != "aten":  # torch has no schema for operators that it defines in Python
        raise LeftOut(f"no operator of aten but of {namespace}")
    if is_random(func, args, kwargs):
        raise LeftOut("random")
    if EMPTY.match(base):
        raise LeftOut("what it returns is undefined")
    if not schema.returns:
        raise LeftOut("returns nothing")


class Call:
    """One call of one overload. It is described before it is made, because it may write to its
    arguments."""

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
        """Makes the line; if exact, with all content as data."""
        self.exact = exact
        args = [self.put(self.names[i], x) for i, x in enumerate(self.args)]
        kwargs = {k: self.put(k, x) for k, x in self.kwargs.items()}
        self.line = line_of(self.func, [a[0] for a in args], {k: a[0] for k, a in kwargs.items()})
        self.shape = line_of(self.func, [a[1] for a in args], {k: a[1] for k, a in kwargs.items()})
        self.again = [a[2] for a in args], {k: a[2] for k, a in kwargs.items()}

    def put(self, name, x):
        """Returns a value's text, its text without the content of tensors, and a function that
        makes it again."""
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
        """Makes the inputs from the line. One line always gives the same numbers; another line
        gives others."""
        self.generator.manual_seed(zlib.crc32(self.line.encode()))
        args, kwargs = self.again
        return [make() for make in args], {k: make() for k, make in kwargs.items()}


def is_finite(result):
    return all(bool(torch.isfinite(t).all()) for t in tensors_in(result) if t.numel())


def looks_like(x, y):
    """Returns whether these can be results of one call on two inputs."""
    x, y = list(tensors_in(x)), list(tensors_in(y))
    return [(t.shape, t.dtype) for t in x] == [(t.shape, t.dtype) for t in y] and (is_finite(y) or not is_finite(x))


def same_bits(x, y):
    for a, b in zip(tensors_in(x), tensors_in(y)):
        if not torch.equal(torch.nan_to_num(plain_values(a)), torch.nan_to_num(plain_values(b))):
            return False
    return True


def has_undefined_parts(call, result):
    """Returns whether the result has uninitialized memory. torch fills such memory with NaN and the
    largest integers here, which are found in the result."""
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
    """Returns whether the line can represent its call. The call must also be deterministic: the
    same inputs must give the same result, whatever was called before."""
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
        # a line as first described -> the line that was kept, or why it was left out
        self.tried = {}
        self.alike = {}  # a line without the content of tensors -> its lines that were kept

    def leave(self, name, reason):
        reasons = self.left.setdefault(name, {})
        reasons[reason] = reasons.get(reason, 0) + 1

    def drop_unsteady(self):
        """Drops an overload altogether if one of its calls was not deterministic or had undefined
        parts: whether that is noticed depends on what memory held."""
        for name, reasons in self.left.items():
            for reason in (UNSTEADY, UNDEFINED):
                if reason in reasons:
                    reasons[reason] = "some"
                    self.lines.pop(name, None)

    def keep(self, call, result):
        """Returns the line under which the call is kept: with fills if these suffice."""
        for t in tensors_in(result):
            check_tensor(t)
        if not try_line(call, result):
            call.describe(exact=True)
            try_line(call, result)
        return call.line

    def take(self, call, result, before):
        """Decides whether a call that was made is kept or left out."""
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
        # otherwise the next call would see other values each time
        if EMPTY.match(func._schema.name.partition("::")[2]):
            for t in tensors_in(result):
                if t.layout == torch.strided and not t.is_quantized:
                    t.zero_()
        return result


def kept_for_later(call):
    """Copies the arguments of a call that writes, so that it can be described again."""

    def copy(x):
        if isinstance(x, torch.Tensor):
            return copy_of(x)
        return [copy(y) for y in x] if isinstance(x, (list, tuple)) else x

    return [copy(x) for x in call.args], {k: copy(x) for k, x in call.kwargs.items()}


def some_of(samples, most):
    """Returns at most `most` samples. They are drawn at random: samples are loops over options, and
    every n-th would have some option always or never."""
    if len(samples) <= most:
        return samples
    return [samples[i] for i in sorted(random.Random(0).sample(range(len(samples)), most))]


def run_entry(record, entry, dtype, most):
    """Runs all samples of one entry in one dtype. Returns their number."""
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
    """Imports op_db. It belongs to PyTorch's tests, which require a package that samples do not
    need."""
    try:
        import expecttest  # noqa: F401
    except ImportError:
        stand_in = types.ModuleType("expecttest")
        stand_in.TestCase = type("TestCase", (), {})
        sys.modules["expecttest"] = stand_in
    # Seeding devices that do not exist records a stack trace each time, which would take half of
    # the time.
    torch.manual_seed = torch.default_generator.manual_seed
    from torch.testing._internal import common_utils
    from torch.testing._internal.common_methods_invocations import op_db
    from torch.testing._internal.opinfo import core

    # These search the stack and its sources for a unit test again and again, which takes most of
    # the rest. There is no unit test.
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
        entries = f", entries {args.ops}" if args.ops else ""
        print(f"# torch {torch.__version__}, dtypes {args.dtypes}{entries}", file=f)
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
