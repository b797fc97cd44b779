# SPDX-License-Identifier: Apache-2.0
"""Repairs Triton's interpreter on the CPU where its answers differ from those of compiled kernels.

mend() runs once, in the zygote, after Triton was imported with TRITON_INTERPRET=1. Kernels that are
right on a GPU must be right here too. What is repaired, and why:

- bfloat16 is stored as 16 bits, and the interpreter adds, compares and multiplies these as
  integers. Here it is computed in float32 and rounded to nearest even, as the hardware does.
- Conversions to bfloat16 and the 8-bit floats truncate or lose a carry. Here they round to nearest
  even, the 8-bit ones with saturation, as on NVIDIA's GPUs.
- Arguments are copied to the CPU and back, by functions of torch that would count as the kernel's
  calls. Arguments are on the CPU already, so nothing is copied.
- The language is patched again for every launch and for every tl.sum in one, which takes
  milliseconds. Here it is patched once.
- An autotuner measures its configurations on a device. There is no device: the first one is used.
- Functions of libdevice have no body. The common ones get one.

A repair is left out if this version of Triton does not have the part.
"""
import dataclasses
import types

import numpy as np

made = 0  # functions of the kernel's file that were compiled for the interpreter


def is_interpreted():
    """Returns whether a function has been compiled for the interpreter since mend()."""
    return made > 0


# --- rounding ---------------------------------------------------------------------------------------------------

# The 8-bit floats: bits of the mantissa, exponent of the smallest normal number, largest finite
# number, bits of NaN.
EIGHT = {"fp8e4nv": (3, -6, 448.0, 0x7F), "fp8e5": (2, -14, 57344.0, 0x7F)}


def to_bf16(x):
    """Rounds float32 to the bits of bfloat16, to nearest even."""
    bits = np.ascontiguousarray(x, dtype=np.float32).view(np.uint32)
    up = np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))
    short = ((bits + up) >> np.uint32(16)).astype(np.uint16)
    return np.where(np.isnan(x), np.uint16(0x7FC0), short).reshape(np.shape(x))


def from_bf16(bits):
    return (np.ascontiguousarray(bits).astype(np.uint32) << np.uint32(16)).view(np.float32).reshape(np.shape(bits))


def to_eight(x, name):
    """Rounds float32 to the bits of an 8-bit float, to nearest even. Numbers that are too large
    become the largest."""
    mantissa, least, most, nan = EIGHT[name]
    x = np.asarray(x, dtype=np.float64)
    size = np.where(np.isnan(x), 0, np.minimum(np.abs(x), most))
    exponent = np.where(size == 0, least, np.maximum(np.frexp(size)[1] - 1, least))
    steps = np.rint(np.ldexp(size, mantissa - exponent)).astype(np.int64)
    # a carry, and the step to normal numbers, go into the exponent
    bits = steps + ((exponent - least) << mantissa)
    return (np.where(np.isnan(x), nan, bits) | np.signbit(x).astype(np.int64) << 7).astype(np.uint8)


def from_eight(bits, name):
    mantissa, least, _, _ = EIGHT[name]
    low = bits.astype(np.int64) & 0x7F
    exponent, rest = low >> mantissa, (low & (1 << mantissa) - 1) / (1 << mantissa)
    x = np.where(exponent == 0, np.ldexp(rest, least), np.ldexp(1 + rest, exponent - 1 + least))
    if name == "fp8e5":
        x = np.where(exponent == 31, np.where(rest == 0, np.inf, np.nan), x)
    else:
        x = np.where(low == 0x7F, np.nan, x)
    return np.where(bits >> 7, -x, x).astype(np.float32)


# --- the builder ------------------------------------------------------------------------------------------------


def mend_floats(interpreter, tl):
    builder, handle = interpreter.InterpreterBuilder, interpreter.TensorHandle
    bf16 = tl.bfloat16

    def wide(x):
        """Returns the operand, in float32 if it is bfloat16."""
        short = isinstance(x, handle) and x.data.dtype == np.uint16 and x.dtype.scalar == bf16
        return handle(from_bf16(x.data), tl.float32) if short else x

    def narrow(x):
        return handle(to_bf16(x.data), bf16) if x.data.dtype == np.float32 else x

    def in_f32(name):
        old = getattr(builder, name, None)

        def new(self, *operands):
            wider = [wide(x) for x in operands]
            if all(x is y for x, y in zip(wider, operands)) or operands[-1] is np.where:
                return old(self, *operands)
            return narrow(old(self, *wider))

        if old:
            setattr(builder, name, new)

    for name in ("unary_op", "binary_op", "ternary_op", "create_fma", "create_erf", "create_rsqrt", "create_clampf"):
        in_f32(name)

    dot = builder.create_dot

    def create_dot(self, a, b, d, *rest):
        out = dot(self, wide(a), wide(b), wide(d), *rest)
        return narrow(out) if d.dtype.scalar == bf16 else out

    builder.create_dot = create_dot
    mend_casts(builder, handle, tl)


def mend_casts(builder, handle, tl):
    bf16 = tl.bfloat16
    cast = builder.cast_impl

    def value(x):
        kind = x.dtype.scalar
        return from_bf16(x.data) if kind == bf16 else from_eight(x.data, kind.name) if kind.name in EIGHT else None

    def convert(self, src, dst_type):
        dst = dst_type.scalar
        x = value(src)
        if x is None and dst != bf16 and dst.name not in EIGHT:
            return cast(self, src, dst_type)
        x = src.data.astype(np.float32) if x is None else x
        if dst == bf16:
            return handle(to_bf16(x), dst)
        if dst.name in EIGHT:
            return handle(to_eight(x, dst.name), dst)
        return cast(self, handle(x, tl.float32), dst_type)

    def create_fp_to_fp(self, src, dst_type, rounding_mode=None):
        return convert(self, src, dst_type)

    builder.cast_impl = convert
    builder.create_fp_to_fp = create_fp_to_fp


# --- libdevice --------------------------------------------------------------------------------------------------

LIBDEVICE = {
    "acos": np.arccos, "acosh": np.arccosh, "asin": np.arcsin, "asinh": np.arcsinh, "atan": np.arctan,
    "atan2": np.arctan2, "atanh": np.arctanh, "cbrt": np.cbrt, "ceil": np.ceil, "copysign": np.copysign, "cos": np.cos,
    "cosh": np.cosh, "div_rn": np.divide, "exp": np.exp, "exp2": np.exp2, "expm1": np.expm1, "abs": np.abs,
    "fmod": np.fmod, "floor": np.floor, "hypot": np.hypot, "isfinited": np.isfinite, "isinf": np.isinf,
    "isnan": np.isnan, "log": np.log, "log10": np.log10, "log1p": np.log1p, "log2": np.log2, "nearbyint": np.rint,
    "pow": np.power, "rint": np.rint, "rsqrt": lambda x: (1 / np.sqrt(x)).astype(x.dtype), "signbit": np.signbit,
    "sin": np.sin, "sinh": np.sinh, "sqrt": np.sqrt, "tan": np.tan, "tanh": np.tanh, "trunc": np.trunc,
    "round": lambda x: np.copysign(np.floor(np.abs(x) + x.dtype.type(0.5)), x),
}


def mend_libdevice(interpreter, tl):
    builder = interpreter.interpreter_builder

    def apply(op, args):
        first = next(x for x in args if isinstance(x, tl.tensor))
        plain = [x.handle if isinstance(x, tl.tensor) else builder.get_fp32(x) for x in args]
        bf16 = first.dtype.scalar == tl.bfloat16
        data = op(*(from_bf16(x.data) if x.dtype.scalar == tl.bfloat16 else x.data for x in plain))
        kind = tl.int1 if data.dtype == np.bool_ else first.dtype.scalar
        data = to_bf16(data) if bf16 and kind != tl.int1 else data
        out = interpreter.TensorHandle(data, kind)
        return tl.tensor(out, tl.block_type(kind, list(data.shape)) if first.type.is_block() else kind)

    def function(op):
        return lambda *args, **_: apply(op, args)

    for place in ("triton.language.extra.libdevice", "triton.language.extra.cuda.libdevice"):
        try:
            module = __import__(place, fromlist=["libdevice"])
        except ImportError:
            continue
        for name, op in LIBDEVICE.items():
            if hasattr(module, name):
                setattr(module, name, function(op))


# --- launching --------------------------------------------------------------------------------------------------


def mend_launch(interpreter, _):
    grid, function = interpreter.GridExecutor, interpreter.InterpretedFunction
    begin = function.__init__

    def init(self, *args, **kwargs):
        global made
        made += 1
        begin(self, *args, **kwargs)

    function.__init__ = init
    grid._init_args_hst = lambda self, args, kwargs: (args, kwargs)
    grid._restore_args_dev = lambda self, *_: None


def mend_patching(interpreter, tl):
    patch, patched = interpreter._patch_lang, []

    def patch_once(fn):
        missing = [x for x in fn.__globals__.values() if (x is tl or x is tl.core) and x not in patched]
        if missing:
            patched.extend(missing)
            patch(fn)
        return types.SimpleNamespace(restore=lambda: None)

    interpreter._patch_lang = patch_once


def mend_options(interpreter, _):
    """Turns off the check for integer overflow: it takes time and is reported only in debug mode,
    which is off."""
    builder = interpreter.interpreter_builder
    builder.options = dataclasses.replace(builder.options, sanitize_overflow=False)


def mend_autotuner(*_):
    from triton.runtime.autotuner import Autotuner

    Autotuner._bench = lambda self, *args, config, **meta: [0.0, 0.0, 0.0]


def mend():
    import triton.language as tl
    from triton.runtime import interpreter

    for part in (mend_launch, mend_patching, mend_options, mend_autotuner, mend_floats, mend_libdevice):
        try:
            part(interpreter, tl)
        except (ImportError, AttributeError, TypeError):
            pass
