/* SPDX-License-Identifier: Apache-2.0
 *
 * out_i = a draw of the Poisson law with rate self_i: P(k) = exp(-rate) rate^k / k!, k = 0, 1, .., all
 * independent.
 *
 * There is no value to compare with. The original test demands PyTorch's own random stream. We demand
 *  - support: every element is a whole number, 0 where the rate is 0, and not so far from its rate that it would
 * not occur once in 10^17 draws;
 *  - distribution: how many draws are 0, and how many at most rate + c sqrt(rate) for c = -2 .. 3, over all of
 * them and over rates of each power of two; mean, variance and independence of their places in the law;
 *  - the same ay_rng gives the same bits, another one others (the judge's rule for all random operators).
 *
 * The place of a draw k in its law is V = P(<k) + P(k)/2: with mean 1/2 whatever the rate, and variance (1 - sum
 * P^3)/12. Draws that the dtype rounds (bf16: above 256) stand for all that round to them. Rates up to EXACT are
 * summed term by term; above, the normal law with its first correction is off by 2e-5, which no test here can see.
 * All tests of a case together raise a false alarm with probability AY_ALPHA_CASE at most.
 *
 * What it can see, from the 92,100 draws of the quick rows on: rates wrong by 3 per cent, one rate for all; the
 * rounded rate instead of a draw; a rounded normal or geometric law of the same mean; half or double the variance;
 * equal neighbours, lanes or rows. random_tests_of_poisson plants them. Small cases test the support only.
 *
 * Cases: original 36 (18 + 18 with out=), sound but for the comparison; with and without a generator is one case
 * here, where there always is one: here 18 full.
 */
#include "op/op.h"

#include <stdio.h>

/* Powers of two from 1/8 on; smaller rates count there. */
enum { EXACT = 1000, POWERS = 16, LIMITS = 7, GROUPS = 1 + POWERS };

/* Of the half that places leave: counts of every limit, mean and variance, in all and by power of two. */
static const double alpha = AY_ALPHA_CASE / (2 * GROUPS * (LIMITS + 2));

/* What the law of one rate says of one draw. */
struct fate {
	double at_most[LIMITS]; /* chances of the limits */
	double before, upto;    /* of less than the draw, and of at most it */
	double cubes, fourth;   /* sum of P^3, and of P (V - 1/2)^4 */
	bool possible;
};

/* How far from the rate draws may lie: less than 1e-17 is outside. */
static double reach(double rate)
{
	return 10 * sqrt(rate) + 25;
}

/* The largest whole number that dt rounds to at most x. */
static double rounds_to(enum ay_dt dt, double x)
{
	const double half = floor(x + ay_dt_ulp(dt, x) / 2);

	return ay_round_bits_d(half, ay_dt_info(dt)->mant) <= x ? half : half - 1;
}

/* The same for the value below a draw; -1 where there is none. */
static double rounds_below(enum ay_dt dt, double draw)
{
	return draw > 0 ? rounds_to(dt, draw - fmax(1, ay_dt_ulp(dt, draw - 1))) : -1;
}

/* Limit j for a rate, as dt holds it: 0, then rate + c sqrt(rate). */
static double limit_of(enum ay_dt dt, double rate, int j)
{
	const double x = j ? floor(rate + (j - 3) * sqrt(rate)) : 0;

	return x > 0 ? ay_round_bits_d(x, ay_dt_info(dt)->mant) : x;
}

/* Entry k - from of the sums up to k, where from is the first and from + n - 1 the last. */
static double up_to(const double *sum, double from, double n, double k)
{
	return k < from ? 0 : sum[(int)(fmin(k - from, n - 1))];
}

static void sum_terms(enum ay_dt dt, double rate, double draw, struct fate *f)
{
	const double from = fmax(0, floor(rate - reach(rate))), last = ceil(rate + reach(rate));
	double sum[2 * (10 * 32 + 25) + 3], p = exp(from * log(rate) - rate - lgamma(from + 1)), all = 0;
	int n = 0;

	for (double k = from; k <= last && (p > 1e-20 || k < rate); k++) {
		const double v = all + p / 2 - 0.5;

		f->cubes += p * p * p;
		f->fourth += p * (v * v) * (v * v);
		sum[n++] = all += p;
		p *= rate / (k + 1);
	}
	f->before = up_to(sum, from, n, rounds_below(dt, draw));
	f->upto = up_to(sum, from, n, rounds_to(dt, draw));
	for (int j = 0; j < LIMITS; j++)
		f->at_most[j] = up_to(sum, from, n, rounds_to(dt, limit_of(dt, rate, j)));
}

static double normal_below(double rate, double k)
{
	const double z = (k + 0.5 - rate) / sqrt(rate);

	return 0.5 * erfc(-z / sqrt(2.0)) -
	       exp(-z * z / 2) / sqrt(2 * acos(-1.0)) * (z * z - 1) / (6 * sqrt(rate));
}

static void sum_normal(enum ay_dt dt, double rate, double draw, struct fate *f)
{
	for (int j = 0; j < LIMITS; j++)
		f->at_most[j] = normal_below(rate, rounds_to(dt, limit_of(dt, rate, j)));
	f->upto = normal_below(rate, rounds_to(dt, draw));
	f->before = normal_below(rate, rounds_below(dt, draw));
	f->fourth = 1.0 / 80;
}

static struct fate fate_of(enum ay_dt dt, double rate, double draw)
{
	struct fate f = { .possible = draw >= 0 && draw == floor(draw) && draw < INFINITY };

	f.possible = f.possible && (rate > 0 ? fabs(draw - rate) <= reach(rate) + ay_dt_ulp(dt, draw) : draw == 0);
	if (f.possible && rate > 0)
		(rate <= EXACT ? sum_terms : sum_normal)(dt, rate, draw, &f);
	return f;
}

/* --- tests ----------------------------------------------------------------------------------------------- */

/* What is kept of each draw, and sums of what is not: of all draws, and by their rate's power of two. */
struct look {
	enum ay_dt dt;
	double *rate, *draw, *fourth;
	uint8_t *power;
	struct ay_draws places; /* V - 1/2 */
	struct {
		double sum, var, n;
	} limit[LIMITS][GROUPS];
};

static void count_limits(struct look *l, int64_t i, const struct fate *f)
{
	const int groups[2] = { 0, 1 + l->power[i] };

	for (int j = 0; j < LIMITS; j++) {
		const double p = f->at_most[j];

		for (int g = 0; g < 2; g++) {
			l->limit[j][groups[g]].sum += (l->draw[i] <= limit_of(l->dt, l->rate[i], j)) - p;
			l->limit[j][groups[g]].var += p * (1 - p);
			l->limit[j][groups[g]].n++;
		}
	}
}

/* Looks at every draw once; false if one of them is impossible. */
static bool check_support(struct look *l, struct ay_finding *found)
{
	for (int64_t i = 0; i < l->places.n; i++) {
		const struct fate f = fate_of(l->dt, l->rate[i], l->draw[i]);

		if (!f.possible && !found->bad++) {
			found->index = i;
			found->want = l->rate[i];
			found->got = l->draw[i];
			snprintf(found->text, sizeof found->text,
				 "a draw of rate %g is a whole number not far from it", l->rate[i]);
		}
		if (!f.possible || !(l->rate[i] > 0))
			continue;
		count_limits(l, i, &f);
		l->places.d[i] = (f.before + f.upto) / 2 - 0.5;
		l->places.v[i] = (1 - f.cubes) / 12;
		l->fourth[i] = f.fourth;
	}
	return !found->bad;
}

static bool check_limits(const struct look *l, struct ay_finding *f)
{
	static const char *const names[LIMITS] = { "draws of 0",          "draws to rate - 2 sd",
						   "draws to rate - sd",  "draws to the rate",
						   "draws to rate + sd",  "draws to rate + 2 sd",
						   "draws to rate + 3 sd" };

	for (int j = 0; j < LIMITS; j++) {
		for (int g = 0; g < GROUPS; g++) {
			char text[80];

			snprintf(text, sizeof text, g ? "%s, rates from 2^%d" : "%s", names[j], g - 4);
			if (!ay_draws_within(text, l->limit[j][g].sum, l->limit[j][g].var, l->limit[j][g].n, alpha,
					     f))
				return false;
		}
	}
	return true;
}

static bool check_sums(const struct look *l, const char *what, struct ay_finding *f)
{
	char text[60];

	snprintf(text, sizeof text, "%s, by the rate's power of two,", what);
	return ay_draws_sum(&l->places, what, NULL, 1, alpha, f) &&
	       ay_draws_sum(&l->places, text, l->power, POWERS, alpha, f);
}

static bool check_places(const struct look *l, struct ay_finding *f)
{
	const struct ay_draws *s = &l->places;

	if (!check_sums(l, "places in the law", f) || !ay_draws_places(s, f))
		return false;
	for (int64_t i = 0; i < s->n; i++) {
		const double var = s->v[i];

		/* where draws are rounded, several of them have one place: its square is another one's */
		if (l->rate[i] + reach(l->rate[i]) > ldexp(1, ay_dt_info(l->dt)->mant)) {
			s->d[i] = s->v[i] = 0;
			continue;
		}
		s->d[i] = s->d[i] * s->d[i] - var;
		s->v[i] = l->rate[i] > 0 ? l->fourth[i] - var * var : 0;
	}
	return check_sums(l, "spread of places in the law", f);
}

static void check(const struct ay_call *c, const struct ay_view *const *got, struct ay_finding *f)
{
	struct ay_arena tmp = { 0 };
	const int64_t n = ay_numel_of(got[0]), row = got[0]->ndim ? got[0]->shape[got[0]->ndim - 1] : 1;
	struct look *l = AY_NEW(&tmp, struct look);

	l->dt = got[0]->dt;
	l->rate = AY_NEW_N(&tmp, double, n);
	l->draw = AY_NEW_N(&tmp, double, n);
	l->fourth = AY_NEW_N(&tmp, double, n);
	l->power = AY_NEW_N(&tmp, uint8_t, n);
	l->places = (struct ay_draws){ n, row, AY_NEW_N(&tmp, double, n), AY_NEW_N(&tmp, double, n) };
	ay_draws_load(ay_t(c, "self"), got[0], l->rate);
	ay_draws_load(got[0], got[0], l->draw);
	for (int64_t i = 0; i < n; i++) {
		int e = l->rate[i] > 0 ? ilogb(l->rate[i]) + 3 : 0;

		l->power[i] = (uint8_t)(e < 0 ? 0 : e >= POWERS ? POWERS - 1 : e);
	}
	(void)(check_support(l, f) && check_limits(l, f) && check_places(l, f));
	ay_arena_release(&tmp);
}

/* --- an honest kernel ------------------------------------------------------------------------------------- */

/* The number whose turn it is when chances are taken off u, from the likeliest number outwards. */
static double draw_one(double rate, double u)
{
	const double top = floor(rate);
	double up = top, down = top, p_up = exp(top * log(rate) - rate - lgamma(top + 1)), p_down = p_up;

	for (u -= p_up; u > 0 && up - rate <= reach(rate); u -= p_up) {
		p_up *= rate / ++up;
		if (u <= p_up)
			return up;
		if (down <= 0)
			continue;
		p_down *= down-- / rate;
		if (u - p_up <= p_down)
			return down;
		u -= p_down;
	}
	return up;
}

static void draw(const struct ay_call *c, struct ay_chance *u)
{
	const struct ay_view *out = &c->out[0]->view;
	const int64_t n = ay_numel_of(out);
	struct ay_arena tmp = { 0 };
	double *x = AY_NEW_N(&tmp, double, n);

	ay_draws_load(ay_t(c, "self"), out, x);
	for (int64_t i = 0; i < n; i++)
		x[i] = x[i] > 0 ? draw_one(x[i], ay_chance_next(u)) : 0;
	ay_draws_store(out, x);
	ay_arena_release(&tmp);
}

/* --- around it ------------------------------------------------------------------------------------------- */

static void log2_top(const struct ay_call *c, double *log2_p)
{
	const struct ay_view *out = &c->out[0]->view;

	ay_draws_load(ay_t(c, "self"), out, log2_p);
	for (int64_t i = 0; i < ay_numel_of(out); i++) {
		const double rate = log2_p[i], k = floor(rate);

		/* a rounded draw stands for as many as lie between two neighbours */
		log2_p[i] = rate > 0 ? fmin(0, log2(fmax(1, ay_dt_ulp(out->dt, rate))) +
						       (k * log(rate) - rate - lgamma(k + 1)) / log(2.0))
				     : 0;
	}
}

static int accepts(const struct ay_call *c, struct ay_err *err)
{
	const enum ay_dt dt = ay_t(c, "self")->dt;

	if (!ay_dt_is_float(dt) || dt == AY_DT_F8E4M3FN || dt == AY_DT_F8E5M2)
		return ay_fail(err, AY_ERR_BIND, "poisson is not defined for %s", ay_dt_info(dt)->name);
	return 0;
}

static void cost(const struct ay_call *c, struct ay_cost *k)
{
	k->flops = 20.0 * (double)ay_numel_of(&c->out[0]->view); /* an exponential and a few products */
	k->bytes = -1;
}

/* clang-format off */
const struct ay_op ay_ops_poisson[] = {{
	.schemas   = AY_SCHEMAS("aten::poisson(Tensor self, Generator? generator=None) -> Tensor",
				"aten::poisson.out(Tensor self, Generator? generator=None, *, Tensor(a!) out) -> Tensor(a!)"),
	.doc       = "out_i = a draw of the Poisson law with rate self_i >= 0: k = 0, 1, .. with probability exp(-rate) rate^k / k!; draws are "
		     "independent. Rate 0 gives 0. Shape and dtype are those of self, which is floating; whole numbers that the dtype does "
		     "not hold are rounded to nearest. All chance comes from the generator, an ay_rng that is never NULL: the same one must "
		     "give the same bits, another one others. Any good stream will do; PyTorch's own is not asked for.",
	.cases     = {
		{ "((T(s, dt),), {})", "dt=f32|f16|bf16|f64 s=[]|[1]|[0, 3]|[7]|[129]|[3, 65]|[2, 3, 4, 5]|[37, 131]", AY_QUICK },
		{ "((T([300, 307], dt),), {})", "dt=f32|f16|bf16", AY_QUICK },
		{ "((T([37, 131], dt, fill=uniform(a, b)),), {})", "dt=f32|f16|bf16 (a,b)=(0,1)|(20,40)|(100,1500) ; dt=f32 (a,b)=(1000,1000000)", AY_QUICK },
		{ "((T([33, 65], dt, fill=bool(0.5)),), {})", "dt=f32|f16|bf16", AY_QUICK },
		{ "((T([4], dt, data=[0.0, -0.0, 0.0, 5.0]),), {})", "dt=f32|f16|bf16", AY_QUICK },
		{ "((T([33, 65], dt, stride=st, offset=1),), {})", "dt=f32|f16|bf16 st=[1, 33]|[130, 2]|[0, 1]|[1, 0]", AY_QUICK },
		{ "aten::poisson.out((T([37, 131], dt),), {'out': T([37, 131], dt, stride=st, offset=1)})", "dt=f32|f16|bf16 st=[1, 37]|[262, 2]", AY_QUICK },
		{ "((T([400, 461], dt, fill=uniform(30, 35)),), {})", "dt=f32", AY_QUICK },
		{ "((T(s, dt),), {})", "dt=f32|f16|bf16 s=[2, 3]|[128, 256]|[512, 512]", AY_FULL },
		{ "aten::poisson.out((T(s, dt),), {'out': T(s, dt)})", "dt=f32|f16|bf16 s=[2, 3]|[128, 256]|[512, 512]", AY_FULL },
		{ "((T(s, dt),), {})", "dt=f32|bf16 s=[512, 1024]|[2048, 2048]", AY_PERF },
	},
	.vary      = {
		{ "((T(s, dt, fill=f),), {})", "s=shape() dt=f32|f16|bf16|f64 f=None|None|'uniform(0, 1)'|'uniform(20, 40)'|'uniform(100, 1500)'|'uniform(0, 0.01)'|'bool(0.5)'" },
	},
	.fills     = "self=uniform(0, 10)",
	.accepts   = accepts,
	.check     = check,
	.log2_top  = log2_top,
	.draw      = draw,
	.cost      = cost,
	.promises  = "Which random stream is used: PyTorch's own is not demanded.",
	.flags     = AY_RANDOM,
}, {0}};
