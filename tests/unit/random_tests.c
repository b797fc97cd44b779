/* SPDX-License-Identifier: Apache-2.0
 *
 * random_tests - tests of random operators: honest draws pass, and planted wrong ones are refused.
 * An operator's file under ops/ lists what each check can detect; these tests prove it.
 */
#include "test.h"
#include "helpers.h"
#include "op/fill.h"
#include "oracle/oracle.h"

#include <math.h>

static struct ay_arena a;

/* --- chance ----------------------------------------------------------------------------------- */

/* The source of draws: number i of stream `key`, and its planted defect. */
struct source {
	uint64_t key;
	int64_t row;
};

/* The finisher of splitmix64. */
static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

/* In (0, 1). */
static double uniform(const struct source *s, int64_t i)
{
	return ((double)(mix(mix((uint64_t)i * 0x9e3779b97f4a7c15u + s->key) + s->key) >> 11) + 0.5) * 0x1p-53;
}

static double normal(const struct source *s, int64_t i)
{
	return sqrt(-2 * log(uniform(s, 2 * i))) * cos(2 * acos(-1.0) * uniform(s, 2 * i + 1));
}

static double coarse(const struct source *s, int64_t i, double steps)
{
	return (floor(uniform(s, i) * steps) + 0.5) / steps;
}

/* --- a call with planted draws ---------------------------------------------------------------- */

/* Returns draw i of a distribution with parameter p. */
typedef double (*draw_fn)(const struct source *s, int64_t i, double p);

struct plant {
	const char *what;
	draw_fn draw;
	bool honest;
};

static double get(const struct ay_view *v, int64_t i)
{
	double x;

	ay_row_load_d(v->dt, (uint8_t *)v->data + ay_view_at(v, i) * ay_dt_info(v->dt)->bytes, 1, 1, &x);
	return x;
}

static void put(const struct ay_view *v, int64_t i, double x)
{
	ay_row_store_d(v->dt, (uint8_t *)v->data + ay_view_at(v, i) * ay_dt_info(v->dt)->bytes, 1, 1, &x);
}

static struct ay_call *made(const char *line, const struct ay_entry_op **e)
{
	struct ay_err err = { 0 };
	struct ay_call *c = help_bind(help_registry(), &a, line, &err);
	const struct ay_schema *s;
	bool exact;

	*e = c ? ay_registry_find(help_registry(), c->s->base, &s, &exact, &err) : NULL;
	CHECKF(*e, "%s: %s", line, err.msg);
	if (*e)
		ay_fill_call(&a, c);
	return *e ? c : NULL;
}

/* Returns the judge's result: NULL, or what is wrong. */
static const char *verdict(const struct ay_entry_op *e, const struct ay_call *c)
{
	const struct ay_view **got = AY_NEW_N(&a, const struct ay_view *, c->nout);
	struct ay_diff *d = AY_NEW_N(&a, struct ay_diff, c->nout);
	struct ay_finding f = { .index = -1 };

	ay_oracle_compare(&(struct ay_compare){ .op = e, .call = c, .threads = 1 }, d);
	for (int k = 0; k < c->nout; k++) {
		got[k] = &c->out[k]->view;
		if (d[k].bad)
			return "the oracle disagrees";
	}
	e->op[ay_call_num_type(c)]->check(c, got, &f);
	return f.text[0] ? ay_strdup(&a, f.text) : NULL;
}

/* Computes the part of the result that is not random (rrelu_with_noise: where self is above 0). */
static void produce(const struct ay_entry_op *e, struct ay_call *c)
{
	const struct ay_view **out = AY_NEW_N(&a, const struct ay_view *, c->nout);

	for (int k = 0; k < c->nout; k++)
		out[k] = &c->out[k]->view;
	ay_oracle_produce(&(struct ay_compare){ .op = e, .call = c, .threads = 1 }, out);
}

static struct source source_of(const struct ay_view *v, uint64_t key)
{
	return (struct source){ mix(key + 1), v->ndim ? v->shape[v->ndim - 1] : 1 };
}

typedef void (*plant_fn)(const struct ay_call *c, const struct plant *p, uint64_t key);

/* Judges each defect of the list on each line. */
static void judge(const char *const *lines, const struct plant *list, plant_fn fill)
{
	for (; *lines; lines++) {
		for (const struct plant *p = list; p->what; p++) {
			const struct ay_entry_op *e;
			struct ay_call *c;
			const char *why;

			ay_arena_clear(&a);
			c = made(*lines, &e);
			if (!c)
				return;
			fill(c, p, 7);
			why = verdict(e, c);
			CHECKF(p->honest == !why, "%s\n      %s: %s", *lines, p->what,
			       why ? why : "is not refused");
		}
	}
}

/* Runs honest draws many times: none may be refused. */
static void judge_often(const char *line, const struct plant *honest, plant_fn fill)
{
	for (uint64_t key = 0; key < 60; key++) {
		const struct ay_entry_op *e;
		struct ay_call *c;
		const char *why;

		ay_arena_clear(&a);
		c = made(line, &e);
		if (!c)
			return;
		fill(c, honest, key);
		why = verdict(e, c);
		CHECKF(!why, "%s, stream %d: %s", line, (int)key, why);
	}
}

/* --- exponential_ ----------------------------------------------------------------------------- */

#define DRAW(name, expr)                                                \
	static double name(const struct source *s, int64_t i, double p) \
	{                                                               \
		(void)s, (void)i, (void)p;                              \
		return expr;                                            \
	}

DRAW(exp_right, -log(uniform(s, i)) / p)
DRAW(exp_20_bits, -log(coarse(s, i, 0x1p20)) / p)
DRAW(exp_16_bits, -log(coarse(s, i, 0x1p16)) / p)
DRAW(exp_6_bits, -log(coarse(s, i, 64)) / p)
DRAW(exp_5_percent, -log(uniform(s, i)) / p / 1.05)
DRAW(exp_times, -log(uniform(s, i)) * p)
DRAW(exp_half_normal, fabs(normal(s, i)) / p * sqrt(acos(-1.0) / 2))
DRAW(exp_uniform, uniform(s, i) * 2 / p)
DRAW(exp_whole, floor(-log(uniform(s, i)) * 8 + 1) / 8 / p)
DRAW(exp_cut, fmin(-log(uniform(s, i)), log(128.0)) / p)
DRAW(exp_pairs, -log(uniform(s, i / 2)) / p)
DRAW(exp_lanes, -log(uniform(s, i - i % 8)) / p)
DRAW(exp_rows, -log(uniform(s, i % s->row)) / p)
DRAW(exp_signs, -log(uniform(s, i)) / p * (i == 5 ? -1 : 1))
DRAW(exp_zero, i == 5 ? 0 : -log(uniform(s, i)) / p)
DRAW(exp_infinite, i == 5 ? INFINITY : -log(uniform(s, i)) / p)
DRAW(exp_constant, 1 / p)

static const struct plant exponentials[] = {
	{ "right", exp_right, true },
	{ "of 20 bits", exp_20_bits, true },
	{ "of 6 bits", exp_6_bits, false },
	{ "lambd 5 per cent too large", exp_5_percent, false },
	{ "1 / lambd for lambd", exp_times, false },
	{ "half-normal", exp_half_normal, false },
	{ "uniform", exp_uniform, false },
	{ "whole numbers of eighths", exp_whole, false },
	{ "cut at the last 1/128", exp_cut, false },
	{ "equal in pairs", exp_pairs, false },
	{ "equal in eight lanes", exp_lanes, false },
	{ "equal rows", exp_rows, false },
	{ "one is negative", exp_signs, false },
	{ "one is 0", exp_zero, false },
	{ "one is infinite", exp_infinite, false },
	{ "all are the mean", exp_constant, false },
	{ 0 },
};

static void plant_exponential(const struct ay_call *c, const struct plant *p, uint64_t key)
{
	const struct ay_view *out = &c->out[0]->view;
	const struct source s = source_of(out, key);

	for (int64_t i = 0; i < ay_numel_of(out); i++)
		put(out, i, p->draw(&s, i, ay_float(c, "lambd")));
}

TEST(random_tests_of_exponential)
{
	static const char *const lines[] = { "aten::exponential_((T([300, 307], f32), 2.0), {})",
					     "aten::exponential_((T([300, 307], bf16), 0.25), {})", NULL };

	/* half types have no more values than that */
	static const char *const fine[] = { "aten::exponential_((T([300, 307], f32), 2.0), {})",
					    "aten::exponential_((T([37, 131], f32), 0.5), {})",
					    "aten::exponential_((T([37, 131], f64), 7.0), {})", NULL };
	static const struct plant few[] = { { "of 16 bits", exp_16_bits, false },
					    { "of 20 bits", exp_20_bits, true },
					    { 0 } };

	judge(lines, exponentials, plant_exponential);
	judge(fine, few, plant_exponential);
	judge_often("aten::exponential_((T([37, 131], f32), 1.0), {})", exponentials, plant_exponential);
	judge_often("aten::exponential_((T([65, 67], f16), 1.0), {})", exponentials, plant_exponential);
}

/* --- poisson ---------------------------------------------------------------------------------- */

/* The law's inverse. */
static double poisson_of(double u, double rate)
{
	double p = exp(-rate), sum = p, k = 0;

	for (; sum < u && k < 1000; k++) {
		p *= rate / (k + 1);
		sum += p;
	}
	return k;
}

static double geometric_of(double u, double mean)
{
	return mean > 0 ? floor(log(u) / log(mean / (1 + mean))) : 0;
}

DRAW(poi_right, poisson_of(uniform(s, i), p))
DRAW(poi_20_bits, poisson_of(coarse(s, i, 0x1p20), p))
DRAW(poi_3_percent, poisson_of(uniform(s, i), p * 1.03))
DRAW(poi_one_rate, poisson_of(uniform(s, i), 5))
DRAW(poi_rounded, rint(p))
DRAW(poi_normal, fmax(0, rint(p + sqrt(p) * normal(s, i))))
DRAW(poi_geometric, geometric_of(uniform(s, i), p))
DRAW(poi_half, rint(poisson_of(uniform(s, i), 2 * p) / 2))
DRAW(poi_double, 2 * poisson_of(uniform(s, i), p / 2))
DRAW(poi_pairs, poisson_of(uniform(s, i / 2), p))
DRAW(poi_lanes, poisson_of(uniform(s, i - i % 8), p))
DRAW(poi_rows, poisson_of(uniform(s, i % s->row), p))
DRAW(poi_fraction, poisson_of(uniform(s, i), p) + (i == 5 ? 0.5 : 0))
DRAW(poi_negative, i == 5 ? -1 : poisson_of(uniform(s, i), p))
DRAW(poi_far, i == 5 ? 200 : poisson_of(uniform(s, i), p))

static const struct plant poissons[] = {
	{ "right", poi_right, true },
	{ "of 20 bits", poi_20_bits, true },
	{ "rates 3 per cent too large", poi_3_percent, false },
	{ "one rate for all", poi_one_rate, false },
	{ "the rate, rounded", poi_rounded, false },
	{ "a rounded normal law", poi_normal, false },
	{ "geometric", poi_geometric, false },
	{ "half the variance", poi_half, false },
	{ "double the variance", poi_double, false },
	{ "equal in pairs", poi_pairs, false },
	{ "equal in eight lanes", poi_lanes, false },
	{ "equal rows", poi_rows, false },
	{ "one is no whole number", poi_fraction, false },
	{ "one is negative", poi_negative, false },
	{ "one is far off", poi_far, false },
	{ 0 },
};

/* A normal law of the same mean and variance differs by its skewness, 1 / sqrt(rate). */
static const struct plant large_poissons[] = { { "right", poi_right, true },
					       { "a rounded normal law", poi_normal, false },
					       { 0 } };

static void plant_poisson(const struct ay_call *c, const struct plant *p, uint64_t key)
{
	const struct ay_view *out = &c->out[0]->view;
	const struct source s = source_of(out, key);

	for (int64_t i = 0; i < ay_numel_of(out); i++)
		put(out, i, p->draw(&s, i, get(ay_t(c, "self"), i)));
}

TEST(random_tests_of_poisson)
{
	static const char *const lines[] = { "aten::poisson((T([300, 307], f32),), {})",
					     "aten::poisson((T([300, 307], bf16),), {})", NULL };

	static const char *const large[] = { "aten::poisson((T([400, 461], f32, fill=uniform(30, 35)),), {})",
					     NULL };

	judge(lines, poissons, plant_poisson);
	judge(large, large_poissons, plant_poisson);
	judge_often("aten::poisson((T([31, 67], f16),), {})", poissons, plant_poisson);
	/* bf16 rounds numbers above 256 */
	judge_often("aten::poisson((T([31, 67], bf16, fill=uniform(100, 500)),), {})", poissons, plant_poisson);
}

/* --- rrelu_with_noise ------------------------------------------------------------------------- */

/* p is the width of the interval here; its lower end is 0. */
DRAW(slope_right, uniform(s, i) * p)
DRAW(slope_20_bits, coarse(s, i, 0x1p20) * p)
DRAW(slope_16_bits, coarse(s, i, 0x1p16) * p)
DRAW(slope_6_bits, coarse(s, i, 64) * p)
DRAW(slope_one, p / 2)
DRAW(slope_lower_half, p / 2 * uniform(s, i))
DRAW(slope_triangle, p / 2 * (uniform(s, 2 * i) + uniform(s, 2 * i + 1)))
DRAW(slope_bent, pow(uniform(s, i), 1.1) * p)
DRAW(slope_pairs, uniform(s, i / 2) * p)
DRAW(slope_lanes, uniform(s, i - i % 8) * p)
DRAW(slope_rows, uniform(s, i % s->row) * p)
DRAW(slope_outside, i < 50 ? p * 1.05 : p * uniform(s, i))

static const struct plant slopes[] = {
	{ "right", slope_right, true },
	{ "of 20 bits", slope_20_bits, true },
	{ "of 6 bits", slope_6_bits, false },
	{ "one for all", slope_one, false },
	{ "the lower half", slope_lower_half, false },
	{ "triangular", slope_triangle, false },
	{ "a power of 1.1", slope_bent, false },
	{ "equal in pairs", slope_pairs, false },
	{ "equal in eight lanes", slope_lanes, false },
	{ "equal rows", slope_rows, false },
	{ "some outside", slope_outside, false },
	{ 0 },
};

static void plant_slopes(const struct ay_call *c, const struct plant *p, uint64_t key)
{
	const struct ay_view *noise = &c->out[0]->view, *out = &c->out[1]->view;
	const struct source s = source_of(out, key);

	for (int64_t i = 0; i < ay_numel_of(out); i++) {
		const double x = get(ay_t(c, "self"), i), slope = x <= 0 ? 0.1 + p->draw(&s, i, 0.3) : 1;

		put(noise, i, slope);
		/* rounded before the product, or after it */
		put(out, i, x * (key % 2 ? get(noise, i) : slope));
	}
}

static void plant_other_noise(const struct ay_call *c, const struct plant *p, uint64_t key)
{
	const struct ay_view *noise = &c->out[0]->view, *out = &c->out[1]->view;
	const struct source s = source_of(out, key + 1);

	plant_slopes(c, p, key);
	for (int64_t i = 0; i < ay_numel_of(out); i++)
		if (get(ay_t(c, "self"), i) <= 0)
			put(noise, i, 0.1 + p->draw(&s, i, 0.3));
}

TEST(random_tests_of_rrelu_with_noise)
{
	static const struct plant other[] = { { "noise of another draw", slope_right, false }, { 0 } };
	static const struct plant few[] = { { "of 16 bits", slope_16_bits, false },
					    { "of 20 bits", slope_20_bits, true },
					    { 0 } };
	const char *lines[] = {
		"aten::rrelu_with_noise((T([300, 307], f32), T([300, 307], f32), 0.1, 0.4, True), {})",
		"aten::rrelu_with_noise((T([300, 307], bf16), T([300, 307], bf16), 0.1, 0.4, True), {})", NULL
	};

	judge(lines, slopes, plant_slopes);
	judge(lines, other, plant_other_noise);
	lines[1] = NULL; /* bf16 has no more values than that */
	judge(lines, few, plant_slopes);
	judge_often("aten::rrelu_with_noise((T([65, 67], f16), T([65, 67], f16), 0.1, 0.4, True), {})", slopes,
		    plant_slopes);
}

/* --- what the operators' own files draw ------------------------------------------------------- */

TEST(random_tests_of_the_reference_are_honest)
{
	static const char *const lines[] = {
		"aten::bernoulli((T([65, 67], f32),), {})",
		"aten::exponential_((T([65, 67], f16), 1.0), {})",
		"aten::poisson((T([65, 67], f32),), {})",
		"aten::poisson((T([65, 67], bf16, fill=uniform(100, 1500)),), {})",
		"aten::poisson((T([65, 67], f32, fill=uniform(1000, 1000000)),), {})",
		"aten::rrelu_with_noise((T([65, 67], bf16), T([65, 67], bf16), 0.1, 0.4, True), {})",
	};

	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		for (uint64_t seed = 0; seed < 20; seed++) {
			struct ay_chance u = { .key = ay_key_from_seed("draw", seed) };
			const struct ay_entry_op *e;
			struct ay_call *c;
			const char *why;

			ay_arena_clear(&a);
			c = made(lines[i], &e);
			if (!c)
				return;
			produce(e, c);
			e->op[0]->draw(c, &u);
			why = verdict(e, c);
			CHECKF(!why, "%s, seed %d: %s", lines[i], (int)seed, why);
		}
	}
}
