# SPDX-License-Identifier: Apache-2.0
"""The answer of an operator that has no reference in C: ATen in double, on unchanged inputs.

An answer is a flat list with four tensors for every tensor that the call writes: first for written
arguments, then for results. They are: its dtype and shape (in the memory of one element); its value
in double (integers: exactly); the error weight per element, as ay_mag of src/op/op.h (an empty one
means exactly this value); and one number: ALIAS if ATen returns it in the memory of an argument,
ABSENT if ATen returns None.

How much error is honest. If the operator adds up and it is known how (TERMS, REDUCING), the bound
grows with the number of terms, as for references in C (docs/error-bound.md). For every operator it
is at least four times ATen's own error at the dtype of the call, in ulps or absolutely, whichever
is less, and 8 units of roundoff. If there are few elements, all may be right by luck. So small
calls are repeated on slightly changed inputs. The bound is then also at least four times ATen's
error there, and the change that a roundoff of the inputs causes.

Arguments lie in memory of the processor, and so must answers. If another device computes (`place`),
arguments and answers are moved there and back, and nothing stays there. Copying two doubles per
element back takes far longer than computing them. So two other requests exist for a device, made by
arguments that no operator has (src/judge/aten_request.h): what the results are like, without their
values; and whether given results are right, of which only yes counts.
"""
import math

import torch

from assay import boot

UNDEFINED = {"empty", "empty_like", "empty_strided", "empty_permuted", "new_empty", "new_empty_strided"}
# For complex numbers on the processor these give NaN even if one term is far larger than the
# others, so that the answer is that term.
LOST = {"logcumsumexp"}
# On a GPU these round to half types early, where other implementations round at the end. Their own
# error does not show what an honest kernel's error is.
ROUNDED_EARLY = {"_softmax_backward_data", "convolution", "index_add", "native_group_norm", "scatter_add",
                 "tanh_backward"}
K_ACC = 4.0  # as AY_K_ACC
ALIAS, ABSENT = 1, 2  # as in src/judge/aten_oracle.c
EXPONENT = 0x7FF << 52  # bits of a double's exponent
ROUNDOFF = 2.0 ** -24  # of f32, in which half types are computed too
SWAY = 2.0 ** -16  # relative change of inputs that single precision can represent, up and down
FEW = 1 << 14  # largest number of elements of a call that is repeated on other inputs
ANOTHER = 0.05  # of the largest element: a larger difference is no error but another answer

WIDE = {
    torch.float16: torch.float64, torch.bfloat16: torch.float64, torch.float32: torch.float64,
    torch.float8_e4m3fn: torch.float64, torch.float8_e5m2: torch.float64,
    torch.complex32: torch.complex128, torch.complex64: torch.complex128,
}
NARROW = {torch.float64: torch.float32, torch.complex128: torch.complex64}
SINGLES = set(NARROW.values())


class Unsuitable(Exception):
    """There is no answer that a kernel could be compared with; the text says why."""


# --- the same call in another precision ---------------------------------------------------------------------------


def convert(x, table):
    """Returns x with every tensor and dtype converted by the table. Tensors are new, because the
    call may write to them."""
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
    """Returns everything that the call writes: arguments, then results that are no arguments; and
    the facts about each."""
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
    """Returns the distance between numbers near `size` (in double) in dtype. A double with only the
    exponent's bits is a power of two."""
    info = torch.finfo(real(dtype))
    return size.clamp(min=info.tiny).view(torch.int64).bitwise_and_(EXPONENT).view(torch.float64) * info.eps


def finite_of(x):
    """Returns x's finite elements. In most calls that is all of x, and selecting them takes as long
    as the answer."""
    at = torch.isfinite(x)
    return x if at.all() else x[at]


def squared(x):
    return (x.abs() ** 2).to(torch.float64) if isinstance(x, torch.Tensor) else x


def product_terms(e, args, kwargs, at):
    """Returns the 2-norm of the terms of a product of args[at] and args[at + 1], by the operator
    itself on squares."""
    rest = [squared(x) if i in (at, at + 1) else x for i, x in enumerate(args)]
    if at:  # addmm and similar: the added tensor is a term; beta and alpha are squared too
        rest[0] = squared(args[0])
    kwargs = {k: abs(v) ** 2 if k in ("alpha", "beta") else v for k, v in kwargs.items()}
    return e.function(*rest, **kwargs).sqrt()


def convolution_terms(e, args, kwargs):
    rest = [squared(x) if i < 3 else x for i, x in enumerate(args)]
    return e.function(*rest, **kwargs).sqrt()


def lgamma_terms(e, args, kwargs):
    """Below zero lgamma is the difference of its value above zero and a logarithm."""
    return e.function(args[0]).abs() + e.function(args[0].abs()).abs() + 1


def inner(i):
    return lambda args: args[i].shape[-1]


# name: (the 2-norm of the terms of every result, the number of terms)
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
    """Below zero ATen computes the tangent of pi times the fraction of x, which is near -pi above
    every pole. Rounding that pi changes the argument by about a roundoff, and the result by |x| (pi
    / sin(pi x))^2 roundoffs."""
    turn = math.pi / torch.sin(math.pi * (x - x.round()))
    return torch.where(x < 0, x.abs() * turn * turn, 0.0)


# name: how many roundoffs of 1 a result changes by for a roundoff of the argument, if ATen's answer
# in double is wrong by as much
MOVED = dict.fromkeys(("digamma", "special_digamma", "special_psi"), digamma_sway)
# Parts of names of operators that add up along a dimension without saying how many terms a result
# has.
REDUCING = """norm softmax cum var std logsumexp sum mean dist backward attention trace prod pool interp upsample
    grid_sampler fft einsum linalg cholesky cross_entropy loss cov corr integrate trapz conv scatter index_add
    index_put embedding_bag logcumsumexp matrix det solve svd eig qr lu renorm kron addr bilinear""".split()


def gradient_terms(args, k):
    """Returns the number of terms of an element of the gradient of input, weight or bias."""
    grad, x, weight, transposed, groups = *args[:3], args[7], args[9]
    if k == 0:
        return weight.numel() // (weight.shape[0] if transposed else weight.shape[1] * groups)
    many = x if transposed and k == 1 else grad
    return many.numel() // many.shape[1]


# name: the number of terms of result k, if its shapes do not show it
COUNTS = {"convolution_backward": gradient_terms}


def terms_of(base, args, k, want):
    if base in COUNTS and want.numel():
        return max(1, COUNTS[base](args, k))
    tensors = tensors_of(args)
    most = max([t.numel() for t in tensors] or [1])
    return max(1, most // max(1, want.numel()), max([max(t.shape, default=1) for t in tensors] or [1]))


def added(e, args, kwargs, k, want):
    """Returns growth * size of the terms for every element of result k. None: nothing is known
    about it."""
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


def perturbed(x, by, draw):
    """Returns x in double with every number changed by the factor 1 + `by` or 1 - `by` at random;
    tensors of single precision stay representable in it."""
    if isinstance(x, (list, tuple)):
        return [perturbed(y, by, draw) for y in x]
    wide = convert(x, WIDE)
    if not is_dense(wide) or not (wide.is_floating_point() or wide.is_complex()):
        return wide
    parts = torch.view_as_real(wide.resolve_conj()) if wide.is_complex() else wide
    sign = torch.randint(0, 2, parts.shape, generator=draw).to(parts) * 2 - 1
    parts = parts * (1 + by * sign)
    wide = torch.view_as_complex(parts) if wide.is_complex() else parts
    return wide.to(x.dtype).to(wide.dtype) if x.dtype in SINGLES else wide


def sway(e, args, kwargs, got, want):
    """Repeats the call on slightly changed inputs, six times. Returns magnitudes for the bound, per
    element of every result. Returns None for large calls, whose many elements show enough, and for
    convolutions, which may take a second each in double."""
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
    """Returns every result in double and in single precision."""
    draw = torch.Generator().manual_seed(seed)
    args, kwargs = perturbed(args, by, draw), {k: perturbed(v, by, draw) for k, v in kwargs.items()}
    try:
        return list(zip(run(e, args, kwargs, {}, torch.float64)[0], run(e, args, kwargs, NARROW, torch.float32)[0]))
    # the operator refuses these inputs, or a user's reference raises an exception
    except Exception:
        return []


def seen(up, at, down, single):
    """Returns the change of an element, in roundoffs, that the change of the inputs causes: no way
    to compute it avoids such an error. Elements that jump or bend do not count: there `up` and
    `down` are not symmetric. Returns ATen's error at these inputs if that is more."""
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
    """Returns ATen's largest error of all elements, in ulps and absolutely."""
    at = torch.isfinite(got) & torch.isfinite(want)
    if not at.any():
        return 0.0, 0.0
    miss, size = (got.to(want.dtype) - want).abs(), want.abs()
    if not at.all():
        miss, size = miss[at], size[at]
    return float((miss / ulps(size, got.dtype)).max()), float(miss.max())


def moved_by(e, args, got):
    """Only for results in double: for other dtypes the answer in double is accurate enough."""
    if got.dtype != torch.float64 or e.base.rstrip("_") not in MOVED:
        return None
    return MOVED[e.base.rstrip("_")](args[0].to(torch.float64))


def weigh(e, args, kwargs, k, got, want, rough, swing):
    """Returns the weight per element. rough: the call in single precision and the call on the same
    inputs in double, if `got` is double itself and so cannot show its error; else None. swing: what
    sway returned for this result, or None."""
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
    """Returns a tensor with x's dtype and shape in the memory of one element."""
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
    """Returns the answer. early: ATen rounds early (ROUNDED_EARLY), so its own error is not
    used."""
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


# --- on another device ----------------------------------------------------------------------------------------------


def moved(x, place):
    if isinstance(x, torch.Tensor):
        return x.to(place)
    if isinstance(x, torch.device):
        return torch.device(place)
    if isinstance(x, (list, tuple)):
        return [moved(y, place) for y in x]
    return x


def answer_at(place, e, args, kwargs, held=None):
    """Returns the answer, computed at `place`. Frees torch's cached memory afterwards: other
    processes need it, and torch would keep eight times the size of the arguments."""
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
    """Checks results as the quick check of src/oracle/oracle.c does. A result that fails here is
    checked again there."""
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
    """Returns the number of zeros, the minimum and the maximum."""
    want = want.to(torch.float64)
    if not want.numel():
        return [0.0, math.inf, -math.inf]
    return [float((want == 0).sum()), float(want.min()), float(want.max())]


def verdicts(found, given, bounds):
    """Returns for each result whether it is right, and statistics of the expected values."""
    lines = []
    for k, (got, (rel, per_weight)) in enumerate(zip(given, bounds)):
        want, weight = found[4 * k + 1:4 * k + 3]
        right = got.shape == want.shape and not want.is_complex() and is_right(want, weight, got, rel, per_weight)
        line = [1.0, *range_of(want)] if right else [0.0] * 4
        lines.append(torch.tensor(line, dtype=torch.float64))
    return lines


def function(e, place=None):
    """Returns the function that the executor calls in place of the operator. place: the device that
    computes, if not the processor."""
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
