/* SPDX-License-Identifier: Apache-2.0
 *
 * out_i = 1 with probability p_i, else 0, all draws independent; p is self itself, a tensor broadcast to self, or
 * a number.
 *
 * There is no value to compare with. The original test demands PyTorch's own random stream (same seed, same bits),
 * which refuses every right kernel that counts its generator differently; we demand what the operator promises:
 *  - support: every element is exactly 0 or 1, 0 where p = 0 and 1 where p = 1;
 *  - distribution: sums of x_i - p_i over all elements and over tenths of p, and that they depend neither on the
 * place nor on draws before (src/op/random_tests.c);
 *  - the same ay_rng gives the same bits, another one others (the judge's rule for all random operators).
 *
 * All tests of a case together raise a false alarm with probability AY_ALPHA_CASE at most.
 *
 * What it can see: p + 0.02 from n = 80,000 on (with p near 0 or 1 from 30,000), p ignored or averaged from n =
 * 1,000, equal neighbours, lanes or rows from n = 500. The quick rows have those sizes. Small cases test the
 * support only.
 *
 * Cases: original 90, sound but for the comparison; here the same 90 full.
 */
#include "op/op.h"

#include <stdio.h>
#include <string.h>

enum { TENTHS = 10 };

static const double alpha = AY_ALPHA_CASE / (2 * (1 + TENTHS));

static const struct ay_view *probabilities(const struct ay_call *c)
{
	return ay_t(c, ay_has_arg(c, "p") ? "p" : "self");
}

/* --- tests ----------------------------------------------------------------------------------------------- */

static bool check_support(const double *x, const double *p, int64_t n, struct ay_finding *f)
{
	for (int64_t i = 0; i < n; i++) {
		bool is01 = x[i] == 0 || x[i] == 1, sure = p[i] == 0 || p[i] == 1;

		if (is01 && (!sure || x[i] == p[i]))
			continue;
		if (f->bad++)
			continue;
		f->index = i;
		f->want = sure ? p[i] : 0;
		f->got = x[i];
		snprintf(f->text, sizeof f->text,
			 is01 ? "p is %g here, so the draw is certain" : "a draw is exactly 0 or 1", p[i]);
	}
	return !f->bad;
}

/* The tenth of [0, 1] that each p lies in. */
static const uint8_t *tenths(struct ay_arena *a, const double *p, int64_t n)
{
	uint8_t *t = AY_NEW_N(a, uint8_t, n);

	for (int64_t i = 0; i < n; i++)
		t[i] = p[i] >= 1 ? TENTHS - 1 : (uint8_t)(p[i] * TENTHS);
	return t;
}

static void check(const struct ay_call *c, const struct ay_view *const *got, struct ay_finding *f)
{
	struct ay_arena tmp = { 0 };
	struct ay_draws s = { .n = ay_numel_of(got[0]) };
	double *p = AY_NEW_N(&tmp, double, s.n);

	s.row = got[0]->ndim ? got[0]->shape[got[0]->ndim - 1] : 1;
	s.d = AY_NEW_N(&tmp, double, s.n);
	s.v = AY_NEW_N(&tmp, double, s.n);
	ay_draws_load(probabilities(c), got[0], p);
	ay_draws_load(got[0], got[0], s.d);
	if (check_support(s.d, p, s.n, f)) {
		for (int64_t i = 0; i < s.n; i++) {
			s.d[i] -= p[i];
			s.v[i] = p[i] * (1 - p[i]);
		}
		(void)(ay_draws_sum(&s, "all draws", NULL, 1, alpha, f) &&
		       ay_draws_sum(&s, "draws by p, tenth", tenths(&tmp, p, s.n), TENTHS, alpha, f) &&
		       ay_draws_places(&s, f));
	}
	ay_arena_release(&tmp);
}

static void draw(const struct ay_call *c, struct ay_chance *u)
{
	const struct ay_view *out = &c->out[0]->view;
	const int64_t n = ay_numel_of(out);
	struct ay_arena tmp = { 0 };
	double *p = AY_NEW_N(&tmp, double, n);

	ay_draws_load(probabilities(c), out, p);
	for (int64_t i = 0; i < n; i++)
		p[i] = ay_chance_next(u) < p[i];
	ay_draws_store(out, p);
	ay_arena_release(&tmp);
}

/* --- around it ------------------------------------------------------------------------------------------- */

static void log2_top(const struct ay_call *c, double *log2_p)
{
	const struct ay_view *out = &c->out[0]->view;

	ay_draws_load(probabilities(c), out, log2_p);
	for (int64_t i = 0; i < ay_numel_of(out); i++)
		log2_p[i] = log2(fmax(log2_p[i], 1 - log2_p[i]));
}

static int accepts(const struct ay_call *c, struct ay_err *err)
{
	const struct ay_view *self = ay_t(c, "self"), *p = probabilities(c);
	struct ay_view w;

	if (ay_dt_is_complex(self->dt))
		return ay_fail(err, AY_ERR_BIND, "bernoulli has no meaning for %s", ay_dt_info(self->dt)->name);
	if (!ay_dt_is_float(p->dt) && (p == self || p->dt != AY_DT_B8))
		return ay_fail(err, AY_ERR_BIND, "probabilities must be floating, not %s",
			       ay_dt_info(p->dt)->name);
	if (ay_has_arg(c, "p") && p->ndim == 0 && p->data && !(ay_float(c, "p") >= 0 && ay_float(c, "p") <= 1))
		return ay_fail(err, AY_ERR_BIND, "p must be between 0 and 1");
	return ay_view_expand(p, self->ndim, self->shape, &w, err);
}

static void cost(const struct ay_call *c, struct ay_cost *k)
{
	k->flops = (double)ay_numel_of(&c->out[0]->view);
	k->bytes = ay_has_arg(c, "p") ? ay_touched(&c->out[0]->view) : -1; /* with p self is only a shape */
	if (ay_has_arg(c, "p") && ay_operand(c, "p"))
		k->bytes += ay_touched(ay_t(c, "p"));
}

/* clang-format off */
const struct ay_op ay_ops_bernoulli[] = {{
	.schemas   = AY_SCHEMAS("aten::bernoulli(Tensor self, *, Generator? generator=None) -> Tensor",
				"aten::bernoulli.out(Tensor self, *, Generator? generator=None, Tensor(a!) out) -> Tensor(a!)",
				"aten::bernoulli.p(Tensor self, float p, *, Generator? generator=None) -> Tensor",
				"aten::bernoulli.Tensor(Tensor self, Tensor p, *, Generator? generator=None) -> Tensor",
				"aten::bernoulli.Tensor_out(Tensor self, Tensor p, *, Generator? generator=None, Tensor(a!) out) -> Tensor(a!)",
				"aten::bernoulli.float_out(Tensor self, float p=0.5, *, Generator? generator=None, Tensor(a!) out) -> Tensor(a!)"),
	.doc       = "out_i = 1 with probability p_i, else 0; draws are independent. p is self (bernoulli, .out), a number (.p, "
		     ".float_out) or a tensor broadcast to self (.Tensor, .Tensor_out), in [0, 1]; p = 0 gives 0 and p = 1 gives 1 for "
		     "sure. Shape and dtype are those of self, whose values count only where it is p. All chance comes from the "
		     "generator, an ay_rng that is never NULL: the same one must give the same bits, another one others. Any good "
		     "stream will do; PyTorch's own is not asked for.",
	.cases     = {
		{ "((T(s, dt),), {})", "dt=f32|f16|bf16|f64 s=[]|[1]|[0, 3]|[7]|[2, 3]|[129]|[3, 65]|[2, 3, 4, 5]|[37, 131]", AY_QUICK },
		{ "((T([300, 307], dt),), {})", "dt=f32|f16|bf16", AY_QUICK },
		{ "((T([65, 129], dt, stride=st, offset=1),), {})", "dt=f32|f16 st=[1, 65]|[258, 2]|[0, 1]|[1, 0]", AY_QUICK },
		{ "((T([33, 65], dt, fill=bool(0.5)),), {})", "dt=f32|f16|bf16", AY_QUICK },
		{ "((T([4], dt, data=[0.0, 1.0, 0.0, 1.0]),), {})", "dt=f32|f16|bf16", AY_QUICK },
		{ "aten::bernoulli.p((T(s, dt), p), {})", "dt=f32|f16|bf16 p=0.0|1.0|0.1|0.5 s=[]|[0]|[37, 131]", AY_QUICK },
		{ "aten::bernoulli.p((T([300, 307], dt), p), {})", "dt=f32|f16|bf16 p=0.5|0.03 ; dt=i64|i32|u8|b8 p=0.25", AY_QUICK },
		{ "aten::bernoulli.Tensor((T(s, dt), T(q, dp)), {})", "dt=f32|f16|bf16|i32 dp=f32|f16 (s,q)=([37, 131],[37, 131])|([37, 131],[131])|([37, 131],[37, 1])|([37, 131],[])|([0, 3],[3])", AY_QUICK },
		{ "aten::bernoulli.Tensor((T([300, 307], dt), T(q, f32, fill=uniform(a, b))), {})", "dt=f32|bf16 q=[307]|[300, 307] (a,b)=(0.0,1.0)|(0.4,0.6)", AY_QUICK },
		{ "aten::bernoulli.Tensor_out((T([37, 131], dt), T([131], f32)), {'out': T([37, 131], dt, stride=(1, 37))})", "dt=f32|f16|bf16", AY_QUICK },
		{ "aten::bernoulli.float_out((T([37, 131], dt), p), {'out': T([37, 131], dt, stride=(262, 2), offset=1)})", "dt=f32|f16|bf16|i64 p=0.3|0.8", AY_QUICK },
		{ "aten::bernoulli.float_out((T([37, 131], dt),), {'out': T([37, 131], dt)})", "dt=f32", AY_QUICK },
		{ "((T(s, dt),), {})", "dt=f32|f16|bf16 s=[2, 3]|[128, 256]|[512, 512]", AY_FULL },
		{ "aten::bernoulli.out((T(s, dt),), {'out': T(s, dt)})", "dt=f32|f16|bf16 s=[2, 3]|[128, 256]|[512, 512]", AY_FULL },
		{ "aten::bernoulli.p((T(s, dt), p), {})", "p=0.1|0.5|0.9 dt=f32|f16|bf16 s=[2, 3]|[128, 256]|[512, 512]", AY_FULL },
		{ "aten::bernoulli.Tensor((T(s, dt), T(s, dt)), {})", "dt=f32|f16|bf16 s=[2, 3]|[128, 256]|[512, 512]", AY_FULL },
		{ "aten::bernoulli.Tensor_out((T(s, dt), T(s, dt)), {'out': T(s, dt)})", "dt=f32|f16|bf16 s=[2, 3]|[128, 256]|[512, 512]", AY_FULL },
		{ "aten::bernoulli.float_out((T(s, dt), p), {'out': T(s, dt)})", "p=0.3|0.8|0.5 dt=f32|f16|bf16 s=[2, 3]|[128, 256]|[512, 512]", AY_FULL },
		{ "((T(s, dt),), {})", "dt=f32|bf16 s=[512, 1024]|[4096, 4096]", AY_PERF },
		{ "aten::bernoulli.p((T(s, dt), 0.5), {})", "dt=f32|f16 s=[512, 1024]|[4096, 4096]", AY_PERF },
	},
	.vary      = {
		{ "((T(s, dt, fill=f),), {})", "s=shape() dt=f32|f16|bf16|f64 f='uniform(0, 1)'|'uniform(0, 1)'|'uniform(0.4, 0.6)'|'bool(0.5)'" },
		{ "aten::bernoulli.p((T(s, dt), p), {})", "s=shape() dt=f32|f16|bf16|f64|i64|i32|i16|i8|u8|b8 p=0.0|1.0|0.1|0.5|0.9|0.03" },
		{ "aten::bernoulli.Tensor((T(s, dt), T(fits(s), dp, fill=f)), {})", "s=shape() dt=f32|f16|bf16|f64|i64|i32|u8 dp=f32|f16|bf16|f64 f='uniform(0, 1)'|'uniform(0, 1)'|'uniform(0.4, 0.6)'|'bool(0.5)'" },
		{ "aten::bernoulli.float_out((T(s, dt), p), {'out': T(s, dt)})", "s=shape() dt=f32|f16|bf16|f64|i64|u8 p=0.3|0.8|0.5|0.0|1.0" },
	},
	.fills     = "self=uniform(0, 1); p=uniform(0, 1)",
	.accepts   = accepts,
	.check     = check,
	.log2_top  = log2_top,
	.draw      = draw,
	.cost      = cost,
	.promises  = "Which random stream is used: PyTorch's own is not demanded.",
	.flags     = AY_RANDOM,
}, {0}};
