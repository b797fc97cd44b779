/* SPDX-License-Identifier: Apache-2.0
 *
 * Activations, element by element:
 *
 *	hardsigmoid	clamp(x / 6 + 1/2, 0, 1)
 *	silu		x sigmoid(x) = x / (1 + e^-x)
 *	mish		x tanh(softplus(x)) = x n / (n + 2), n = e^x (e^x + 2)
 *	prelu		x where x > 0, else weight * x; one weight, or one for each channel (dimension 1)
 *
 * Error. hardsigmoid: two roundings at the size of |x| + 3, over 6; none where it is 0 or 1. silu and mish: the
 * exponential is off by 1 + |x| units (its argument is rounded, as by exp2(x log2 e)), of which the quotient keeps
 * 1 - sigmoid(x), or at most 4 / (n + 2), and two more roundings follow. Where e^x is subnormal it may be flushed,
 * and x / (1 + e^-x) has overflowed: then all of the result may be lost. prelu: a copy, which is exact, or one
 * product. Infinity follows the formulas: silu and mish of -inf are -inf * 0 = NaN, on every device of ATen.
 *
 * What the original tests missed: normal numbers alone, which hardly reach the ends of hardsigmoid (|x| > 3) and
 * never those of silu and mish, where 1 + e^-x or e^x overflows; an absolute tolerance of 1e-4, which takes 0 for
 * every silu and mish below -12. No strides, offsets, NaN or infinities. prelu: no weight of shape [1].
 *
 * Cases: hardsigmoid original 18, here 9 full: the other half is the same calls through out=, which our twins are
 * (dense and with gaps). mish likewise 18, here 9. silu original 36, here 18: the other 18 call silu_backward,
 * another operator; no case calls silu.out, our twins do. prelu original 36, here 36. All are distinct and sound.
 * The in-place forms hardsigmoid_, silu_ and mish_ are not in the catalogue.
 */
#include "op/op.h"

/* A weight must be finite: that of a result near the largest f64 may not fit, of an infinite one is not used. */
static double weight_of(real mag)
{
	return isfinite(mag) ? (double)fmin(mag, (real)0x1p1023) : 0;
}

/* --- functions of self alone ------------------------------------------------------------------------------ */

typedef num (*activation_fn)(enum ay_dt dt, num x, double *mag);

static num hardsigmoid_of(enum ay_dt dt, num x, double *mag)
{
	const real y = (re(x) + 3) / 6;

	(void)dt;
	*mag = y < 0 || y > 1 ? 0 : (double)(fabs(re(x)) + 3) / 6;
	return y < 0 ? 0 : y > 1 ? 1 : y;
}

static num silu_of(enum ay_dt dt, num x, double *mag)
{
	const num e = exp(-x), f = x / (1 + e);
	const real kept = isfinite(fabs(e)) ? fabs(e / (1 + e)) : 1;

	*mag = weight_of(fabs(f) * (3 + (1 + fabs(x)) * kept)) +
	       ay_err_flush(dt, (double)exp(re(x)), (double)fabs(f));
	return f;
}

static num mish_of(enum ay_dt dt, num x, double *mag)
{
	const real e = exp(re(x)), f = re(x) * tanh(log1p(e));

	*mag = weight_of(fabs(f) * (4 + 4 * (1 + fabs(re(x))) / (e * (e + 2) + 2))) +
	       ay_err_flush(dt, (double)e, (double)f);
	return f;
}

static void each(struct ay_ref *r, activation_fn fn)
{
	const num *x = ay_load_flat(r, ay_t(r->c, "self"), 0);
	const enum ay_dt dt = r->c->out[0]->view.dt;

	for (int64_t i = r->lo; i < r->hi; i++)
		*ay_val(r, 0, i, 0) = fn(dt, x[i - r->lo], ay_mag(r, 0, i, 0));
}

static void hardsigmoid(struct ay_ref *r)
{
	each(r, hardsigmoid_of);
}

static void silu(struct ay_ref *r)
{
	each(r, silu_of);
}

static void mish(struct ay_ref *r)
{
	each(r, mish_of);
}

/* --- prelu ------------------------------------------------------------------------------------------------ */

/* weight as it is broadcast over self: along dimension 1. */
static struct ay_view weight_over(const struct ay_view *self, const struct ay_view *weight)
{
	struct ay_view w = *weight;

	if (ay_numel_of(weight) == 1) {
		w.ndim = 0;
		return w;
	}
	w.ndim = self->ndim - 1;
	for (int d = 1; d < w.ndim; d++) {
		w.shape[d] = 1;
		w.stride[d] = 0;
	}
	return w;
}

static void prelu(struct ay_ref *r)
{
	const struct ay_view w = weight_over(ay_t(r->c, "self"), ay_t(r->c, "weight"));
	const num *x = ay_load_flat(r, ay_t(r->c, "self"), 0), *a = ay_load_flat(r, &w, 0);

	for (int64_t i = r->lo; i < r->hi; i++) {
		bool copied = re(x[i - r->lo]) > 0;

		*ay_val(r, 0, i, 0) = copied ? x[i - r->lo] : a[i - r->lo] * x[i - r->lo];
		*ay_mag(r, 0, i, 0) = copied ? -1 : 0;
	}
}

/* --- calls ------------------------------------------------------------------------------------------------ */

static int need_float(const struct ay_call *c, const char *name, bool complex_too, struct ay_err *err)
{
	const enum ay_dt dt = ay_t(c, name)->dt;

	if (ay_dt_info(dt)->bytes > 1 &&
	    (ay_dt_is_float(dt) || (complex_too && ay_dt_is_complex(dt) && dt != AY_DT_C32)))
		return 0;
	return ay_fail(err, AY_ERR_BIND, "%s of %s is not judged", c->s->base, ay_dt_info(dt)->name);
}

static int accepts_real(const struct ay_call *c, struct ay_err *err)
{
	return need_float(c, "self", false, err);
}

static int accepts_complex(const struct ay_call *c, struct ay_err *err)
{
	return need_float(c, "self", true, err);
}

static int accepts_prelu(const struct ay_call *c, struct ay_err *err)
{
	const struct ay_view *self = ay_t(c, "self"), *weight = ay_t(c, "weight");
	const int64_t channels = self->ndim > 1 ? self->shape[1] : 1;

	if (need_float(c, "self", false, err))
		return -1;
	if (weight->dt != self->dt)
		return ay_fail(err, AY_ERR_BIND, "weight is %s, self %s: prelu does not promote",
			       ay_dt_info(weight->dt)->name, ay_dt_info(self->dt)->name);
	if (weight->ndim > 1)
		return ay_fail(err, AY_ERR_BIND, "weight has %d dimensions, at most 1 is allowed", weight->ndim);
	if (ay_numel_of(weight) != 1 && (!self->ndim || ay_numel_of(weight) != channels))
		return ay_fail(err, AY_ERR_BIND, "weight has %lld elements, self %lld channels",
			       (long long)ay_numel_of(weight), (long long)channels);
	return 0;
}

/* Operations for each element: an exponential counts 8, a logarithm and a tangent 10 each. */
static void cost_of(const struct ay_call *c, double each_flops, struct ay_cost *k)
{
	k->flops = each_flops * (double)ay_numel_of(ay_t(c, "self"));
	k->bytes = -1;
}

static const char *hardsigmoid_differs_cuda(const struct ay_call *c)
{
	return ay_t(c, "self")->dt == AY_DT_F64 ? "a sixth is taken as f32 has it" : NULL;
}

static void cost_hardsigmoid(const struct ay_call *c, struct ay_cost *k)
{
	cost_of(c, 4, k);
}

static void cost_silu(const struct ay_call *c, struct ay_cost *k)
{
	cost_of(c, 10, k);
}

static void cost_mish(const struct ay_call *c, struct ay_cost *k)
{
	cost_of(c, 30, k);
}

static void cost_prelu(const struct ay_call *c, struct ay_cost *k)
{
	cost_of(c, 1, k);
	/* where self is positive the weight is not needed */
	k->bytes = ay_touched(ay_t(c, "self")) + ay_touched(&c->out[0]->view);
}

/* clang-format off */
/* normal(0, 3) crosses +-3, normal(0, 40) leaves what exp can do in f32; small numbers show relative errors. */
#define UNARY_QUICK                                                                                                                        \
		{ "((T(s, dt, fill=normal(0, 3)),), {})", "dt=f32|f16|bf16|f64 s=[]|[1]|[0, 3]|[7]|[129]|[3, 65]|[2, 3, 4, 5]", AY_QUICK },\
		{ "((T([257], dt, fill=normal(0, w)),), {})", "dt=f32|f16|bf16|f64 w=40|0.01", AY_QUICK },                                 \
		{ "((T([257], dt, fill=uniform(-3.1, -2.9)),), {})", "dt=f32|f16|bf16|f64", AY_QUICK },                                    \
		{ "((T([257], dt, fill=heavy),), {})", "dt=f32|f16|bf16|f64", AY_QUICK },                                                  \
		{ "((T([513], dt, fill=special),), {})", "dt=f32|f16|bf16|f64", AY_QUICK },                                                \
		{ "((T([257], dt, fill=exact(-9, 9)),), {})", "dt=f32|f16|bf16", AY_QUICK },                                               \
		{ "((T([8, 33], dt, stride=(66, 2), offset=o),), {})", "dt=f32|f16|bf16 o=0|3", AY_QUICK },                                \
		{ "((T([9, 16], dt, stride=st),), {})", "dt=f32|bf16 st=[1, 9]|[0, 1]|[1, 0]", AY_QUICK }
#define UNARY_PERF { "((T(s, dt),), {})", "dt=f32|f16|bf16 s=[512, 1024]|[1024, 1024]|[16, 128, 64, 60]", AY_PERF }

const struct ay_op ay_ops_activations[] = {{
	.schemas   = AY_SCHEMAS("aten::hardsigmoid(Tensor self) -> Tensor",
				"aten::hardsigmoid.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"),
	.doc       = "out = clamp(self / 6 + 1/2, 0, 1), element by element: 0 up to -3, 1 from 3 on, a straight line between. Shape and "
		     "dtype (a float) are those of self. NaN stays NaN. Half types are computed in f32 and rounded once.",
	.cases     = {
		UNARY_QUICK,
		{ "((T(s, dt),), {})", "dt=f32|f16|bf16 s=[2, 3]|[128, 256]|[1024, 1024]", AY_FULL },
		UNARY_PERF,
	},
	.vary      = {{ "((T(s, dt, fill=fl),), {})", "s=shape() dt=f32|f16|bf16|f64 fl='normal(0, 3)'|'mixed'|'normal(0, 40)'|'normal(0, 0.01)'|'uniform(-3.1, -2.9)'|'heavy'|'special'|'exact(-9, 9)'" }},
	.accepts   = accepts_real,
	.reference = hardsigmoid,
	.cost      = cost_hardsigmoid,
	.cuda_differs = hardsigmoid_differs_cuda,
	.flags     = AY_ALIAS_SAFE,
}, {
	.schemas   = AY_SCHEMAS("aten::silu(Tensor self) -> Tensor",
				"aten::silu.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"),
	.doc       = "out = self * sigmoid(self) = self / (1 + exp(-self)), element by element. Shape and dtype (a float, or complex) are "
		     "those of self. inf stays inf, -inf gives NaN (-inf * 0), NaN stays NaN; far below 0 the result goes to -0 and must "
		     "not become NaN where exp(-self) overflows. Half types are computed in f32 and rounded once.",
	.cases     = {
		UNARY_QUICK,
		{ "((T(s, dt),), {})", "dt=c64|c128 s=[]|[3, 65]", AY_QUICK },
		{ "((T(s, dt),), {})", "dt=f16|f32|bf16 s=[]|[1]|[1024, 1024]|[20, 320, 15]|[16, 128, 64, 60]|[16, 7, 57, 32, 29]", AY_FULL },
		UNARY_PERF,
	},
	.vary      = {{ "((T(s, dt, fill=fl),), {})", "s=shape() dt=f32|f16|bf16|f64|f32|f16|bf16|f64|c64|c128 fl=dt == c64 ? 'normal(0, 3)' : dt == c128 ? 'normal' : one('normal(0, 3)', 'mixed', 'normal(0, 40)', 'normal(0, 0.01)', 'heavy', 'special', 'exact(-9, 9)')" }},
	.accepts   = accepts_complex,
	.reference = silu,
	.cost      = cost_silu,
	.flags     = AY_ALIAS_SAFE,
}, {
	.schemas   = AY_SCHEMAS("aten::mish(Tensor self) -> Tensor",
				"aten::mish.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"),
	.doc       = "out = self * tanh(log(1 + exp(self))), element by element. Shape and dtype (a float) are those of self. With n = "
		     "exp(self) * (exp(self) + 2) it is self * n / (n + 2), which needs no logarithm, and is self itself where exp "
		     "overflows. inf stays inf, -inf gives NaN (-inf * 0), NaN stays NaN. Relative accuracy is asked for on both sides, so "
		     "log(1 + x) must not lose small x. Half types are computed in f32 and rounded once.",
	.cases     = {
		UNARY_QUICK,
		{ "((T(s, dt),), {})", "dt=f32|f16|bf16 s=[2, 3]|[128, 256]|[512, 1024]", AY_FULL },
		UNARY_PERF,
	},
	.vary      = {{ "((T(s, dt, fill=fl),), {})", "s=shape() dt=f32|f16|bf16|f64 fl='normal(0, 3)'|'mixed'|'normal(0, 40)'|'normal(0, 0.01)'|'uniform(-3.1, -2.9)'|'heavy'|'special'|'exact(-9, 9)'" }},
	.accepts   = accepts_real,
	.reference = mish,
	.cost      = cost_mish,
	.flags     = AY_ALIAS_SAFE,
}, {
	.schemas   = AY_SCHEMAS("aten::prelu(Tensor self, Tensor weight) -> Tensor"),
	.doc       = "out = self where self > 0, else weight * self, element by element. weight has one element (0-dim or [1]), or is [C] "
		     "with C = size(self, 1): element (n, c, ...) uses weight[c]. self with fewer than two dimensions takes one element "
		     "only. Both have the same float dtype; the result has shape and dtype of self. Positive elements are copied bit for "
		     "bit; NaN stays NaN, and weight * 0 follows IEEE arithmetic. Products are rounded once.",
	.cases     = {
		{ "((T(s, dt), T(w, dt)), {})", "dt=f32|f16|bf16|f64 (s,w)=([],[])|([],[1])|([1],[])|([7],[1])|([0, 3],[3])|([3, 0],[0])|([129],[])|([3, 65],[65])|([3, 65],[1])|([4, 33, 5],[33])|([2, 3, 4, 5],[3])|([1, 1, 7],[1])", AY_QUICK },
		{ "((T([513, 2], dt, fill=special), T([2], dt)), {})", "dt=f32|f16|bf16|f64", AY_QUICK },
		{ "((T([5, 129], dt), T([129], dt, fill=special)), {})", "dt=f32|f16|bf16", AY_QUICK },
		{ "((T([9, 65], dt, fill=heavy), T([65], dt, fill=heavy)), {})", "dt=f32|f16|bf16", AY_QUICK },
		{ "((T([9, 65], dt, fill=exact), T([65], dt, fill=exact)), {})", "dt=f32|f16|bf16", AY_QUICK },
		{ "((T([8, 33], dt, stride=(66, 2), offset=3), T([33], dt, stride=(3,), offset=1)), {})", "dt=f32|f16|bf16", AY_QUICK },
		{ "((T([9, 16], dt, stride=st), T([16], dt, stride=sw)), {})", "dt=f32|bf16 st=[1, 9]|[0, 1]|[1, 0] sw=[1]|[0]", AY_QUICK },
		{ "((T(s, dt), T([], dt, fill=const(0.25))), {})", "dt=f32|f16|bf16 s=[2, 3]|[128, 256]|[512, 512]|[4, 8, 16]|[2, 32, 16, 16]|[2, 128, 64, 64]", AY_FULL },
		{ "((T(s, dt), T([s[1]], dt)), {})", "dt=f32|f16|bf16 s=[2, 3]|[128, 256]|[512, 512]|[4, 8, 16]|[2, 32, 16, 16]|[2, 128, 64, 64]", AY_FULL },
		{ "((T(s, dt), T([s[1]], dt)), {})", "dt=f32|bf16 s=[512, 512]|[2, 128, 64, 64]|[32, 256, 56, 56]", AY_PERF },
	},
	.vary      = {{ "((T(s, dt, fill=f), T(w, dt, fill=g)), {})", "s=shape() w=len(s) > 1 ? one([s[1]], [s[1]], [1], []) : one([1], []) dt=f32|f16|bf16|f64 f='normal'|'mixed'|'heavy'|'special'|'exact' g='normal'|'mixed'|'heavy'|'special'|'exact'" }},
	.accepts   = accepts_prelu,
	.reference = prelu,
	.cost      = cost_prelu,
	.flags     = AY_ALIAS_SAFE,
}, {0}};
