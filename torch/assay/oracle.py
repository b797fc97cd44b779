# SPDX-License-Identifier: Apache-2.0
"""The answer of an operator that has no reference in C: ATen in double, on the inputs as they are.

An answer is a flat list, four tensors for everything that the call writes, written arguments first, then results:
what it is (dtype and shape, of one element's memory), its value in double (or exactly, for integers), the weight of
the error bound per element, as ay_mag of src/op/op.h (an empty weight means exactly this value), and one number:
ALIAS if ATen gives it in the memory of an argument, ABSENT if it gives none.

How much error is honest. Where the operator adds up, and how, is known (TERMS, REDUCING), the bound grows with the
number of terms as it does for references in C (docs/error-bound.md). Everywhere it is at least four times what ATen
itself errs by at the dtype asked for, in ulps or absolutely, whichever is less, and 8 units of roundoff. Of a few
elements all may be right by luck: small calls are made again on inputs that are a little off, and the bound is also at
least four times what ATen errs by there, and what a roundoff of the inputs does.

Arguments lie in memory of the processor, and so must answers. Where something else computes (`place`), they are moved
there and back, and nothing stays there. To bring back two doubles for every element takes far longer than to make
them, so there two other questions can be asked, by arguments that no operator has (src/judge/aten_request.h): what the
results are like, without their values, and whether results that are given are right, of which only yes counts.
"""
import math

import torch

from assay import boot

UNDEFINED = {"empty", "empty_like", "empty_strided", "empty_permuted", "new_empty", "new_empty_strided"}
# Complex, on the processor: NaN even where one term is far larger than the others and the answer is that term.
LOST = {"logcumsumexp"}
# On a GPU these round to half types what others round in the end: what they err by is no measure of an honest kernel.
ROUNDED_EARLY = {"_softmax_backward_data", "convolution", "index_add", "native_group_norm", "scatter_add",
                 "tanh_backward"}
K_ACC = 4.0  # as AY_K_ACC
ALIAS, ABSENT = 1, 2  # as in src/judge/aten_oracle.c
EXPONENT = 0x7FF << 52  # of a double
ROUNDOFF = 2.0 ** -24  # of f32, which is what half types are computed in too
SWAY = 2.0 ** -16  # a part of inputs that singles can be off by, either way
FEW = 1 << 14  # elements of a call that is made again on other inputs
ANOTHER = 0.05  # of the largest element: an error that is none, but another answer

WIDE = {
    torch.float16: torch.float64, torch.bfloat16: torch.float64, torch.float32: torch.float64,
    torch.float8_e4m3fn: torch.float64, torch.float8_e5m2: torch.float64,
    torch.complex32: torch.complex128, torch.complex64: torch.complex128,
}
NARROW = {torch.float64: torch.float32, torch.complex128: torch.complex64}
SINGLES = set(NARROW.values())


class Unsuitable(Exception):
    """There is no answer to hold a kernel against; the text says why."""


# --- the same call in another precision ---------------------------------------------------------------------------


def convert(x, table):
    """x with every tensor and dtype in it as the table says; tensors are new ones, since the call may write them."""
    if isinstance(x, torch.Tensor):
        return x.to(table[x.dtype]) if x.dtype in table else x.clone()
    if isinstance(x, torch.dtype):
        return table.get(x, x)
    if isinstance(x, (list, tuple)):
        return [convert(y, table) for y in x]
    return x


def flatten(x):
    return [t for y in x for t in flatten(y)] if isinstance(x, (list, tuple)) else [x]


def tensors_of(x):
    return [t for t in flatten(x) if isinstance(t, torch.Tensor)]


def is_dense(x):
    return isinstance(x, torch.Tensor) and x.layout == torch.strided


def run(e, args, kwargs, table, default):
    """Everything that the call writes, arguments, then results that are none; and the facts about each."""
    args, kwargs = convert(args, table), {k: convert(v, table) for k, v in kwargs.items()}
    before = torch.get_default_dtype()
    torch.set_default_dtype(default)
    try:
        value = e.function(*args, **kwargs)
    finally:
        torch.set_default_dtype(before)
    written = [boot.argument(e, i, args, kwargs) for i, a in enumerate(e.args) if a["type"]["written"]]
    values = value if len(e.rets) > 1 else [value]
    results = flatten([x for ret, x in zip(e.rets, values) if ret["arg"] < 0] if e.rets else [])
    given = {t.untyped_storage().data_ptr() for t in flatten([args, list(kwargs.values())]) if is_dense(t)} - {0}
    facts = [ABSENT if x is None else ALIAS if is_dense(x) and x.untyped_storage().data_ptr() in given else 0
             for x in results]
    written = [x for x in flatten(written) if x is not None]
    return written + results, [0] * len(written) + facts


# --- how much error is honest -------------------------------------------------------------------------------------


def growth(n):
    return math.sqrt(n) + min(n, 65536) / 32


def real(dtype):
    return torch.empty((), dtype=dtype).abs().dtype if dtype.is_complex else dtype


def ulps(size, dtype):
    """The distance of neighbours of `size` (in double) in dtype: the bits of its exponent alone are a power of two."""
    info = torch.finfo(real(dtype))
    return size.clamp(min=info.tiny).view(torch.int64).bitwise_and_(EXPONENT).view(torch.float64) * info.eps


def finite_of(x):
    """Its finite elements; in most calls that is all of it, and picking them out takes as long as the answer."""
    at = torch.isfinite(x)
    return x if at.all() else x[at]


def squared(x):
    return (x.abs() ** 2).to(torch.float64) if isinstance(x, torch.Tensor) else x


def product_terms(e, args, kwargs, at):
    """Of a product of the tensors args[at], args[at + 1]: the 2-norm of the terms, by the same operator on squares."""
    rest = [squared(x) if i in (at, at + 1) else x for i, x in enumerate(args)]
    if at:  # addmm and its kin: what is added counts as a term; beta and alpha as their squares
        rest[0] = squared(args[0])
    kwargs = {k: abs(v) ** 2 if k in ("alpha", "beta") else v for k, v in kwargs.items()}
    return e.function(*rest, **kwargs).sqrt()


def convolution_terms(e, args, kwargs):
    rest = [squared(x) if i < 3 else x for i, x in enumerate(args)]
    return e.function(*rest, **kwargs).sqrt()


def lgamma_terms(e, args, kwargs):
    """Below zero it is the difference of what it is above and a logarithm."""
    return e.function(args[0]).abs() + e.function(args[0].abs()).abs() + 1


def inner(i):
    return lambda args: args[i].shape[-1]


# name: (the 2-norm of the terms of every result, how many there are)
TERMS = {
    "mm": (lambda e, a, k: product_terms(e, a, k, 0), inner(0)),
    "bmm": (lambda e, a, k: product_terms(e, a, k, 0), inner(0)),
    "mv": (lambda e, a, k: product_terms(e, a, k, 0), inner(0)),
    "dot": (lambda e, a, k: product_terms(e, a, k, 0), inner(0)),
    "vdot": (lambda e, a, k: product_terms(e, a, k, 0), inner(0)),
    "matmul": (lambda e, a, k: product_terms(e, a, k, 0), inner(0)),
    "addmm": (lambda e, a, k: product_terms(e, a, k, 1), inner(1)),
    "addmv": (lambda e, a, k: product_terms(e, a, k, 1), inner(1)),
    "baddbmm": (lambda e, a, k: product_terms(e, a, k, 1), inner(1)),
    "addbmm": (lambda e, a, k: product_terms(e, a, k, 1), lambda a: a[1].shape[-1] * a[1].shape[0]),
    "lgamma": (lgamma_terms, lambda a: 1),
    "special_gammaln": (lgamma_terms, lambda a: 1),
    "convolution": (convolution_terms, lambda a: max(1, a[1].numel() // max(1, a[1].shape[0]))),
}


def digamma_sway(x):
    """Below zero ATen takes the tangent of pi times the fraction of x, which is near -pi above every pole.
    Rounding that pi moves the argument by about a roundoff, and the result by |x| (pi / sin(pi x))^2 of them."""
    turn = math.pi / torch.sin(math.pi * (x - x.round()))
    return torch.where(x < 0, x.abs() * turn * turn, 0.0)


# name: what a roundoff of the argument does, in roundoffs of 1, where the answer of ATen in double is off by as much
MOVED = dict.fromkeys(("digamma", "special_digamma", "special_psi"), digamma_sway)
# Parts of names of operators that add up along some dimension without saying how many terms a result has.
REDUCING = """norm softmax cum var std logsumexp sum mean dist backward attention trace prod pool interp upsample
    grid_sampler fft einsum linalg cholesky cross_entropy loss cov corr integrate trapz conv scatter index_add
    index_put embedding_bag logcumsumexp matrix det solve svd eig qr lu renorm kron addr bilinear""".split()


def gradient_terms(args, k):
    """How many terms an element of the gradient of input, weight or bias has."""
    grad, x, weight, transposed, groups = *args[:3], args[7], args[9]
    if k == 0:
        return weight.numel() // (weight.shape[0] if transposed else weight.shape[1] * groups)
    many = x if transposed and k == 1 else grad
    return many.numel() // many.shape[1]


# name: how many terms result k has, where its shapes do not say so
COUNTS = {"convolution_backward": gradient_terms}


def terms_of(base, args, k, want):
    if base in COUNTS and want.numel():
        return max(1, COUNTS[base](args, k))
    tensors = tensors_of(args)
    most = max([t.numel() for t in tensors] or [1])
    return max(1, most // max(1, want.numel()), max([max(t.shape, default=1) for t in tensors] or [1]))


def added(e, args, kwargs, k, want):
    """growth * size of the terms of every element of result k; None where nothing is known of it."""
    base = e.base.rstrip("_")
    if base in TERMS:
        terms, count = TERMS[base]
        try:
            wide = convert(args, WIDE)
            size = terms(e, wide, {k: convert(v, WIDE) for k, v in kwargs.items() if k != "out"})
            return growth(count(wide)) * torch.maximum(size.abs(), want.abs())
        except RuntimeError:
            return None
    if any(part in base for part in REDUCING):
        finite = finite_of(want.abs())
        usual = finite.square().mean().sqrt() if finite.numel() else want.abs().new_zeros(())
        return growth(terms_of(base, args, k, want)) * torch.maximum(want.abs(), usual)
    return None


def swayed(x, by, draw):
    """x in double, every number in it off by the part `by` of it, up or down as drawn; of single precision still."""
    if isinstance(x, (list, tuple)):
        return [swayed(y, by, draw) for y in x]
    wide = convert(x, WIDE)
    if not is_dense(wide) or not (wide.is_floating_point() or wide.is_complex()):
        return wide
    parts = torch.view_as_real(wide.resolve_conj()) if wide.is_complex() else wide
    sign = torch.randint(0, 2, parts.shape, generator=draw).to(parts) * 2 - 1
    parts = parts * (1 + by * sign)
    wide = torch.view_as_complex(parts) if wide.is_complex() else parts
    return wide.to(x.dtype).to(wide.dtype) if x.dtype in SINGLES else wide


def sway(e, args, kwargs, got, want):
    """The same call on inputs that are a little off, six times: magnitudes for the bound, per element of every result.
    None of large calls, whose elements show as much, and of convolutions, of which one in double may take a second."""
    if "convolution" in e.base or sum(t.numel() for t in tensors_of([args, list(kwargs.values()), want])) > FEW:
        return None
    most = [torch.zeros_like(w.abs()) if is_dense(g) and is_dense(w) and w.dtype in NARROW else None
            for g, w in zip(got, want)]
    for seed in range(3):
        up, down = sway_once(e, args, kwargs, SWAY, seed), sway_once(e, args, kwargs, -SWAY, seed)
        for k, m in enumerate(most):
            if m is not None and len(up) == len(down) == len(want):
                most[k] = torch.maximum(m, seen(up[k], want[k], down[k], got[k].dtype in SINGLES))
    return most


def sway_once(e, args, kwargs, by, seed):
    """Every result in double and in single precision."""
    draw = torch.Generator().manual_seed(seed)
    args, kwargs = swayed(args, by, draw), {k: swayed(v, by, draw) for k, v in kwargs.items()}
    try:
        return list(zip(run(e, args, kwargs, {}, torch.float64)[0], run(e, args, kwargs, NARROW, torch.float32)[0]))
    except Exception:  # inputs that it refuses; a reference of a user raises whatever it likes
        return []


def seen(up, at, down, single):
    """How far an element goes for what inputs are off by, since no way to compute it avoids such an error (but not
    where it jumps or bends, and up and down are not alike); and what ATen errs by there, if that is more."""
    if any(not is_dense(x) or x.shape != at.shape for x in (*up, *down)):
        return torch.zeros_like(at.abs())
    far = (up[0] - down[0]).abs() / 2
    found = torch.where((up[0] - at + (down[0] - at)).abs() <= far / 16, far / SWAY, 0.0)
    size = finite_of(at.abs())
    for wide, narrow in (up, down) if single and size.numel() else ():
        miss = (narrow.to(wide.dtype) - wide).abs()
        found = torch.maximum(found, torch.where(miss <= ANOTHER * size.max(), miss / ROUNDOFF, 0.0))
    return torch.nan_to_num(found, nan=0.0, posinf=0.0)


def own_error(got, want):
    """ATen's error in ulps and absolutely, the most of all elements."""
    at = torch.isfinite(got) & torch.isfinite(want)
    if not at.any():
        return 0.0, 0.0
    miss, size = (got.to(want.dtype) - want).abs(), want.abs()
    if not at.all():
        miss, size = miss[at], size[at]
    return float((miss / ulps(size, got.dtype)).max()), float(miss.max())


def moved_by(e, args, got):
    """Of results in double alone: in double the answer of the other dtypes is good enough."""
    if got.dtype != torch.float64 or e.base.rstrip("_") not in MOVED:
        return None
    return MOVED[e.base.rstrip("_")](args[0].to(torch.float64))


def weigh(e, args, kwargs, k, got, want, rough, swing):
    """The weight per element. rough: the call in single precision and the same inputs in double, where `got` is double
    itself and cannot show its error; else None. swing: of sway, or None."""
    u = 2.0 ** -53 if got.dtype in NARROW else ROUNDOFF
    if (torch.isnan(got) & torch.isfinite(want)).any():
        raise Unsuitable("ATen gives NaN where it gives a number in double")
    in_ulps, absolute = own_error(*rough) if rough else own_error(got, want)
    if rough:
        absolute *= 2.0 ** -29
    size = want.abs()
    finite = finite_of(size)
    most = float(finite.max()) if finite.numel() else 0.0
    if absolute > ANOTHER * most and in_ulps * torch.finfo(real(got.dtype)).eps > ANOTHER and most > 0:
        raise Unsuitable(f"in double ATen's answer is another one (off by {absolute:.3g}, the largest is {most:.3g})")
    honest = 4 * torch.clamp(in_ulps * ulps(size, got.dtype), max=absolute)
    mag = honest / (K_ACC * u) + 2 * size
    for more in (added(e, args, kwargs, k, want), moved_by(e, args, got), swing):
        if more is not None and more.shape == mag.shape:
            mag = torch.maximum(mag, more)
    return torch.nan_to_num(mag, nan=0.0, posinf=0.0)


# --- answers --------------------------------------------------------------------------------------------------------


def shown(x):
    """dtype and shape of x, in the memory of one element."""
    return torch.zeros((), dtype=x.dtype).expand(x.shape)


def answer_one(e, args, kwargs, k, got, want, rough, swing):
    if got is None and want is None:
        return [torch.empty(0), torch.empty(0).double(), torch.empty(0)]
    if not is_dense(got) or not is_dense(want):
        raise Unsuitable("it gives something else than dense tensors")
    if e.base in UNDEFINED:
        return [shown(got), got.new_zeros(got.shape, dtype=torch.float64), torch.full(got.shape, -math.inf).double()]
    if got.shape != want.shape:
        raise Unsuitable("in double ATen's answer has another shape")
    if e.base in LOST and want.is_complex() and torch.isnan(want).any():
        raise Unsuitable("ATen gives NaN where the answer is a number")
    if not (got.is_floating_point() or got.is_complex()):
        if want.is_floating_point() or want.is_complex() or not torch.equal(got, want.to(got.dtype)):
            raise Unsuitable("in double ATen's integers are others")
        exact = got if got.dtype == torch.bool else got.to(torch.int64)
        return [shown(got), exact.contiguous(), torch.empty(0)]
    want = want.to(torch.complex128 if got.is_complex() else torch.float64).resolve_conj().resolve_neg().contiguous()
    weight = weigh(e, args, kwargs, k, got, want, rough and (rough[0][k], rough[1][k]), swing)
    return [shown(got), want, weight.to(torch.float64).contiguous()]


def rounded(want, like):
    half = is_dense(like) and like.dtype in (torch.float16, torch.bfloat16)
    return want.to(like.dtype) if half and is_dense(want) and want.shape == like.shape else like


def answer(e, args, kwargs, early=False):
    """early: do not believe what it errs by."""
    single = torch.float32
    got, facts = run(e, args, kwargs, {}, single)
    want, _ = run(e, args, kwargs, WIDE, torch.float64)
    if early:
        got = [rounded(*pair) for pair in zip(want, got)]
    rough = None
    if any(isinstance(x, torch.Tensor) and x.dtype in NARROW for x in got):
        less, less_kw = convert(args, NARROW), {k: convert(v, NARROW) for k, v in kwargs.items()}
        rough = run(e, less, less_kw, {}, single)[0], run(e, less, less_kw, WIDE, torch.float64)[0]
    if len(got) != len(want):
        raise Unsuitable("in double ATen gives another number of results")
    swing = sway(e, args, kwargs, got, want) or [None] * len(want)
    return [x for k in range(len(got))
            for x in answer_one(e, args, kwargs, k, got[k], want[k], rough, swing[k]) + [torch.tensor(facts[k])]]


# --- elsewhere ------------------------------------------------------------------------------------------------------


def moved(x, place):
    if isinstance(x, torch.Tensor):
        return x.to(place)
    if isinstance(x, torch.device):
        return torch.device(place)
    if isinstance(x, (list, tuple)):
        return [moved(y, place) for y in x]
    return x


def answer_at(place, e, args, kwargs, held=None):
    """Others need the memory, of which torch would keep eight times the arguments for the next call."""
    early = e.base.rstrip("_") in ROUNDED_EARLY
    try:
        found = answer(e, moved(args, place), {k: moved(v, place) for k, v in kwargs.items()}, early)
        if held:
            found = verdicts(found, moved(held[0], place), held[1])
        return [x.cpu() for x in found]
    finally:
        found = None
        if torch.cuda.is_initialized():
            torch.cuda.empty_cache()


def shapes_at(place, e, args, kwargs):
    got, facts = run(e, moved(args, place), {k: moved(v, place) for k, v in kwargs.items()}, {}, torch.float32)
    if any(x is not None and not is_dense(x) for x in got):
        raise Unsuitable("it gives something else than dense tensors")
    return [x for g, fact in zip(got, facts) for x in
            (torch.empty(0) if g is None else shown(g), torch.empty(0), torch.empty(0), torch.tensor(fact))]


def is_right(want, weight, got, rel, per_weight):
    """As the quick look of src/oracle/oracle.c: what it doubts is looked at there."""
    if not weight.numel():
        return torch.equal(want, got.to(want.dtype))
    if want.is_complex() or not got.is_floating_point():
        return False
    got = got.to(want.dtype)
    same = (got == want) & (torch.signbit(got) == torch.signbit(want))
    miss = (got - want).abs_()
    bound = want.abs() * rel + weight * per_weight
    return bool((same | ((want != 0) & (weight >= 0) & (miss <= bound) & torch.isfinite(bound))).all())


def range_of(want):
    """How many are zeros, and the least and the most."""
    want = want.to(torch.float64)
    if not want.numel():
        return [0.0, math.inf, -math.inf]
    return [float((want == 0).sum()), float(want.min()), float(want.max())]


def verdicts(found, given, bounds):
    """For each result: is it right, and what are the values like that it should have?"""
    lines = []
    for k, (got, (rel, per_weight)) in enumerate(zip(given, bounds)):
        want, weight = found[4 * k + 1:4 * k + 3]
        right = got.shape == want.shape and not want.is_complex() and is_right(want, weight, got, rel, per_weight)
        line = [1.0, *range_of(want)] if right else [0.0] * 4
        lines.append(torch.tensor(line, dtype=torch.float64))
    return lines


def function(e, place=None):
    """What the executor calls in place of the operator. place: who computes, if that is not the processor."""
    if place:
        boot.compute_fully()

    def call(*args, assay_got=None, assay_bound=None, **kwargs):
        with torch.no_grad():
            if assay_bound is None:
                return answer_at(place, e, list(args), kwargs) if place else answer(e, list(args), kwargs)
            if not assay_got:
                return shapes_at(place or "cpu", e, list(args), kwargs)
            return answer_at(place or "cpu", e, list(args), kwargs, [list(assay_got), assay_bound.tolist()])

    return call
