/* SPDX-License-Identifier: Apache-2.0
 *
 * Gradients of activations and of smooth L1, element by element; g is grad_output, x is self:
 *
 *	mish_backward			g (t + x sigmoid(x) (1 - t^2)), t = tanh(softplus(x))
 *	log_sigmoid_backward		g sigmoid(-x)
 *	softplus_backward		g sigmoid(beta x) up to beta x = threshold, g above
 *	rrelu_with_noise_backward	g noise in training, else g where x > 0, g (lower + upper) / 2 elsewhere
 *	smooth_l1_loss_backward		norm g clamp((x - target) / beta, -1, 1), or norm g sign(x - target)
 *					for beta = 0; norm = 1 / numel(self) for the mean, else 1
 *
 * Error. An exponential is off by 1 + |argument| units, of which a sigmoid s keeps 1 - s: mag = |g| s (3 + 2 (1 -
 * s) |argument|). Where it is subnormal it may be flushed, and all of the result be lost. mish_backward adds two
 * terms that cancel near x = -1.19, so its weight is the sum of their sizes; 1 - t^2 cancels as well, until t is 1
 * in the accumulator. The others are products of two to four factors, of which the first ones may be subnormal.
 *
 * buffer of log_sigmoid_backward: on the CPU log_sigmoid leaves exp(-|x|) there, on CUDA nothing, and the gradient
 * follows from x alone. Both ways must pass, so what rounding the buffer to its dtype does to the result is added.
 * softplus_backward of ATen on the CPU multiplies by e^z before it divides by e^z + 1, so the largest gradients
 * become infinite; nothing in the formula asks for that. rrelu_with_noise_backward: the catalogue lets noise count
 * only where upper - lower > 1e-6; PyTorch 2.13 does not.
 *
 * What the original tests missed. softplus_backward: thresholds of 10 and 20 over normal numbers, which none of
 * its 108 cases ever crosses: half of the definition is untested. smooth_l1_loss_backward: an absolute tolerance
 * of 1e-4, with gradients of a mean of 1 / 32,768 and 1 / 262,144: two thirds of the mean's cases pass with all
 * zeros, unless grad_output is above 3. log_sigmoid_backward: the buffer is sigmoid(self), which no forward pass
 * leaves; who reads it fails, so it is not tested that it may be read. All: normal numbers, dense, one shape for
 * all; no NaN, infinity or exponential that overflows.
 *
 * Cases: mish_backward original 9, here 9. log_sigmoid_backward original 18, here 9, with the right buffer;
 * softplus_backward original 108, here 54; smooth_l1_loss_backward original 162, here 81: the other halves are the
 * same calls through grad_input=, which our twins are (dense and with gaps). rrelu_with_noise_backward original 36
 * (18 with self_is_result = False, 18 through out= with True), here 36, and twins.
 */
#include "op/op.h"

#include <string.h>

/* --- errors ----------------------------------------------------------------------------------------------- */

/* A weight must be finite: that of a result near the largest f64 may not fit, of an infinite one is not used. */
static double weight_of(real mag)
{
	return isfinite(mag) ? (double)fmin(mag, (real)0x1p1023) : 0;
}

/* May the accumulator hold 0 for e? An infinite gradient times that is NaN. */
static bool is_flushed(enum ay_dt dt, real e)
{
	return ay_err_flush(dt, (double)e, 1) > 0;
}

/* g sigmoid(z) */
static real by_sigmoid(enum ay_dt dt, real g, real z, double *mag)
{
	const real e = exp(-fabs(z)), s = z < 0 ? e / (1 + e) : 1 / (1 + e), f = g * s;

	*mag = weight_of(fabs(f) * (3 + (isfinite(z) ? 2 * fabs(z) * (z < 0 ? 1 / (1 + e) : e / (1 + e)) : 0))) +
	       ay_err_flush(dt, (double)exp(z), (double)f);
	if (isinf(g) && is_flushed(dt, exp(z)))
		*mag = AY_FREE;
	return f;
}

/* --- references ------------------------------------------------------------------------------------------- */

static void mish_backward(struct ay_ref *r)
{
	const num *g = ay_load_flat(r, ay_t(r->c, "grad_output"), 0),
		  *self = ay_load_flat(r, ay_t(r->c, "self"), 0);
	const enum ay_dt dt = r->c->out[0]->view.dt;

	for (int64_t i = r->lo; i < r->hi; i++) {
		const real x = re(self[i - r->lo]), size = fabs(re(g[i - r->lo]));
		const real e = exp(x), s = 1 / (1 + exp(-x)), t = tanh(log1p(e)), w = (1 - t) * (1 + t);
		const real off = 2 * (1 + fabs(x)) * (1 - s), rest = fabs(x) * s * w;
		const real cut = w > ay_u_acc(dt) / 4 ? 2 * fabs(x) * s * t : 0, slope = t + x * s * w;
		const real weight = t * (3 + off) + rest * (4 + off) + cut;
		const real off_by = AY_K_ACC * ay_u_acc(dt) * weight;
		/* Of an infinite product the slope decides the sign, or that it is NaN. Next to the largest f64 a
		 * weight does not fit, and the slope, just above 1, decides whether it is infinite. */
		const bool lost = isinf(size) ? is_flushed(dt, e) || fabs(slope) <= off_by
					      : size * weight > 0x1p1023 &&
							fabs(size * fabs(slope) - (real)ay_dt_max(dt)) <=
								size * off_by;

		*ay_val(r, 0, i, 0) = g[i - r->lo] * slope;
		*ay_mag(r, 0, i, 0) = isinf(x) || lost
					      ? AY_FREE
					      : weight_of(size * weight) +
							ay_err_flush(dt, (double)e, (double)(size * (t + rest)));
	}
}

static void log_sigmoid_backward(struct ay_ref *r)
{
	const num *g = ay_load_flat(r, ay_t(r->c, "grad_output"), 0),
		  *self = ay_load_flat(r, ay_t(r->c, "self"), 0);
	const enum ay_dt dt = r->c->out[0]->view.dt;

	for (int64_t i = r->lo; i < r->hi; i++) {
		const real x = re(self[i - r->lo]), b = exp(-fabs(x));
		double mag;

		*ay_val(r, 0, i, 0) = by_sigmoid(dt, re(g[i - r->lo]), -x, &mag);
		/* the buffer's last digit: b / (1 + b) moves by db / (1 + b)^2 */
		mag += weight_of(fabs(re(g[i - r->lo])) * (real)ay_dt_ulp(dt, b) / ((1 + b) * (1 + b)) /
				 (AY_K_ACC * ay_u_acc(dt)));
		/* infinity times a buffer that is rounded to 0 is NaN */
		*ay_mag(r, 0, i, 0) = isinf(re(g[i - r->lo])) && x > 0 && b < (real)ay_dt_ulp(dt, 0) ? AY_FREE
												     : mag;
	}
}

static void softplus_backward(struct ay_ref *r)
{
	const num *g = ay_load_flat(r, ay_t(r->c, "grad_output"), 0),
		  *self = ay_load_flat(r, ay_t(r->c, "self"), 0);
	const real beta = re(ay_number(r->c, "beta")), threshold = re(ay_number(r->c, "threshold"));
	const enum ay_dt dt = r->c->out[0]->view.dt;
	/* beta and the product are rounded, or flushed to 0 */
	const real doubt = 4 * ay_u_acc(dt) * fabs(threshold) +
			   ldexp((real)1, ay_dt_info(ay_u_acc(dt) < 0x1p-30 ? AY_DT_F64 : AY_DT_F32)->emin);

	for (int64_t i = r->lo; i < r->hi; i++) {
		const real z = beta * re(self[i - r->lo]), off = fabs(z - threshold);

		if (z > threshold)
			*ay_val(r, 0, i, 0) = g[i - r->lo];
		else
			*ay_val(r, 0, i, 0) = by_sigmoid(dt, re(g[i - r->lo]), z, ay_mag(r, 0, i, 0));
		/* the side of the threshold is undecidable */
		if (off > 0 && off <= doubt)
			*ay_mag(r, 0, i, 0) = AY_FREE;
	}
}

static real mean_slope(const struct ay_call *c)
{
	return (re(ay_number(c, "lower")) + re(ay_number(c, "upper"))) / 2;
}

static void rrelu_backward(struct ay_ref *r)
{
	const num *g = ay_load_flat(r, ay_t(r->c, "grad_output"), 0),
		  *self = ay_load_flat(r, ay_t(r->c, "self"), 0);
	const num *noise = ay_load_flat(r, ay_t(r->c, "noise"), 0);
	const bool training = ay_flag(r->c, "training");
	const real slope = mean_slope(r->c);

	for (int64_t i = r->lo; i < r->hi; i++) {
		const bool copied = !training && re(self[i - r->lo]) > 0;
		const num f = g[i - r->lo] * (training ? noise[i - r->lo] : copied ? 1 : slope);

		*ay_val(r, 0, i, 0) = f;
		*ay_mag(r, 0, i, 0) = copied ? -1 : training ? 0 : weight_of(fabs(f));
	}
}

static void smooth_l1_backward(struct ay_ref *r)
{
	enum { MEAN = 1 };
	const num *g = ay_load_flat(r, ay_t(r->c, "grad_output"), 0),
		  *self = ay_load_flat(r, ay_t(r->c, "self"), 0);
	const num *target = ay_load_flat(r, ay_t(r->c, "target"), 0);
	const real beta = ay_float(r->c, "beta");
	const real norm = ay_int(r->c, "reduction") == MEAN ? 1 / (real)ay_numel_of(ay_t(r->c, "self")) : 1;
	const enum ay_dt dt = r->c->out[0]->view.dt;
	/* in weights: the smallest number that the accumulator holds, which a subnormal product may be off by */
	const double least = ay_dt_ulp(ay_u_acc(dt) < 0x1p-30 ? AY_DT_F64 : AY_DT_F32, 0) /
			     (AY_K_ACC * ay_u_acc(dt));

	for (int64_t i = r->lo; i < r->hi; i++) {
		const real d = re(self[i - r->lo]) - re(target[i - r->lo]);
		const real slope = isnan(d) || fabs(d) < beta ? d / beta : d > 0 ? 1 : d < 0 ? -1 : 0;
		const num f = norm * g[i - r->lo] * slope;

		*ay_val(r, 0, i, 0) = f;
		*ay_mag(r, 0, i, 0) = weight_of(5 * fabs(f));
		/* g d is made before it is divided by beta, d / beta before it is multiplied by g, or norm d
		 * before both */
		if (fabs(d) < beta)
			*ay_mag(r, 0, i, 0) += weight_of(
				least * (fabs(g[i - r->lo]) * (norm < 1 ? 1 + 1 / beta : 1) + 1 / beta));
		if (beta == 0 && d == 0)
			*ay_mag(r, 0, i, 0) = AY_FREE;
	}
}

/* --- calls ------------------------------------------------------------------------------------------------ */

static int need_float(const struct ay_call *c, struct ay_err *err)
{
	const enum ay_dt dt = ay_t(c, "self")->dt;

	if (!ay_dt_is_float(dt) || ay_dt_info(dt)->bytes < 2)
		return ay_fail(err, AY_ERR_BIND, "%s of %s is not judged", c->s->base, ay_dt_info(dt)->name);
	for (int i = 0; i < c->noperand; i++)
		if (c->operand[i]->role == AY_IN && c->operand[i]->view.dt != dt)
			return ay_fail(err, AY_ERR_BIND, "%s is %s, self %s: one dtype for all is judged",
				       c->operand[i]->name, ay_dt_info(c->operand[i]->view.dt)->name,
				       ay_dt_info(dt)->name);
	return 0;
}

static bool same_shape(const struct ay_view *a, const struct ay_view *b)
{
	return a->ndim == b->ndim && !memcmp(a->shape, b->shape, sizeof *a->shape * (size_t)a->ndim);
}

static int need_shape(const struct ay_call *c, const char *name, struct ay_err *err)
{
	return same_shape(ay_t(c, name), ay_t(c, "self"))
		       ? 0
		       : ay_fail(err, AY_ERR_BIND, "%s must have the shape of self", name);
}

static int accepts_two(const struct ay_call *c, struct ay_err *err)
{
	return need_float(c, err) || need_shape(c, "grad_output", err) ? -1 : 0;
}

static int accepts_log_sigmoid(const struct ay_call *c, struct ay_err *err)
{
	return accepts_two(c, err) || (ay_numel_of(ay_t(c, "buffer")) && need_shape(c, "buffer", err)) ? -1 : 0;
}

static int accepts_rrelu(const struct ay_call *c, struct ay_err *err)
{
	if (accepts_two(c, err) || need_shape(c, "noise", err))
		return -1;
	if (ay_flag(c, "self_is_result") && !ay_flag(c, "training") && ay_t(c, "lower")->data && mean_slope(c) < 0)
		return ay_fail(err, AY_ERR_BIND,
			       "a result does not tell the sign of self if the slope is negative");
	return 0;
}

static int accepts_smooth_l1(const struct ay_call *c, struct ay_err *err)
{
	const struct ay_view *self = ay_t(c, "self");
	struct ay_view to;

	if (need_float(c, err) || ay_view_expand(ay_t(c, "target"), self->ndim, self->shape, &to, err) ||
	    ay_view_expand(ay_t(c, "grad_output"), self->ndim, self->shape, &to, err))
		return -1;
	if (ay_int(c, "reduction") < 0 || ay_int(c, "reduction") > 2)
		return ay_fail(err, AY_ERR_BIND, "reduction is 0 (none), 1 (mean) or 2 (sum)");
	return ay_float(c, "beta") >= 0 ? 0 : ay_fail(err, AY_ERR_BIND, "beta must not be negative");
}

static int like_self(const struct ay_call *c, int k, struct ay_meta *m, struct ay_err *err)
{
	const struct ay_view *self = ay_t(c, "self");

	(void)k, (void)err;
	m->dt = self->dt;
	m->ndim = self->ndim;
	memcpy(m->shape, self->shape, sizeof m->shape);
	return 0;
}

/* --- the buffer of log_sigmoid ---------------------------------------------------------------------------- */

/* e^-x for x >= 0, of + - * alone: the same bits on every machine. */
static double decay(double x)
{
	const double ln2_high = 0x1.62e42feep-1, ln2_low = 0x1.a39ef35793c76p-33;
	double k, y, term = 1, sum = 1;

	if (!(x < 1100))
		return isnan(x) ? x : 0;
	k = rint(x * 1.4426950408889634);
	y = k * ln2_low - (x - k * ln2_high);
	for (int n = 1; n < 18; n++) {
		term *= y / n;
		sum += term;
	}
	return ldexp(sum, -(int)k);
}

/* exp(-|self|), as the forward pass leaves it. Both tensors have one layout, or buffer is dense. */
static double make_forward(const struct ay_call *c, const struct ay_operand *o, const struct ay_fill *f, int64_t i,
			   uint64_t bits)
{
	const struct ay_operand *self = ay_operand(c, "self");
	const bool alike = same_shape(&self->view, &o->view) && self->view.offset == o->view.offset &&
			   !memcmp(self->view.stride, o->view.stride,
				   sizeof *o->view.stride * (size_t)o->view.ndim);
	const int64_t at = i - o->view.offset;
	double memory, x;

	(void)f, (void)bits;
	if (!alike && (at < 0 || at >= ay_numel_of(&self->view)))
		return 0;
	ay_fill_one(c, self, alike ? i : self->view.offset + ay_view_at(&self->view, at), &memory);
	ay_row_load_d(self->view.dt, &memory, 1, 1, &x);
	return decay(fabs(x));
}

static const struct ay_maker makers[] = { { "forward", make_forward }, { 0 } };

/* --- ATen ------------------------------------------------------------------------------------------------- */

static const char *log_sigmoid_differs(const struct ay_call *c)
{
	return ay_numel_of(ay_t(c, "buffer")) == ay_numel_of(ay_t(c, "self")) ? NULL
									      : "the buffer is not optional";
}

static const char *softplus_differs(const struct ay_call *c)
{
	return strcmp(ay_operand(c, "grad_output")->fill.name, "special")
		       ? NULL
		       : "grad_output * exp(beta * self) overflows before it is divided";
}

static const char *smooth_l1_differs_cuda(const struct ay_call *c)
{
	const enum ay_dt dt = ay_t(c, "self")->dt;

	return dt == AY_DT_F16 || dt == AY_DT_BF16 ? "the difference and both products are rounded to half types"
						   : NULL;
}

/* --- costs ------------------------------------------------------------------------------------------------ */

/* Operations for each element: an exponential counts 8, a logarithm and a tangent 10 each. */
static void cost_of(const struct ay_call *c, double each_flops, struct ay_cost *k)
{
	k->flops = each_flops * (double)ay_numel_of(ay_t(c, "self"));
	k->bytes = -1;
}

static void cost_mish(const struct ay_call *c, struct ay_cost *k)
{
	cost_of(c, 45, k);
}

static void cost_log_sigmoid(const struct ay_call *c, struct ay_cost *k)
{
	cost_of(c, 11, k);
	k->bytes = ay_touched(ay_t(c, "grad_output")) + ay_touched(ay_t(c, "self")) + ay_touched(&c->out[0]->view);
}

static void cost_softplus(const struct ay_call *c, struct ay_cost *k)
{
	cost_of(c, 13, k);
}

/* Of noise and self only one is read. */
static void cost_rrelu(const struct ay_call *c, struct ay_cost *k)
{
	cost_of(c, 1, k);
	k->bytes = ay_touched(ay_t(c, "grad_output")) + ay_touched(&c->out[0]->view) +
		   ay_touched(ay_t(c, ay_flag(c, "training") ? "noise" : "self"));
}

static void cost_smooth_l1(const struct ay_call *c, struct ay_cost *k)
{
	cost_of(c, 5, k);
}

/* clang-format off */
#define SHAPES "s=[]|[1]|[0, 3]|[7]|[129]|[3, 65]|[2, 3, 4, 5]"

const struct ay_op ay_ops_backwards[] = {{
	.schemas   = AY_SCHEMAS("aten::mish_backward(Tensor grad_output, Tensor self) -> Tensor"),
	.doc       = "out = grad_output * (t + self * sigmoid(self) * (1 - t^2)) with t = tanh(log(1 + exp(self))), element by element: the "
		     "gradient of mish. Both tensors have one shape and one float dtype, and so has the result. Where exp(self) overflows "
		     "the factor is 1. NaN stays NaN. Half types are computed in f32 and rounded once.",
	.cases     = {
		{ "((T(s, dt), T(s, dt, fill=uniform(-5, 1.5))), {})", "dt=f32|f16|bf16|f64 " SHAPES, AY_QUICK },
		{ "((T([257], dt), T([257], dt, fill=normal(0, w))), {})", "dt=f32|f16|bf16|f64 w=40|0.01", AY_QUICK },
		{ "((T([257], dt), T([257], dt, fill=uniform(a, b))), {})", "dt=f32|f16|bf16|f64 (a,b)=(-1.3,-1.1) ; dt=f32|f64 (a,b)=(4,12)", AY_QUICK },
		{ "((T([257], dt, fill=heavy), T([257], dt, fill=heavy)), {})", "dt=f32|f16|bf16", AY_QUICK },
		{ "((T([513], dt, fill=special), T([513], dt, fill=special)), {})", "dt=f32|f16|bf16|f64", AY_QUICK },
		{ "((T([8, 33], dt, stride=(66, 2), offset=3), T([8, 33], dt, stride=(1, 8))), {})", "dt=f32|f16|bf16", AY_QUICK },
		{ "((T([9, 16], dt, stride=(0, 1)), T([9, 16], dt, stride=(1, 0))), {})", "dt=f32|f16|bf16", AY_QUICK },
		{ "((T(s, dt), T(s, dt)), {})", "dt=f32|f16|bf16 s=[2, 3]|[128, 256]|[512, 512]", AY_FULL },
		{ "((T(s, dt), T(s, dt)), {})", "dt=f32|f16|bf16 s=[512, 512]|[16, 128, 64, 60]", AY_PERF },
	},
	.vary      = {{ "((T(s, dt, fill=f), T(s, dt, fill=g)), {})", "s=shape() dt=f32|f16|bf16|f64 f='normal'|'mixed'|'heavy'|'special'|'exact' g='normal(0, 3)'|'mixed'|'normal(0, 40)'|'normal(0, 0.01)'|'uniform(-5, 1.5)'|'heavy'|'special'|'exact(-4, 4)'" }},
	.accepts   = accepts_two,
	.reference = mish_backward,
	.cost      = cost_mish,
	.promises  = "infinite self: the formula gives NaN there, its limits are 0 and grad_output; an infinite grad_output where the slope is "
		     "within its rounding error of 0",
	.flags     = AY_ALIAS_SAFE,
}, {
	.schemas   = AY_SCHEMAS("aten::log_sigmoid_backward(Tensor grad_output, Tensor self, Tensor buffer) -> Tensor",
				"aten::log_sigmoid_backward.grad_input(Tensor grad_output, Tensor self, Tensor buffer, *, Tensor(a!) grad_input) -> Tensor(a!)"),
	.doc       = "out = grad_output * sigmoid(-self), element by element: the gradient of log(sigmoid(self)). buffer is what the forward "
		     "pass left: exp(-|self|), rounded to its dtype and of self's shape, or no elements at all (CUDA's forward pass leaves "
		     "none). It need not be read, and must not be where it is empty. All tensors have one float dtype; grad_output and the "
		     "result have self's shape. NaN stays NaN. Half types are computed in f32 and rounded once.",
	.cases     = {
		{ "((T(s, dt), T(s, dt, fill=normal(0, 3)), T(s, dt)), {})", "dt=f32|f16|bf16|f64 " SHAPES, AY_QUICK },
		{ "((T(s, dt), T(s, dt, fill=normal(0, 3)), T([0], dt)), {})", "dt=f32|f16|bf16 s=[3, 65]|[7]", AY_QUICK },
		{ "((T([257], dt), T([257], dt, fill=normal(0, w)), T([257], dt)), {})", "dt=f32|f16|bf16|f64 w=40|0.01", AY_QUICK },
		{ "((T([257], dt, fill=heavy), T([257], dt, fill=heavy), T([257], dt)), {})", "dt=f32|f16|bf16", AY_QUICK },
		{ "((T([513], dt, fill=special), T([513], dt, fill=special), T([513], dt)), {})", "dt=f32|f16|bf16|f64", AY_QUICK },
		{ "((T([8, 33], dt, stride=(66, 2), offset=3), T([8, 33], dt, stride=(1, 8), offset=2), T([8, 33], dt)), {})", "dt=f32|f16|bf16", AY_QUICK },
		{ "((T([9, 16], dt, stride=(0, 1)), T([9, 16], dt, stride=(1, 0)), T([9, 16], dt, stride=(1, 0))), {})", "dt=f32|f16|bf16", AY_QUICK },
		{ "((T(s, dt), T(s, dt), T(s, dt)), {})", "dt=f32|f16|bf16 s=[2, 3]|[128, 256]|[512, 512]", AY_FULL },
		/* sets for timing are drawn tensor by tensor: a buffer would not be that of its self */
		{ "((T(s, dt), T(s, dt), T([0], dt)), {})", "dt=f32|f16|bf16 s=[512, 512]|[16, 128, 64, 60]", AY_PERF },
	},
	.vary      = {{ "((T(s, dt, fill=f), T(s, dt, fill=g), T(b, dt, stride=dense(b))), {})", "s=shape() b=s|s|[0] dt=f32|f16|bf16|f64 f='normal'|'mixed'|'heavy'|'special'|'exact' g='normal(0, 3)'|'mixed'|'normal(0, 40)'|'normal(0, 0.01)'|'uniform(-5, 1.5)'|'heavy'|'special'|'exact(-4, 4)'" }},
	.fills     = "buffer=forward",
	.makers    = makers,
	.accepts   = accepts_log_sigmoid,
	.reference = log_sigmoid_backward,
	.cost      = cost_log_sigmoid,
	.aten_differs = log_sigmoid_differs,
	.rounds    = "exp(-|self|), which the forward pass stored in buffer",
	.promises  = "an infinite grad_output where exp(-self) is smaller than every number of the dtype, and the buffer may hold 0",
	.flags     = AY_ALIAS_SAFE,
}, {
	.schemas   = AY_SCHEMAS("aten::softplus_backward(Tensor grad_output, Tensor self, Scalar beta, Scalar threshold) -> Tensor",
				"aten::softplus_backward.grad_input(Tensor grad_output, Tensor self, Scalar beta, Scalar threshold, *, Tensor(a!) grad_input) -> Tensor(a!)"),
	.doc       = "out = grad_output where beta * self > threshold, else grad_output * sigmoid(beta * self), element by element: the "
		     "gradient of log(1 + exp(beta * self)) / beta, which is taken for a straight line above the threshold. Both tensors "
		     "have one shape and one float dtype, and so has the result. NaN stays NaN in self, where the comparison is false, and "
		     "in grad_output. beta and threshold are numbers of any sign. Half types are computed in f32 and rounded once.",
	.cases     = {
		{ "((T(s, dt), T(s, dt, fill=normal(0, 3)), 1, 20), {})", "dt=f32|f16|bf16|f64 " SHAPES, AY_QUICK },
		{ "((T([257], dt), T([257], dt, fill=normal(0, 3)), b, t), {})", "dt=f32|f16|bf16|f64 (b,t)=(2,1)|(0.5,-1)|(-1.5,0)|(0.3,0.25)|(1,0.0)", AY_QUICK },
		{ "((T([257], dt), T([257], dt, fill=normal(0, w)), 2.0, 20.0), {})", "dt=f32|f16|bf16|f64 w=40|0.01", AY_QUICK },
		{ "((T([257], dt), T([257], dt, fill=exact(-4, 4)), 0.5, 1), {})", "dt=f32|f16|bf16", AY_QUICK },
		{ "((T([257], dt, fill=heavy), T([257], dt, fill=heavy), 0.5, 10), {})", "dt=f32|f16|bf16", AY_QUICK },
		{ "((T([513], dt, fill=nonfinite), T([513], dt, fill=special), 1, t), {})", "dt=f32|f16|bf16|f64 t=20|-3", AY_QUICK },
		{ "((T([513], dt, fill=special), T([513], dt), 1, 20), {})", "dt=f32|f16|bf16|f64", AY_QUICK },
		{ "((T([8, 33], dt, stride=(66, 2), offset=3), T([8, 33], dt, stride=(1, 8)), 1.0, 1), {})", "dt=f32|f16|bf16", AY_QUICK },
		{ "((T([9, 16], dt, stride=(0, 1)), T([9, 16], dt, stride=(1, 0)), 1, 20), {})", "dt=f32|f16|bf16", AY_QUICK },
		{ "((T(s, dt), T(s, dt), b, t), {})", "t=10.0|20.0 b=0.5|1.0|2.0 dt=f32|f16|bf16 s=[2, 3]|[128, 256]|[512, 512]", AY_FULL },
		{ "((T(s, dt), T(s, dt), 1.0, 20.0), {})", "dt=f32|f16|bf16 s=[512, 512]|[16, 128, 64, 60]", AY_PERF },
	},
	.vary      = {{ "((T(s, dt, fill=f), T(s, dt, fill=g), b, t), {})", "s=shape() dt=f32|f16|bf16|f64 b=1|2.0|0.5|-1.5|0.3 t=20|1|-1|0|0.25|10.0 f='normal'|'mixed'|'heavy'|'special'|'exact' g='normal(0, 3)'|'mixed'|'normal(0, 40)'|'normal(0, 0.01)'|'uniform(-5, 1.5)'|'heavy'|'special'|'exact(-4, 4)'" }},
	.accepts   = accepts_two,
	.reference = softplus_backward,
	.cost      = cost_softplus,
	.aten_differs = softplus_differs,
	.cuda_differs = softplus_differs,
	.promises  = "which side of the threshold beta * self is on, where only its rounding decides",
	.flags     = AY_ALIAS_SAFE,
}, {
	.schemas   = AY_SCHEMAS("aten::smooth_l1_loss_backward(Tensor grad_output, Tensor self, Tensor target, int reduction, float beta) -> Tensor",
				"aten::smooth_l1_loss_backward.grad_input(Tensor grad_output, Tensor self, Tensor target, int reduction, float beta, *, Tensor(a!) grad_input) -> Tensor(a!)"),
	.doc       = "With d = self - target: out = norm * grad_output * (d / beta where |d| < beta, else the sign of d), element by element; "
		     "norm is 1 / numel(self) for reduction 1 (mean), else 1 (0 none, 2 sum). beta = 0 gives the gradient of |d|. "
		     "target and grad_output (0-dim under a reduction) are broadcast to self's shape; all have one float dtype; "
		     "the result is like self. NaN in any of the three gives NaN. Half types are computed in f32 and rounded once.",
	.cases     = {
		{ "((T(s, dt), T(s, dt), T(s, dt), 0, 1.0), {})", "dt=f32|f16|bf16|f64 " SHAPES, AY_QUICK },
		{ "((T([], dt), T(s, dt), T(s, dt), r, b), {})", "dt=f32|f16|bf16|f64 r=1|2 (s,b)=([],1)|([1],0.5)|([0, 3],1)|([3, 65],0.3)|([5, 4, 33],2)", AY_QUICK },
		{ "((T([9, 33], dt), T([9, 33], dt), T([33], dt), 0, b), {})", "dt=f32|f16|bf16 b=0|0.001|100", AY_QUICK },
		{ "((T([257], dt), T([257], dt, fill=exact), T([257], dt, fill=exact), 0, b), {})", "dt=f32|f16|bf16 b=0|1|2", AY_QUICK },
		{ "((T([257], dt, fill=heavy), T([257], dt, fill=heavy), T([257], dt, fill=heavy), 1, 8), {})", "dt=f32|f16|bf16", AY_QUICK },
		{ "((T([513], dt, fill=nonfinite), T([513], dt, fill=special), T([513], dt, fill=special), 0, b), {})", "dt=f32|f16|bf16|f64 b=1.5|0", AY_QUICK },
		{ "((T([8, 33], dt, stride=(66, 2), offset=3), T([8, 33], dt, stride=(1, 8)), T([8, 33], dt, stride=(0, 1), offset=1), 0, 1), {})", "dt=f32|f16|bf16", AY_QUICK },
		{ "((T(r ? [] : s, dt), T(s, dt), T(s, dt), r, b), {})", "b=0.5|1.0|2.0 r=0|1|2 dt=f32|f16|bf16 s=[2, 3]|[128, 256]|[512, 512]", AY_FULL },
		{ "((T([], dt), T(s, dt), T(s, dt), 1, 1.0), {})", "dt=f32|f16|bf16 s=[512, 512]|[16, 128, 64, 60]", AY_PERF },
	},
	.vary      = {{ "((T(u, dt, fill=f), T(s, dt, fill=g), T(t, dt, fill=g), r, b), {})", "s=shape() t=s|s|fits(s) r=0|1|2 u=r ? [] : one(s, s, fits(s)) dt=f32|f16|bf16|f64 b=1.0|0|0.001|0.3|2.5|100 f='normal'|'mixed'|'heavy'|'nonfinite' g='normal'|'mixed'|'heavy'|'special'|'exact'" }},
	.accepts   = accepts_smooth_l1,
	.result    = like_self,
	.reference = smooth_l1_backward,
	.cost      = cost_smooth_l1,
	.cuda_differs = smooth_l1_differs_cuda,
	.promises  = "d = 0 under beta = 0, where |d| has no gradient",
}, {
	.schemas   = AY_SCHEMAS("aten::rrelu_with_noise_backward(Tensor grad_output, Tensor self, Tensor noise, Scalar lower, Scalar upper, bool training, bool self_is_result) -> Tensor",
				"aten::rrelu_with_noise_backward.out(Tensor grad_output, Tensor self, Tensor noise, Scalar lower, Scalar upper, bool training, bool self_is_result, *, Tensor(a!) out) -> Tensor(a!)"),
	.doc       = "training: out = grad_output * noise (the slopes that the forward pass drew; 1 where self was positive). Else out = "
		     "grad_output where self > 0, and grad_output * (lower + upper) / 2 elsewhere, also where self is NaN. "
		     "self_is_result: self holds the forward pass's result, which has the sign of its input (then the mean slope must "
		     "not be negative); the formula stays. All tensors have one shape and one float dtype, and so has the result. "
		     "Gradients that pass unchanged are copied bit for bit. Half types are computed in f32 and rounded once.",
	.cases     = {
		{ "((T(s, dt), T(s, dt), T(s, dt), 0.125, 0.3333333333333333, t, False), {})", "t=True|False dt=f32|f16|bf16|f64 " SHAPES, AY_QUICK },
		{ "((T([257], dt), T([257], dt), T([257], dt), a, b, t, i), {})", "dt=f32|f16|bf16 (a,b,t,i)=(0.5,0.5,True,False)|(0.5,0.5,False,True)|(-1,0,False,False)|(0,3,False,True)|(1,2,True,True)", AY_QUICK },
		{ "((T([257], dt, fill=heavy), T([257], dt, fill=heavy), T([257], dt), 0.1, 0.3, t, False), {})", "dt=f32|f16|bf16 t=False|True", AY_QUICK },
		{ "((T([513], dt, fill=special), T([513], dt, fill=special), T([513], dt, fill=special), 0.125, 0.375, t, False), {})", "dt=f32|f16|bf16|f64 t=False|True", AY_QUICK },
		{ "((T([257], dt, fill=exact), T([257], dt, fill=exact), T([257], dt, fill=exact), 1, 3, t, True), {})", "dt=f32|f16|bf16 t=False|True", AY_QUICK },
		{ "((T([8, 33], dt, stride=(66, 2), offset=3), T([8, 33], dt, stride=(1, 8)), T([8, 33], dt, stride=(0, 1), offset=1), 0.125, 0.25, t, False), {})", "dt=f32|f16|bf16 t=False|True", AY_QUICK },
		{ "((T(s, dt), T(s, dt), T(s, dt), 0.125, 0.3333333333333333, t, i), {})", "i=False|True t=True|False dt=f32|f16|bf16 s=[2, 3]|[128, 256]|[1024, 1024]", AY_FULL },
		{ "((T(s, dt), T(s, dt), T(s, dt), 0.125, 0.3333333333333333, t, False), {})", "t=True|False dt=f32|bf16 s=[1024, 1024]|[16, 128, 64, 60]", AY_PERF },
	},
	.vary      = {{ "((T(s, dt, fill=f), T(s, dt, fill=g), T(s, dt, fill=h), a, b, t, i), {})", "s=shape() dt=f32|f16|bf16|f64 (a,b,i)=(0.125,0.3333333333333333,True)|(0.5,0.5,False)|(-1,0,False)|(0,3,True)|(-2,1,False) t=True|False f='normal'|'mixed'|'heavy'|'special'|'exact' g='normal'|'mixed'|'special'|'exact' h='uniform(0.125, 0.375)'|'normal'|'special'" }},
	.fills     = "noise=uniform(0.125, 0.375)",
	.accepts   = accepts_rrelu,
	.reference = rrelu_backward,
	.cost      = cost_rrelu,
	.flags     = AY_ALIAS_SAFE,
}, {0}};
