# SPDX-License-Identifier: Apache-2.0
"""What honest GPU libraries do, held against the error bound of docs/error-bound.md.

    python3 bench/gpu_bound.py [--quick] [--json FILE] [--markdown FILE]    (torch with CUDA; Triton, nvcc if there)
    python3 bench/gpu_bound.py --again FILE.json --markdown FILE        (the tables of a run before, without a GPU)

Every row is one way to compute something: an operator, who computes it, a dtype, a fill, a number of terms. Inputs are
rounded to the dtype, the answer is computed from them in double on the same GPU, and the figure is the largest error
over the bound, of all elements: at most 1 passes. A row is due `in` (honest: must pass), `out` (what the bound is
there to refuse) or `?` (what it does is what we want to know). The last lines count the rows that are not as due.

Prefix sums are left out of the weight of products unless the fill is sorted, so those figures are upper bounds.
"""
import argparse
import ctypes
import datetime
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile

import torch

HERE = os.path.dirname(os.path.abspath(__file__))
DEV = "cuda"
NAMES = {torch.float16: "f16", torch.bfloat16: "bf16", torch.float32: "f32"}
HALVES = [torch.float16, torch.bfloat16]
ALL = [torch.float32, torch.float16, torch.bfloat16]
ROWS = []


# --- the bound: src/op/op.h, src/op/bound.c -------------------------------------------------------------------------


def constant(name, otherwise):
    """A constant of src/op/op.h, where this file lies in its repository."""
    try:
        with open(os.path.join(HERE, "..", "src", "op", "op.h"), encoding="utf-8") as f:
            return float(re.search(r"#define " + name + r"\s+([0-9.]+)", f.read()).group(1))
    except (OSError, AttributeError):
        return otherwise


K_OUT, K_ACC, U_ACC = 1.0, constant("AY_K_ACC", 4.0), 2.0 ** -24


def growth(n):
    return math.sqrt(n) + min(n, 65536) / 32


def ulp(want, dtype):
    info = torch.finfo(dtype)
    return torch.exp2(torch.floor(torch.log2(want.abs().clamp(min=info.tiny)))) * info.eps


def err_round(dtype, r):
    """ay_err_round: an intermediate of size r that honest kernels round to the storage dtype."""
    return torch.finfo(dtype).eps * r / (K_ACC * U_ACC)


def hold(got, want, mag, dtype):
    """The largest error over the bound, the k_acc it would need, and the share of elements outside."""
    err = (got.double() - want).abs()
    room = K_OUT * ulp(want, dtype)
    finite = torch.isfinite(want) & (want.abs() < torch.finfo(dtype).max)
    flushed = (got == 0) & (want.abs() < torch.finfo(dtype).tiny) & (dtype != torch.float16)
    ratio = torch.where(finite & ~flushed, err / (room + K_ACC * U_ACC * mag), 0.0)
    ratio = torch.where(finite & ~torch.isfinite(got.double()), math.inf, ratio)
    need = torch.where(finite & ~flushed & (mag > 0), (err - room).clamp(min=0) / (U_ACC * mag), 0.0)
    return float(ratio.max()), float(need.max()), float((ratio > 1).double().mean())


def note(op, who, dtype, fill, n, due, got, want, mag):
    ratio, need, share = hold(got, want, mag, dtype)
    ROWS.append({"op": op, "who": who, "dtype": NAMES[dtype], "fill": fill, "n": n, "due": due,
                 "ratio": float(f"{ratio:.4g}"), "need": float(f"{need:.4g}"), "outside": float(f"{share:.3g}")})


def attempt(what, f, *args):
    """One measurement; what a machine lacks is said, not hidden."""
    try:
        f(*args)
    except Exception as e:  # pylint: disable=broad-except
        text = str(e).strip().split("\n", maxsplit=1)[0]
        told = [NAMES.get(a, a) for a in args if isinstance(a, (int, str, torch.dtype))]
        print(f"not measured: {what} {told}: {type(e).__name__}: {text}", file=sys.stderr)
        ROWS.append({"op": what, "who": "-", "not_measured": f"{type(e).__name__}: {text}"[:300]})
        torch.cuda.synchronize()


# --- fills ----------------------------------------------------------------------------------------------------------


def draw(shape, dtype, fill, seed):
    g = torch.Generator(DEV).manual_seed(seed)
    if fill == "normal":
        x = torch.randn(shape, generator=g, device=DEV)
    elif fill == "positive":
        x = torch.rand(shape, generator=g, device=DEV)
    elif fill == "normal+1":
        x = torch.randn(shape, generator=g, device=DEV) + 1
    elif fill == "heavy":
        x = torch.randn(shape, generator=g, device=DEV) * torch.exp2(4 * torch.randn(shape, generator=g, device=DEV))
        x = x.clamp(-1000, 1000)
    elif fill == "sorted":
        x = torch.rand(shape, generator=g, device=DEV).mul_(2).sub_(1).sort(-1).values
    else:
        raise ValueError(fill)
    return x.to(dtype)


# --- products -------------------------------------------------------------------------------------------------------


def largest_prefix(a, b):
    """Of every element of a @ b: its largest partial sum in order, in double."""
    top = torch.zeros(a.shape[0], b.shape[1], dtype=torch.float64, device=DEV)
    total = torch.zeros_like(top)
    for k in range(0, a.shape[1], 64):
        run = total[:, :, None] + (a[:, None, k:k + 64] * b.T[None, :, k:k + 64]).cumsum(-1)
        top = torch.maximum(top, run.abs().amax(-1))
        total = run[:, :, -1]
    return top


class Product:
    """Two factors, the answer and the weight of its bound; made once for all who multiply them."""

    def __init__(self, m, n, k, dtype, fill, seed=1):
        self.a = draw((m, k), dtype, fill, seed)
        self.b = draw((n, k), dtype, fill, seed + 1).T if fill == "sorted" else draw((k, n), dtype, fill, seed + 1)
        a, b = self.a.double(), self.b.double()
        self.want = a @ b
        size = torch.maximum(((a * a) @ (b * b)).sqrt(), self.want.abs())
        if fill == "sorted":
            size = torch.maximum(size, largest_prefix(a, b))
        self.mag, self.k, self.dtype, self.fill = growth(k) * size, k, dtype, fill

    def note(self, op, who, due, got):
        note(op, who, self.dtype, self.fill, self.k, due, got, self.want, self.mag)


class Switches:
    """torch's switches of precision, put back at the end."""

    def __init__(self, **kw):
        self.kw = kw

    def __enter__(self):
        m = torch.backends.cuda.matmul
        self.old = {k: getattr(m, k) for k in self.kw}
        for k, v in self.kw.items():
            setattr(m, k, v)

    def __exit__(self, *_):
        for k, v in self.old.items():
            setattr(torch.backends.cuda.matmul, k, bool(v))


PLAIN = {"allow_tf32": False, "allow_fp16_reduced_precision_reduction": False,
         "allow_bf16_reduced_precision_reduction": False}
REDUCED = {"allow_tf32": False, "allow_fp16_reduced_precision_reduction": True,
           "allow_bf16_reduced_precision_reduction": True}


def zero_mean(fill):
    return fill in ("normal", "heavy")


def products(m, n, k, dtype, fill):
    p = Product(m, n, k, dtype, fill)
    shape = f"{m}x{n}"
    with Switches(**PLAIN):
        p.note("mm " + shape, "cuBLAS", "in", p.a @ p.b)
        p.note("mm " + shape, "cuBLAS, b column-major", "in", p.a @ p.b.T.contiguous().T)
    if dtype == torch.float32:
        with Switches(allow_tf32=True):
            p.note("mm " + shape, "cuBLAS TF32", "out" if zero_mean(fill) else "?", p.a @ p.b)
    else:
        with Switches(**REDUCED):
            p.note("mm " + shape, "cuBLAS, reduced-precision reduction", "?", p.a @ p.b)
    if dtype == torch.float16 and hasattr(torch.backends.cuda.matmul, "allow_fp16_accumulation"):
        with Switches(allow_fp16_accumulation=True):
            p.note("mm " + shape, "cuBLAS f16 accumulator", "out" if zero_mean(fill) else "?", p.a @ p.b)


def stacked_products(k, dtype, fill):
    """bmm and addmm, and a vector's product, which other kernels serve."""
    with Switches(**PLAIN):
        p = [Product(96, 80, k, dtype, fill, seed) for seed in (1, 3, 5, 7)]
        got = torch.bmm(torch.stack([q.a for q in p]), torch.stack([q.b for q in p]))
        for q, y in zip(p, got):
            q.note("bmm 4x96x80", "cuBLAS", "in", y)
        q = Product(200, 120, k, dtype, fill)
        c = draw((120,), dtype, "normal", 9)
        want = q.want + c.double()
        mag = growth(k + 1) / growth(k) * torch.maximum(q.mag, growth(k) * torch.maximum(want.abs(), c.double().abs()))
        note("addmm 200x120", "cuBLAS", dtype, fill, k, "in", torch.addmm(c, q.a, q.b), want, mag)
        v = Product(300, 1, k, dtype, fill)
        v.note("mv 300", "cuBLAS", "in", torch.mv(v.a, v.b[:, 0])[:, None])
        d = Product(1, 1, k, dtype, fill)
        d.note("dot", "cuBLAS", "in", torch.dot(d.a[0], d.b[:, 0]).reshape(1, 1))


def convolutions(channels, dtype):
    x, w = draw((4, channels, 20, 20), dtype, "normal", 1), draw((32, channels, 3, 3), dtype, "normal", 2)
    want = torch.nn.functional.conv2d(x.double(), w.double(), padding=1)
    size = torch.nn.functional.conv2d(x.double() ** 2, w.double() ** 2, padding=1).sqrt()
    n = channels * 9
    mag = growth(n) * torch.maximum(size, want.abs())
    for tf32 in (False, True) if dtype == torch.float32 else (False,):
        with torch.backends.cudnn.flags(enabled=True, benchmark=False, allow_tf32=tf32):
            got = torch.nn.functional.conv2d(x, w, padding=1)
        # with TF32 allowed cuDNN is free to do without it
        note("conv2d 3x3", "cuDNN" + (", TF32 allowed" if tf32 else ""), dtype, "normal", n, "?" if tf32 else "in",
             got, want, mag)


# --- Triton ---------------------------------------------------------------------------------------------------------

TRITON = '''
import torch, triton
import triton.language as tl

@triton.jit
def dot_kernel(a, b, c, m, n, k, PRECISION: tl.constexpr, ACC: tl.constexpr, SPLIT: tl.constexpr, M: tl.constexpr,
               N: tl.constexpr, K: tl.constexpr):
    rm, rn = tl.program_id(0) * M + tl.arange(0, M), tl.program_id(1) * N + tl.arange(0, N)
    total = tl.zeros((M, N), dtype=ACC)
    for at in range(tl.program_id(2) * K, k, K * SPLIT):
        rk = at + tl.arange(0, K)
        x = tl.load(a + rm[:, None] * k + rk[None, :], mask=(rm[:, None] < m) & (rk[None, :] < k), other=0.0)
        y = tl.load(b + rk[:, None] * n + rn[None, :], mask=(rk[:, None] < k) & (rn[None, :] < n), other=0.0)
        total = tl.dot(x, y, total, input_precision=PRECISION, out_dtype=ACC)
    at, mask = rm[:, None] * n + rn[None, :], (rm[:, None] < m) & (rn[None, :] < n)
    if SPLIT == 1:
        tl.store(c + at, total.to(c.dtype.element_ty), mask=mask)
    else:
        tl.atomic_add(c + at, total.to(c.dtype.element_ty), mask=mask)

@triton.jit
def sum_kernel(x, y, n, ACC: tl.constexpr, BLOCK: tl.constexpr):
    total = tl.zeros((BLOCK,), dtype=ACC)
    for at in range(0, n, BLOCK):
        i = at + tl.arange(0, BLOCK)
        total += tl.load(x + tl.program_id(0) * n + i, mask=i < n, other=0.0).to(ACC)
    tl.store(y + tl.program_id(0), tl.sum(total, 0))

def dot(a, b, precision="ieee", acc=tl.float32, split=1, out=None):
    (m, k), n = a.shape, b.shape[1]
    c = torch.zeros(m, n, dtype=out or a.dtype, device=a.device)
    dot_kernel[(triton.cdiv(m, 64), triton.cdiv(n, 64), split)](a, b.contiguous(), c, m, n, k, PRECISION=precision,
                                                                ACC=acc, SPLIT=split, M=64, N=64, K=32)
    return c

def add_up(x, half):
    y = torch.empty(x.shape[0], dtype=x.dtype, device=x.device)
    acc = tl.float32 if not half else tl.float16 if x.dtype == torch.float16 else tl.bfloat16
    sum_kernel[(x.shape[0],)](x, y, x.shape[1], ACC=acc, BLOCK=64)
    return y

HALF = tl.float16
'''


def load_triton(folder):
    """Triton wants its source in a file."""
    path = os.path.join(folder, "gpu_bound_triton.py")
    with open(path, "w", encoding="utf-8") as f:
        f.write(TRITON)
    sys.path.insert(0, folder)
    import gpu_bound_triton  # pylint: disable=import-error,import-outside-toplevel
    return gpu_bound_triton


def triton_dots(t, k, dtype, fill):
    p = Product(128, 192, k, dtype, fill)
    p.note("dot 128x192", "Triton, f32 accumulator", "in", t.dot(p.a, p.b))
    split = t.dot(p.a, p.b, split=8, out=torch.float32)
    p.note("dot 128x192", "Triton, split-K 8 by f32 atomics", "in", split.to(dtype))
    seen = "out" if zero_mean(fill) else "?"
    if dtype == torch.float32:
        p.note("dot 128x192", "Triton TF32", seen, t.dot(p.a, p.b, "tf32"))
        p.note("dot 128x192", "Triton TF32x3", "?", t.dot(p.a, p.b, "tf32x3"))
    if dtype == torch.float16:
        p.note("dot 128x192", "Triton, f16 accumulator", seen, t.dot(p.a, p.b, acc=t.HALF))
        p.note("dot 128x192", "Triton, split-K 8 by f16 atomics", seen, t.dot(p.a, p.b, split=8))


# --- sums -----------------------------------------------------------------------------------------------------------


def sum_weight(x, n, dim=-1):
    """growth * R, R with its largest prefix."""
    prefix = x.cumsum(dim).abs().amax(dim)
    return growth(n) * torch.maximum(torch.maximum(x.sum(dim).abs(), (x * x).sum(dim).sqrt()), prefix)


def sums(t, n, dtype, fill):
    rows = max(1, min(512, (1 << 24) // n))
    x = draw((rows, n), dtype, fill, 3)
    y = x.double()
    mag, want = sum_weight(y, n), y.sum(-1)
    note("sum, last dim", "torch", dtype, fill, n, "in", x.sum(-1), want, mag)
    note("mean, last dim", "torch", dtype, fill, n, "in", x.mean(-1), want / n, mag / n)
    z = x.T.contiguous()
    note("sum, first dim", "torch", dtype, fill, n, "in", z.sum(0), want, mag)
    size = y.square().sum(-1).sqrt()
    note("norm 2", "torch", dtype, fill, n, "in", torch.linalg.vector_norm(x, dim=-1), size,
         size * (growth(n) / 2 + 2))
    if t:
        note("sum, last dim", "Triton, 64 lanes of f32", dtype, fill, n, "in", t.add_up(x, False), want, mag)
        if dtype != torch.float32:
            note("sum, last dim", "Triton, 64 lanes of " + NAMES[dtype], dtype, fill, n,
                 "out" if zero_mean(fill) and 1024 <= n <= 65536 else "?", t.add_up(x, True), want, mag)


def cumsums(n, dtype, fill):
    x = draw((max(1, min(64, (1 << 22) // n)), n), dtype, fill, 4)
    y = x.double()
    want = y.cumsum(-1)
    counts = torch.arange(1, n + 1, device=DEV, dtype=torch.float64)
    grown = counts.sqrt() + counts.clamp(max=65536) / 32
    size = torch.maximum((y * y).cumsum(-1).sqrt(), want.abs().cummax(-1).values)
    due, who = ("in", "torch") if dtype == torch.float32 else ("out", "torch, which adds in " + NAMES[dtype])
    note("cumsum, last dim", who, dtype, fill, n, due, x.cumsum(-1), want, grown * size)
    z = x.T.contiguous()
    note("cumsum, first dim", who, dtype, fill, n, due, z.cumsum(0).T, want, grown * size)
    if dtype != torch.float32:
        got = x.cumsum(-1, dtype=torch.float32).to(dtype)
        note("cumsum, last dim", "torch in f32, rounded", dtype, fill, n, "in", got, want, grown * size)


def accumulations(m, dtype):
    """About m values to each of 64 places."""
    places, many = 64, 64 * m
    index = torch.randint(0, places, (many,), generator=torch.Generator(DEV).manual_seed(5), device=DEV)
    for width in (1, 33):
        v, old = draw((many, width), dtype, "normal", 6), draw((places, width), dtype, "normal", 7)
        w = v.double()
        want = old.double().index_add(0, index, w)
        size = (old.double() ** 2).index_add(0, index, w * w).sqrt()
        n = int(torch.bincount(index, minlength=places).max()) + 1
        mag = growth(n) * torch.maximum(size, want.abs())
        half = ("out", "torch, which adds in " + NAMES[dtype])
        due, who = ("in", "torch") if dtype == torch.float32 else half
        name = f"of rows of {width}"
        note("index_add " + name, who, dtype, "normal", m, due, old.clone().index_add_(0, index, v), want, mag)
        at = index[:, None].expand(many, width)
        note("scatter_add " + name, who, dtype, "normal", m, due, old.clone().scatter_add_(0, at, v), want, mag)
        if width == 1:  # sorted, and added up in f32
            due, who = "in", "torch"
        note("index_put accumulate " + name, who, dtype, "normal", m, due,
             old.clone().index_put_((index,), v, accumulate=True), want, mag)


# --- norms and softmax ----------------------------------------------------------------------------------------------


def softmaxes(n, dtype, mean):
    x = (draw((max(1, min(256, (1 << 22) // n)), n), torch.float32, "normal", 8) + mean).to(dtype)
    y = x.double()
    want = y.softmax(-1)
    spread = (want * y.abs()).sum(-1, keepdim=True)
    mag = want * (growth(n) + y.abs() + spread + 2)
    fill = "normal" if not mean else f"normal+{mean}"
    note("softmax, last dim", "torch", dtype, fill, n, "in", x.softmax(-1), want, mag)
    note("softmax, first dim", "torch", dtype, fill, n, "in", x.T.contiguous().softmax(0).T, want, mag)
    if dtype != torch.float32:
        note("softmax, last dim", f"torch, exponentials rounded to {NAMES[dtype]}", dtype, fill, n, "?",
             (lambda e: e / e.sum(-1, keepdim=True))((x - x.amax(-1, keepdim=True)).exp()), want, mag)


def norms(n, dtype):
    x = draw((max(1, min(256, (1 << 22) // n)), n), dtype, "normal+1", 10)
    w, b = draw((n,), dtype, "normal", 11), draw((n,), dtype, "normal", 12)
    wide = [t.double() for t in (x, w, b)]
    want = torch.nn.functional.layer_norm(wide[0], (n,), wide[1], wide[2])
    usual = want.square().mean(-1, keepdim=True).sqrt()
    note("layer_norm", "torch", dtype, "normal+1", n, "in", torch.nn.functional.layer_norm(x, (n,), w, b), want,
         growth(n) * torch.maximum(want.abs(), usual))
    want = torch.nn.functional.rms_norm(wide[0], (n,), wide[1], 1e-6)
    note("rms_norm", "torch", dtype, "normal+1", n, "in", torch.nn.functional.rms_norm(x, (n,), w, 1e-6), want,
         want.abs() * (growth(n) / 2 + 4) + err_round(dtype, want.abs()))


# --- functions of one number ----------------------------------------------------------------------------------------

CUDA = r'''
#include <cuda_runtime.h>
__device__ float f(int k, float x)
{
    switch (k) {
    case 0: return expf(x);
    case 1: return logf(x);
    case 2: return tanhf(x);
    case 3: return erff(x);
    case 4: return 0.5f * x * (1 + erff(x * 0.70710678f));
    case 5: return sinf(x);
    case 6: return cosf(x);
    case 7: return rsqrtf(x);
    case 8: return log10f(x);
    case 9: return x / (1 + expf(-x));
    case 10: return 1 / (1 + expf(-x));
    default: return sqrtf(x);
    }
}
__global__ void each(int k, const float *x, float *y, long n)
{
    for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < n; i += (long)gridDim.x * blockDim.x)
        y[i] = f(k, x[i]);
}
extern "C" int apply(int k, const float *x, float *y, long n)
{
    each<<<1024, 256>>>(k, x, y, n);
    return cudaDeviceSynchronize();
}
'''


def relative(x, y):
    return 2 * y.abs()


def conditioned(x, y, slope):
    return 2 * (y.abs() + (x * slope).abs())


# name: (in double, torch's, weight, lowest, highest). The weight is 2|y| where ops/aten/unary_math.c has the operator
# or would; silu as ops/aten/activations.c; gelu |x|, as its field computes it (contracts, section 4.1).
FUNCTIONS = {
    "exp": (torch.exp, torch.exp, relative, -103, 88),
    "log": (torch.log, torch.log, relative, 1e-30, 1e30),
    "tanh": (torch.tanh, torch.tanh, relative, -10, 10),
    "erf": (torch.erf, torch.erf, relative, -5, 5),
    "gelu": (torch.nn.functional.gelu, torch.nn.functional.gelu, lambda x, y: x.abs(), -8, 8),
    "sin": (torch.sin, torch.sin, relative, -100, 100),
    "cos": (torch.cos, torch.cos, relative, -100, 100),
    "rsqrt": (torch.rsqrt, torch.rsqrt, relative, 1e-30, 1e30),
    "log10": (torch.log10, torch.log10, relative, 1e-30, 1e30),
    "silu": (torch.nn.functional.silu, torch.nn.functional.silu,
             lambda x, y: y.abs() * (3 + (1 + x.abs()) * torch.sigmoid(-x)), -60, 60),
    "sigmoid": (torch.sigmoid, torch.sigmoid, relative, -60, 60),
    "sqrt": (torch.sqrt, torch.sqrt, relative, 1e-30, 1e30),
}
# The conditioned bound, 2(|f| + |x f'|): what contracts, section 4.1, proposed for functions in general.
SLOPES = {"exp": lambda x, y: y, "log": lambda x, y: 1 / x, "tanh": lambda x, y: 1 - y * y,
          "erf": lambda x, y: torch.exp(-x * x) * 2 / math.sqrt(math.pi), "sin": lambda x, y: torch.cos(x),
          "cos": lambda x, y: -torch.sin(x), "rsqrt": lambda x, y: -0.5 * y / x,
          "log10": lambda x, y: 1 / (x * math.log(10)), "sqrt": lambda x, y: 0.5 / y,
          "sigmoid": lambda x, y: y * (1 - y)}


def arguments(lo, hi, dtype):
    g = torch.Generator(DEV).manual_seed(13)
    n = 1 << 22
    even = torch.rand(n, generator=g, device=DEV)
    if lo > 0:  # all magnitudes alike, and the neighbourhood of 1
        x = torch.exp(math.log(lo) + even.double() * (math.log(hi) - math.log(lo)))
        x[: n // 4] = 1 + (even[: n // 4].double() - 0.5) / 8
    else:
        x = lo + even.double() * (hi - lo)
        x[: n // 4] = torch.randn(n // 4, generator=g, device=DEV)
        x[n // 4: n // 2] *= torch.exp2(-20 * torch.rand(n // 4, generator=g, device=DEV))
    x = x.clamp(-torch.finfo(dtype).max, torch.finfo(dtype).max).to(dtype)
    return x[x != 0] if lo <= 0 else x.clamp(min=torch.finfo(dtype).tiny)


def functions(compiled, name, dtype):
    wide, narrow, weight, lo, hi = FUNCTIONS[name]
    x = arguments(lo, hi, dtype)
    y = wide(x.double())
    mag = weight(x.double(), y)
    note(name, "torch", dtype, "range", x.numel(), "in", narrow(x), y, mag)
    for who, so in compiled.items():
        arg, out = x.float().contiguous(), torch.empty(x.shape, dtype=torch.float32, device=DEV)
        torch.cuda.synchronize()
        if so.apply(list(FUNCTIONS).index(name), ctypes.c_void_p(arg.data_ptr()), ctypes.c_void_p(out.data_ptr()),
                    ctypes.c_long(arg.numel())):
            raise RuntimeError("the compiled function did not run")
        note(name, who, dtype, "range", x.numel(), "in" if who == "nvcc" else "?", out.to(dtype), y, mag)
        if dtype == torch.float32 and who != "nvcc" and name in SLOPES:
            note(name + ", conditioned bound", who, dtype, "range", x.numel(), "?", out, y,
                 conditioned(x.double(), y, SLOPES[name](x.double(), y)))


def compile_functions(folder):
    """The same functions by nvcc, precise and with --use_fast_math."""
    nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    if not os.path.exists(nvcc):
        return {}
    source = os.path.join(folder, "functions.cu")
    with open(source, "w", encoding="utf-8") as f:
        f.write(CUDA)
    major, minor = torch.cuda.get_device_capability()
    out = {}
    for who, more in (("nvcc", []), ("nvcc --use_fast_math", ["--use_fast_math"])):
        so = os.path.join(folder, f"functions{len(out)}.so")
        subprocess.run([nvcc, "-O2", f"-arch=sm_{major}{minor}", "-shared", "-Xcompiler", "-fPIC", *more, "-o", so,
                        source], check=True)
        out[who] = ctypes.CDLL(so)
    return out


# --- all of it ------------------------------------------------------------------------------------------------------


def measure(quick):
    terms = [64, 1024, 8192] if quick else [64, 1024, 8192, 65536]
    fills = ["normal", "positive"] if quick else ["normal", "positive", "normal+1", "heavy"]
    with tempfile.TemporaryDirectory() as folder:
        t = None
        try:
            t = load_triton(folder)
        except ImportError as e:
            print(f"not measured: Triton: {e}", file=sys.stderr)
        for dtype in ALL:
            for k in terms:
                for fill in fills:
                    for m, n in ((256, 256), (64, 64), (24, 1024)):
                        attempt("products", products, m, n, k, dtype, fill)
                    attempt("stacked products", stacked_products, k, dtype, fill)
                    if t:
                        attempt("Triton dot", triton_dots, t, k, dtype, fill)
                    attempt("sums", sums, t, k, dtype, fill)
                    attempt("cumsum", cumsums, k, dtype, fill)
                attempt("products", products, 64, 64, k, dtype, "sorted")
                attempt("sums", sums, t, k, dtype, "sorted")
                attempt("norms", norms, k, dtype)
                for mean in (0, 100):
                    attempt("softmax", softmaxes, k, dtype, mean)
                if k <= 8192:
                    attempt("accumulation", accumulations, k, dtype)
            for k in (512, 4096, 16384) if not quick else ():
                attempt("products", products, 2048, 1536, k, dtype, "normal")
            for n in (1 << 20, 1 << 24) if not quick else ():
                attempt("sums", sums, t, n, dtype, "normal")
                attempt("cumsum", cumsums, n, dtype, "normal")
            for channels in (16, 256):
                attempt("conv2d", convolutions, channels, dtype)
        compiled = compile_functions(folder)
        for name in FUNCTIONS:
            for dtype in ALL:
                attempt("functions", functions, compiled, name, dtype)


def is_as_due(row):
    return row["due"] == "?" or (row["ratio"] <= 1) == (row["due"] == "in")


def figure(row):
    bad = "" if is_as_due(row) else " !"
    return f"{row['ratio']:.2g}{bad}"


def worse(row, old):
    """The figure that says more: the largest of what must pass, the least of what must not."""
    return not old or (row["ratio"] < old["ratio"]) == (row["due"] == "out")


def family(row):
    """What shares a line of the table: shapes of products do, and fills of what must pass."""
    op = re.sub(r"^(mm|bmm|addmm|mv|dot) [\dx]+$", r"\1", row["op"])
    fill = "all" if row["due"] == "in" else "zero mean" if zero_mean(row["fill"]) else "others"
    return op, row["who"], row["dtype"], fill, row["due"]


def table_of_sums(rows):
    """A line for each way to compute something, a column for each number of terms."""
    table, need = {}, {}
    for r in rows:
        key = family(r)
        cells = table.setdefault(key, {})
        if worse(r, cells.get(r["n"])):
            cells[r["n"]] = r
        need[key] = (min if r["due"] == "out" else max)(need.get(key, r["need"]), r["need"])
    counts = [64, 1024, 8192, 65536]
    lines = ["| operator | by | dtype | fills | due | " + " | ".join(f"n = {n}" for n in counts) +
             " | other n | k_acc needed |", "|---" * 11 + "|"]
    for key, cells in sorted(table.items()):
        known = [figure(cells[n]) if n in cells else "" for n in counts]
        other = ", ".join(f"{n}: {figure(r)}" for n, r in sorted(cells.items()) if n not in counts)
        lines.append("| " + " | ".join(key) + " | " + " | ".join(known) + f" | {other} | {need[key]:.2g} |")
    return "\n".join(lines) + "\n"


def table_of_functions(rows):
    """A line for each function and who computes it, a column for each dtype."""
    table = {}
    for r in rows:
        table.setdefault((r["op"], r["who"], r["due"]), {})[r["dtype"]] = r
    names = [NAMES[t] for t in ALL]
    lines = ["| function | by | due | " + " | ".join(names) + " |", "|---" * (3 + len(names)) + "|"]
    for key, cells in sorted(table.items()):
        lines.append("| " + " | ".join(key) + " | " +
                     " | ".join(figure(cells[n]) if n in cells else "" for n in names) + " |")
    return "\n".join(lines) + "\n"


def markdown(rows):
    return (table_of_sums([r for r in rows if r["fill"] != "range"]) + "\n" +
            table_of_functions([r for r in rows if r["fill"] == "range"]))


def summary(rows):
    wrong = [r for r in rows if not is_as_due(r)]
    lines = [f"{len(rows)} figures: {sum(r['due'] == 'in' for r in rows)} due inside, "
             f"{sum(r['due'] == 'out' for r in rows)} due outside, {sum(r['due'] == '?' for r in rows)} asked; "
             f"{len(wrong)} not as due"]
    lines += [f"  {r['op']} by {r['who']} {r['dtype']} {r['fill']} n={r['n']}: due {r['due']}, {r['ratio']:.3g} of "
              f"the bound, needs k_acc {r['need']:.3g}, outside {r['outside']:.2%}" for r in wrong]
    return "\n".join(lines)


def write_json(path, about, rows):
    """A line for each row."""
    with open(path, "w", encoding="utf-8") as f:
        f.write(json.dumps(about)[:-1] + ', "rows": [\n' + ",\n".join(json.dumps(r) for r in rows) + "\n]}\n")


def run(quick):
    if not torch.cuda.is_available():
        sys.exit("gpu_bound: torch sees no CUDA device")
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    measure(quick)
    about = {"device": torch.cuda.get_device_name(), "torch": torch.__version__, "cuda": torch.version.cuda,
             "date": datetime.date.today().isoformat(), "k_out": K_OUT, "k_acc": K_ACC,
             "not_measured": [r for r in ROWS if "ratio" not in r]}
    return about, [r for r in ROWS if "ratio" in r]


def main():
    ask = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    ask.add_argument("--quick", action="store_true", help="fewer sizes and fills")
    ask.add_argument("--json")
    ask.add_argument("--markdown")
    ask.add_argument("--again", help="what --json of another run wrote")
    args = ask.parse_args()
    if args.again:
        with open(args.again, encoding="utf-8") as f:
            rows = json.load(f)["rows"]
    else:
        about, rows = run(args.quick)
        if args.json:
            write_json(args.json, about, rows)
    if args.markdown:
        with open(args.markdown, "w", encoding="utf-8") as f:
            f.write(markdown(rows))
    print(summary(rows))


if __name__ == "__main__":
    main()
