/* SPDX-License-Identifier: Apache-2.0
 *
 * Training: noise_i = a draw of the uniform law on [lower, upper) where self_i <= 0, else 1; out_i = self_i *
 * noise_i. Else: out_i = self_i where it is above 0, else self_i * (lower + upper) / 2; noise is left alone.
 *
 * Without training the product is one rounding: mag = |out|. With training there is no value to compare with;
 * demanded are
 *  - where self is above 0, or NaN: noise = 1 and out = self, exactly;
 *  - support: noise between lower and upper, as the dtype rounds them;
 *  - out = self * noise, of which noise may have been rounded to the dtype behind the product (ATen) or before:
 * half a unit of noise in its last place, and one of out;
 *  - distribution of noise: counts in 36 bins and up to their edges, mean and variance, independence
 * (src/op/random_tests.c);
 *  - the same ay_rng gives the same bits, another one others (the judge's rule for all random operators).
 *
 * All tests of a case together raise a false alarm with probability AY_ALPHA_CASE at most.
 *
 * What it can see, from the 46,000 draws of the quick rows on: one slope for all, half of the interval, a
 * triangular law, u^1.1 instead of u, numbers of 6 bits; equal neighbours, lanes or rows; noise that is not what
 * out was made with, from the first element on. random_tests_of_rrelu_with_noise plants them.
 *
 * What the original test missed: it demands PyTorch's own random stream, and does not look at noise, which the
 * gradient is made from.
 *
 * ATen on the CPU has no training in f16, and writes noise as if it were contiguous.
 *
 * Cases: original 72 (36 + 36 with out=), sound but for the comparison; here the same 72 full.
 */
#include "op/op.h"

#include <stdio.h>

static bool is_drawn(const struct ay_call *c, real x)
{
	return ay_flag(c, "training") && x <= 0;
}

/* Drawn elements get the middle of the interval. The comparison ignores them: check() judges them. */
static void rrelu(struct ay_ref *r)
{
	const num *x = ay_load_flat(r, ay_t(r->c, "self"), 1);
	const num *old = ay_load_flat(r, &ay_operand(r->c, "noise")->old, 0);
	const real slope = (re(ay_number(r->c, "lower")) + re(ay_number(r->c, "upper"))) / 2;
	const bool training = ay_flag(r->c, "training");

	for (int64_t i = r->lo; i < r->hi; i++) {
		const real v = re(x[i - r->lo]);
		const bool scaled = !(v > 0) && !(training && isnan(v)), drawn = is_drawn(r->c, v);

		*ay_val(r, 0, i, 0) = drawn ? slope : training ? 1 : old[i - r->lo];
		*ay_mag(r, 0, i, 0) = drawn ? AY_FREE : -1;
		*ay_val(r, 1, i, 0) = scaled ? v * slope : v;
		*ay_mag(r, 1, i, 0) = drawn ? AY_FREE : !scaled ? -1 : isfinite(v) ? (double)fabs(v * slope) : 0;
	}
}

/* --- what was drawn -------------------------------------------------------------------------------------- */

static double below(const struct ay_law *l, double x)
{
	return fmin(fmax((x - l->a) / (l->b - l->a), 0), 1);
}

static double quantile(const struct ay_law *l, double u)
{
	return l->a + u * (l->b - l->a);
}

struct look {
	int64_t n;
	enum ay_dt dt;
	double *self, *noise, *out;
	double lower, upper; /* as dt rounds them */
};

/* Could out be self times what became noise? */
static bool is_product(const struct look *l, int64_t i)
{
	const double want = l->self[i] * l->noise[i], got = l->out[i];

	if (!isfinite(want))
		return want == got || (isnan(want) && isnan(got));
	return fabs(got - want) <=
	       ay_dt_ulp(l->dt, want) + fabs(l->self[i]) * ay_dt_ulp(l->dt, l->noise[i]) / 2 * (1 + 0x1p-10);
}

static bool check_each(const struct look *l, struct ay_finding *f)
{
	for (int64_t i = 0; i < l->n; i++) {
		const bool inside = l->noise[i] >= l->lower && l->noise[i] <= l->upper;

		if (isnan(l->self[i]) || l->self[i] > 0 || (inside && is_product(l, i)))
			continue;
		if (f->bad++)
			continue;
		f->out = inside;
		f->index = i;
		f->want = inside ? l->self[i] * l->noise[i] : (l->lower + l->upper) / 2;
		f->got = inside ? l->out[i] : l->noise[i];
		snprintf(f->text, sizeof f->text,
			 inside ? "out must be self * noise where self <= 0"
				: "noise must lie between %g and %g where self <= 0",
			 l->lower, l->upper);
	}
	return !f->bad;
}

static double rounded(enum ay_dt dt, double x)
{
	uint8_t store[16];

	ay_row_store_d(dt, store, 1, 1, &x);
	ay_row_load_d(dt, store, 1, 1, &x);
	return x;
}

static void check(const struct ay_call *c, const struct ay_view *const *got, struct ay_finding *f)
{
	const double a = (double)re(ay_number(c, "lower")), b = (double)re(ay_number(c, "upper"));
	const int64_t n = ay_numel_of(got[0]), row = got[0]->ndim ? got[0]->shape[got[0]->ndim - 1] : 1;
	const enum ay_dt dt = got[0]->dt;
	struct ay_arena tmp = { 0 };
	struct look l = { n, dt, .lower = rounded(dt, a), .upper = rounded(dt, b) };

	if (!ay_flag(c, "training"))
		return;
	l.self = AY_NEW_N(&tmp, double, n);
	l.noise = AY_NEW_N(&tmp, double, n);
	l.out = AY_NEW_N(&tmp, double, n);
	ay_draws_load(ay_t(c, "self"), got[0], l.self);
	ay_draws_load(got[0], got[0], l.noise);
	ay_draws_load(got[1], got[0], l.out);
	if (check_each(&l, f) && a < b) {
		for (int64_t i = 0; i < n; i++)
			if (!(l.self[i] <= 0))
				l.noise[i] = NAN;
		ay_law_check(&(struct ay_law){ below, quantile, a, b, dt }, n, row, l.noise, f);
	}
	ay_arena_release(&tmp);
}

static void draw(const struct ay_call *c, struct ay_chance *u)
{
	const double a = (double)re(ay_number(c, "lower")), b = (double)re(ay_number(c, "upper"));
	const struct ay_view *noise = &c->out[0]->view, *out = &c->out[1]->view;
	const int64_t n = ay_numel_of(out);
	struct ay_arena tmp = { 0 };
	double *x = AY_NEW_N(&tmp, double, n), *y = AY_NEW_N(&tmp, double, n), *self = AY_NEW_N(&tmp, double, n);

	ay_draws_load(ay_t(c, "self"), out, self);
	ay_draws_load(noise, out, x);
	ay_draws_load(out, out, y);
	for (int64_t i = 0; i < n; i++) {
		if (!is_drawn(c, (real)self[i]))
			continue;
		x[i] = a + (b - a) * ay_chance_next(u);
		y[i] = self[i] * x[i];
	}
	ay_draws_store(noise, x);
	ay_draws_store(out, y);
	ay_arena_release(&tmp);
}

/* --- around it ------------------------------------------------------------------------------------------- */

/* The likeliest value of noise is one that stands for a whole unit of the dtype. Kernels may have draws of
 * 2^-19. */
static void log2_top(const struct ay_call *c, double *log2_p)
{
	const double a = (double)re(ay_number(c, "lower")), b = (double)re(ay_number(c, "upper"));
	const double unit = ay_dt_ulp(c->out[0]->view.dt, fmax(fabs(a), fabs(b)));
	const double each = unit < b - a ? fmax(log2(unit / (b - a)), -19) : 0;

	ay_draws_load(ay_t(c, "self"), &c->out[0]->view, log2_p);
	for (int64_t i = 0; i < ay_numel_of(&c->out[0]->view); i++)
		log2_p[i] = is_drawn(c, (real)log2_p[i]) ? each : 0;
}

static int accepts(const struct ay_call *c, struct ay_err *err)
{
	const struct ay_view *self = ay_t(c, "self"), *noise = ay_t(c, "noise");
	struct ay_err other = { 0 };
	struct ay_view w;

	if (!ay_dt_is_float(self->dt) || self->dt == AY_DT_F8E4M3FN || self->dt == AY_DT_F8E5M2)
		return ay_fail(err, AY_ERR_BIND, "rrelu is not defined for %s", ay_dt_info(self->dt)->name);
	if (noise->dt != self->dt || noise->ndim != self->ndim ||
	    ay_view_expand(noise, self->ndim, self->shape, &w, &other) || ay_numel_of(noise) != ay_numel_of(self))
		return ay_fail(err, AY_ERR_BIND, "noise must have the shape and the dtype of self");
	if (!(re(ay_number(c, "lower")) <= re(ay_number(c, "upper"))))
		return ay_fail(err, AY_ERR_BIND, "lower must be at most upper");
	return 0;
}

static const char *aten_differs(const struct ay_call *c)
{
	if (ay_flag(c, "training") && ay_t(c, "self")->dt == AY_DT_F16)
		return "training is not implemented for f16";
	if (ay_flag(c, "training") && !ay_view_is_dense(ay_t(c, "noise")))
		return "noise is taken for a contiguous one";
	return NULL;
}

static const char *cuda_differs(const struct ay_call *c)
{
	return ay_flag(c, "training") && !ay_view_is_dense(ay_t(c, "noise"))
		       ? "noise is taken for a contiguous one"
		       : NULL;
}

static void cost(const struct ay_call *c, struct ay_cost *k)
{
	k->flops = 2.0 * (double)ay_numel_of(ay_t(c, "self"));
	k->bytes = ay_touched(ay_t(c, "self")) + ay_touched(&c->out[1]->view);
	if (ay_flag(c, "training"))
		k->bytes += ay_touched(ay_t(c, "noise"));
}

/* clang-format off */
const struct ay_op ay_ops_rrelu_with_noise[] = {{
	.schemas   = AY_SCHEMAS("aten::rrelu_with_noise(Tensor self, Tensor(b!) noise, Scalar lower=0.125, Scalar upper=0.33333333333333331, bool training=False, Generator? generator=None) -> Tensor",
				"aten::rrelu_with_noise.out(Tensor self, Tensor(b!) noise, Scalar lower=0.125, Scalar upper=0.33333333333333331, bool training=False, Generator? generator=None, *, Tensor(a!) out) -> Tensor(a!)"),
	.doc       = "With training: where self_i <= 0 noise_i = a draw of the uniform law on [lower, upper) and out_i = self_i * noise_i; elsewhere, "
		     "NaN included, noise_i = 1 and out_i = self_i. Draws are independent. Without training: out_i = self_i where it is "
		     "above 0, else self_i * (lower + upper) / 2, and noise is not touched. self, noise and out have one shape and one "
		     "floating dtype; half types are computed in f32, and noise may be rounded before the product or behind it. All "
		     "chance comes from the generator, an ay_rng that is never NULL: the same one must give the same bits, another one "
		     "others. Any good stream will do; PyTorch's own is not asked for.",
	.cases     = {
		{ "((T(s, dt), T(s, dt), 0.125, 0.3333333333333333, t), {})", "dt=f32|f16|bf16|f64 t=True|False s=[]|[1]|[0, 3]|[7]|[129]|[3, 65]|[2, 3, 4, 5]", AY_QUICK },
		{ "((T([37, 131], dt), T([37, 131], dt), l, u, t), {})", "dt=f32|f16|bf16 t=True|False (l,u)=(0.1,0.4)|(0.25,0.25)|(0,1)|(-0.5,0.75)", AY_QUICK },
		{ "((T([300, 307], dt), T([300, 307], dt), 0.125, 0.3333333333333333, True), {})", "dt=f32|f16|bf16", AY_QUICK },
		{ "((T([40, 33], dt, fill=special), T([40, 33], dt), 0.1, 0.4, t), {})", "dt=f32|f16|bf16|f64 t=True|False", AY_QUICK },
		{ "((T([65, 129], dt, stride=sa, offset=1), T([65, 129], dt, stride=sb), 0.1, 0.4, t), {})", "dt=f32|f16|bf16 t=True|False (sa,sb)=([1, 65],[129, 1])|([258, 2],[129, 1])|([0, 1],[129, 1])|([129, 1],[1, 65])", AY_QUICK },
		{ "aten::rrelu_with_noise.out((T([37, 131], dt), T([37, 131], dt), 0.1, 0.4, t), {'out': T([37, 131], dt, stride=st, offset=1)})", "dt=f32|f16|bf16 t=True|False st=[1, 37]|[262, 2]", AY_QUICK },
		{ "((T([5, 9], f32), T([5, 9], f32)), {})", "", AY_QUICK },
		{ "((T(s, dt), T(s, dt), l, u, t), {})", "(l,u)=(0.125,0.3333333333333333)|(0.1,0.4) t=False|True dt=f32|f16|bf16 s=[2, 3]|[128, 256]|[512, 512]", AY_FULL },
		{ "aten::rrelu_with_noise.out((T(s, dt), T(s, dt), l, u, t), {'out': T(s, dt)})", "(l,u)=(0.125,0.3333333333333333)|(0.1,0.4) t=False|True dt=f32|f16|bf16 s=[2, 3]|[128, 256]|[512, 512]", AY_FULL },
		{ "((T(s, dt), T(s, dt), 0.125, 0.3333333333333333, t), {})", "dt=f32|bf16 t=False|True s=[512, 1024]|[2048, 2048]", AY_PERF },
	},
	.vary      = {
		{ "((T(s, dt, fill=f), T(s, dt), l, u, t), {})", "s=shape() dt=f32|f16|bf16|f64 f=None|None|'special' (l,u)=(0.125,0.3333333333333333)|(0.1,0.4)|(0.25,0.25)|(0,1)|(-0.5,0.75) t=True|False" },
	},
	.accepts   = accepts,
	.result    = ay_result_like_first,
	.reference = rrelu,
	.check     = check,
	.log2_top  = log2_top,
	.draw      = draw,
	.cost      = cost,
	.aten_differs = aten_differs,
	.cuda_differs = cuda_differs,
	.promises  = "Which random stream is used: PyTorch's own is not demanded.",
	.flags     = AY_RANDOM,
}, {0}};
