/* SPDX-License-Identifier: Apache-2.0
 *
 * out_i = 1 with probability p_i, else 0, all draws independent; p is self itself, a tensor broadcast to self, or
 * a number.
 *
 * There is no value to compare with. The original test demands PyTorch's own random stream (same seed, same bits),
 * which refuses every right kernel that counts its generator differently; we demand what the operator promises:
 *  - support: every element is exactly 0 or 1, 0 where p = 0 and 1 where p = 1;
 *  - distribution: sums of x_i - p_i over all elements, over tenths of p, over eighths of the tensor and over
 * places modulo 32; products of elements `lag` apart for lags 1, 2, 3, 5, 7, row length and its multiples, powers
 * of two and n/2; and the first PROBE elements against every stretch up to 65,536 behind them, which finds a
 * repeated block of any length;
 *  - the same ay_rng gives the same bits, another one others (the judge's rule for all random operators).
 *
 * False alarms. With d_i = x_i - p_i, sums of d_i have independent terms, so ay_bernstein holds for any n. A lag
 * product d_i d_(i+lag) is a martingale difference, bounded by 1, with conditional variance d_i^2 v_(i+lag), v =
 * p(1-p): Freedman's inequality is Bernstein's with a bound on the sum of these. That sum has mean sum v_i
 * v_(i+lag) and exceeds it by ay_bernstein(sum v_i v_(i+lag)^2) with probability alpha at most (d^2 <= 1, so
 * var(d^2) <= v), which costs a second alpha. All tests of a case together stay under AY_ALPHA_CASE. Generators
 * with 2^-20 granularity are honest: BIAS * n is added.
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

enum { TENTHS = 10, EIGHTHS = 8, CLASSES = 32, MAX_LAGS = 64, PROBE = 512, REACH = 65536 };

/* Every test gets the same share: the sums, two for each lag, and as much again as all of those for the probe. */
static const double alpha = AY_ALPHA_CASE / (2 * (1 + TENTHS + EIGHTHS + CLASSES + 2 * MAX_LAGS));
static const double alpha_probe = AY_ALPHA_CASE / (2 * 2 * REACH);
#define BIAS 0x1p-20

/* All draws of a case, in row-major order. */
struct draws {
	int64_t n, row;
	double *p, *d, *v; /* p, x - p, and its variance p(1 - p) */
};

static const struct ay_view *probabilities(const struct ay_call *c)
{
	return ay_t(c, ay_has_arg(c, "p") ? "p" : "self");
}

/* All elements of v, seen with the shape of `like`. */
static void load_all(const struct ay_ref *r, const struct ay_view *v, const struct ay_view *like, double *dst)
{
	struct ay_view w;
	int64_t len = like->ndim ? like->shape[like->ndim - 1] : 1, n = ay_numel_of(like);
	num *x = AY_NEW_N(r->tmp, num, len);

	if (ay_view_expand(v, like->ndim, like->shape, &w, &(struct ay_err){ 0 }))
		AY_BUG("bernoulli: p does not broadcast");
	for (int64_t i = 0; i < n; i += len) {
		ay_load(r, &w, -1, i / len, x);
		for (int64_t j = 0; j < len; j++)
			dst[i + j] = (double)re(x[j]);
	}
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

/* A sum of deviations against what its variance allows. */
static bool check_sum(struct ay_finding *f, const char *what, double sum, double var, double n, double a)
{
	double t = ay_bernstein(var, a) + BIAS * n;

	if (fabs(sum) <= t)
		return true;
	f->got = sum;
	f->bound = t;
	snprintf(f->text, sizeof f->text,
		 "%s: sum of (draw - p) is %.4g over %.0f draws, honest ones stay within %.4g", what, sum, n, t);
	return false;
}

/* Sums over groups of elements; group_of says which. */
static bool check_groups(const struct draws *s, const char *what, int groups,
			 int (*group_of)(const struct draws *, int64_t), struct ay_finding *f)
{
	double sum[CLASSES] = { 0 }, var[CLASSES] = { 0 }, n[CLASSES] = { 0 };

	for (int64_t i = 0; i < s->n; i++) {
		int g = group_of(s, i);

		sum[g] += s->d[i];
		var[g] += s->v[i];
		n[g]++;
	}
	for (int g = 0; g < groups; g++) {
		char text[64];

		snprintf(text, sizeof text, "%s %d of %d", what, g + 1, groups);
		if (!check_sum(f, groups > 1 ? text : what, sum[g], var[g], n[g], alpha))
			return false;
	}
	return true;
}

static int in_all(const struct draws *s, int64_t i)
{
	(void)s, (void)i;
	return 0;
}

static int in_tenth(const struct draws *s, int64_t i)
{
	return s->p[i] >= 1 ? TENTHS - 1 : (int)(s->p[i] * TENTHS);
}

static int in_eighth(const struct draws *s, int64_t i)
{
	return (int)(i * EIGHTHS / s->n);
}

static int in_class(const struct draws *s, int64_t i)
{
	(void)s;
	return (int)(i % CLASSES);
}

/* Four sums side by side, so that no addition waits for the one before. */
static double products(const double *a, const double *b, int64_t n)
{
	double s[4] = { 0 };
	int64_t i = 0;

	for (; i + 4 <= n; i += 4)
		for (int k = 0; k < 4; k++)
			s[k] += a[i + k] * b[i + k];
	for (; i < n; i++)
		s[0] += a[i] * b[i];
	return (s[0] + s[1]) + (s[2] + s[3]);
}

/* Sum of d_i d_(i+lag) over the first n pairs; false if it is more than chance. */
static bool check_lag(const struct draws *s, int64_t lag, int64_t n, double a, struct ay_finding *f)
{
	double sum = products(s->d, s->d + lag, n), v0, v1 = 0, t;

	if (fabs(sum) <= 2 * log(2 / a) / 3) /* ay_bernstein(0, a): the threshold is at least this */
		return true;
	v0 = products(s->v, s->v + lag, n);
	for (int64_t i = 0; i < n; i++)
		v1 += s->v[i] * s->v[i + lag] * s->v[i + lag];
	t = ay_bernstein(v0 + ay_bernstein(v1, a), a) + 4 * BIAS * (double)n;
	if (fabs(sum) <= t)
		return true;
	f->got = sum;
	f->bound = t;
	snprintf(f->text, sizeof f->text,
		 "draws %lld apart depend on each other: their correlation sums to %.4g over %lld pairs, honest "
		 "ones stay within %.4g",
		 (long long)lag, sum, (long long)n, t);
	return false;
}

static int list_lags(const struct draws *s, int64_t *lag)
{
	int n = 0;

	for (int64_t k = 1; k < s->n && n < MAX_LAGS / 2; k *= 2)
		lag[n++] = k;
	for (int64_t k = 3; k < 8; k += 2)
		lag[n++] = k;
	for (int64_t k = 1; k <= 4; k++)
		lag[n++] = k * s->row;
	lag[n++] = s->n / 2;
	return n;
}

static bool check_lags(const struct draws *s, struct ay_finding *f)
{
	int64_t lag[MAX_LAGS];
	int n = list_lags(s, lag);

	for (int k = 0; k < n; k++)
		if (lag[k] > 0 && lag[k] < s->n && !check_lag(s, lag[k], s->n - lag[k], alpha, f))
			return false;
	for (int64_t k = 1; k <= REACH && k + PROBE <= s->n; k++)
		if (!check_lag(s, k, PROBE, alpha_probe, f))
			return false;
	return true;
}

static void check(const struct ay_call *c, const struct ay_view *const *got, struct ay_finding *f)
{
	struct ay_arena tmp = { 0 };
	struct ay_ref r = { .c = c, .tmp = &tmp };
	struct draws s = { .n = ay_numel_of(got[0]) };

	s.row = got[0]->ndim ? got[0]->shape[got[0]->ndim - 1] : 1;
	s.p = AY_NEW_N(&tmp, double, s.n);
	s.d = AY_NEW_N(&tmp, double, s.n);
	s.v = AY_NEW_N(&tmp, double, s.n);
	load_all(&r, probabilities(c), got[0], s.p);
	load_all(&r, got[0], got[0], s.d);
	if (check_support(s.d, s.p, s.n, f)) {
		for (int64_t i = 0; i < s.n; i++) {
			s.d[i] -= s.p[i];
			s.v[i] = s.p[i] * (1 - s.p[i]);
		}
		(void)(check_groups(&s, "all draws", 1, in_all, f) &&
		       check_groups(&s, "draws by p, tenth", TENTHS, in_tenth, f) &&
		       check_groups(&s, "draws by place, eighth", EIGHTHS, in_eighth, f) &&
		       check_groups(&s, "draws by place modulo 32, class", CLASSES, in_class, f) &&
		       check_lags(&s, f));
	}
	ay_arena_release(&tmp);
}

/* --- around it ------------------------------------------------------------------------------------------- */

/* Two honest results agree at i with probability p^2 + (1 - p)^2. */
static double log2_same(const struct ay_call *c)
{
	struct ay_arena tmp = { 0 };
	struct ay_ref r = { .c = c, .tmp = &tmp };
	const struct ay_view *out = &c->out[0]->view;
	int64_t n = ay_numel_of(out);
	double *p = AY_NEW_N(&tmp, double, n), sum = 0;

	load_all(&r, probabilities(c), out, p);
	for (int64_t i = 0; i < n; i++)
		sum += log2(p[i] * p[i] + (1 - p[i]) * (1 - p[i]));
	ay_arena_release(&tmp);
	return sum;
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
	.fills     = "self=uniform(0, 1); p=uniform(0, 1)",
	.accepts   = accepts,
	.check     = check,
	.log2_same = log2_same,
	.cost      = cost,
	.promises  = "Which random stream is used: PyTorch's own is not demanded.",
	.flags     = AY_RANDOM,
}, {0}};
