/* SPDX-License-Identifier: Apache-2.0
 *
 * repeats - tests of comparing results of random operators with each other: honest results share
 * nothing, and kept draws are found however they were moved.
 */
#include "oracle/repeats.h"
#include "helpers.h"
#include "test.h"

#include "op/fill.h"
#include "oracle/oracle.h"

#include <math.h>
#include <string.h>

static struct ay_arena a;

/* A call with memory for its outputs. The first one is dense. */
struct lab {
	const struct ay_op *op;
	struct ay_call *call;
	int64_t n, item;
	uint8_t *out;
};

static void setup(struct lab *l, const char *line)
{
	struct ay_err err = { 0 };
	const struct ay_registry *r = help_registry();
	const struct ay_entry_op *e;
	const struct ay_schema *s;
	bool exact;

	ay_arena_clear(&a);
	*l = (struct lab){ .call = help_bind(r, &a, line, &err) };
	e = l->call ? ay_registry_find(r, l->call->s->base, &s, &exact, &err) : NULL;
	if (!e)
		test_skip("%s: %s", line, err.msg);
	ay_fill_call(&a, l->call);
	l->op = e->op[ay_call_num_type(l->call)];
	l->n = ay_numel_of(&l->call->out[0]->view);
	l->item = ay_dt_info(l->call->out[0]->view.dt)->bytes;
	l->out = l->call->out[0]->view.data;
}

/* Draws a result from stream `key`. */
static void draw(struct lab *l, uint64_t key)
{
	struct ay_chance u = { .key = ay_key_from_seed("test of repeats", key) };

	if (l->op->reference) { /* what is not drawn */
		memset(l->out, 0, (size_t)(l->n * l->item));
	}
	l->op->draw(l->call, &u);
}

static enum ay_repeated look(struct ay_repeats *r, const struct lab *l, char text[200])
{
	return ay_repeats_look(r, l->op, l->call, text);
}

static const char *const lines[] = {
	"aten::exponential_((T([300, 307], f32), 2.0), {}) seed=3",
	"aten::exponential_((T([300, 307], bf16), 0.25), {}) seed=3",
	"aten::exponential_((T([37, 131], f16), 1.0), {}) seed=3",
	"aten::bernoulli((T([300, 307], f32),), {}) seed=3",
	"aten::bernoulli.p((T([300, 307], f32), 0.5), {}) seed=3",
	"aten::bernoulli.p((T([300, 307], f16), 0.03), {}) seed=3",
	"aten::bernoulli.Tensor((T([300, 307], f32), T([300, 1], f32)), {}) seed=3",
	"aten::poisson((T([128, 131], bf16),), {}) seed=3",
	"aten::rrelu_with_noise((T([128, 307], f32), T([128, 307], f32), 0.1, 0.4, True), {}) seed=3",
	"aten::rrelu_with_noise((T([128, 307], bf16), T([128, 307], bf16), 0.1, 0.4, True), {}) seed=3",
};

/* False-alarm rate: 1e-9 for each line. */
TEST(repeats_honest_results_share_nothing)
{
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		struct ay_repeats *r = ay_repeats_new(40);
		char text[200] = "";
		struct lab l;

		setup(&l, lines[i]);
		for (uint64_t key = 0; key < 40; key++) {
			draw(&l, key);
			CHECKF(look(r, &l, text) == AY_REPEATED_NOT, "%s: %s", lines[i], text);
		}
		ay_repeats_free(r);
	}
}

/* --- kept draws -------------------------------------------------------------------------------------- */

/* Makes `to` of kept draws, n elements of `item` bytes. */
typedef void (*move_fn)(uint8_t *to, const uint8_t *kept, int64_t n, int64_t item);

static void put(uint8_t *to, int64_t i, const uint8_t *kept, int64_t k, int64_t item)
{
	memcpy(to + i * item, kept + k * item, (size_t)item);
}

#define MOVE(name, from)                                                            \
	static void name(uint8_t *to, const uint8_t *kept, int64_t n, int64_t item) \
	{                                                                           \
		for (int64_t i = 0; i < n; i++)                                     \
			put(to, i, kept, from, item);                               \
	}
MOVE(copied, i)
MOVE(rolled, (i + n / 3 + 17) % n)
MOVE(reversed, n - 1 - i)
MOVE(in_lanes, i / 8 < n / 8 ? i ^ 5 : i)
MOVE(shuffled, (int64_t)((__int128)i * 1000003 % n))

/* A tenth in the middle is kept, the rest is as it was drawn. */
static void partly(uint8_t *to, const uint8_t *kept, int64_t n, int64_t item)
{
	for (int64_t i = 0; i < n / 10; i++)
		put(to, n / 2 + i, kept, i, item);
}

/* The draws of the result itself come again after more than half of it. */
static void tiled(uint8_t *to, const uint8_t *kept, int64_t n, int64_t item)
{
	(void)kept;
	for (int64_t i = n * 7 / 10 + 1; i < n; i++)
		put(to, i, to, i - n * 7 / 10 - 1, item);
}

static const struct {
	const char *what;
	move_fn move;
	enum ay_repeated is;
	bool of_many;  /* found only where draws have many values */
	bool by_place; /* not found where places without a draw move too */
} moves[] = {
	{ "copied", copied, AY_REPEATED_BETWEEN, false, false },
	{ "rolled", rolled, AY_REPEATED_BETWEEN, false, true },
	{ "reversed", reversed, AY_REPEATED_BETWEEN, true, true },
	{ "in other lanes", in_lanes, AY_REPEATED_BETWEEN, true, true },
	{ "shuffled", shuffled, AY_REPEATED_BETWEEN, true, true },
	{ "copied in part", partly, AY_REPEATED_BETWEEN, false, true },
	{ "tiled", tiled, AY_REPEATED_WITHIN, false, true },
};

/* Returns true if the law does not depend on the place. */
static bool is_alike(const char *line)
{
	return strstr(line, "exponential_") || strstr(line, "bernoulli.p");
}

TEST(repeats_kept_draws_are_found_wherever_they_lie)
{
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		for (size_t m = 0; m < sizeof moves / sizeof *moves; m++) {
			struct ay_repeats *r = ay_repeats_new(3);
			char text[200] = "";
			enum ay_repeated got;
			uint8_t *kept;
			struct lab l;

			if ((moves[m].of_many && !strstr(lines[i], "exponential_")) ||
			    (moves[m].by_place && !is_alike(lines[i])))
				continue;
			setup(&l, lines[i]);
			kept = ay_alloc_raw(&a, (size_t)(l.n * l.item));
			draw(&l, 1);
			CHECK(look(r, &l, text) == AY_REPEATED_NOT);
			memcpy(kept, l.out, (size_t)(l.n * l.item));
			draw(&l, 2);
			moves[m].move(l.out, kept, l.n, l.item);
			got = look(r, &l, text);
			CHECKF(got == moves[m].is, "%s: %s: %d, %s", lines[i], moves[m].what, (int)got, text);
			ay_repeats_free(r);
		}
}

/* Draws of two values in another order have nothing but their count, which chance may repeat once. */
TEST(repeats_shuffled_zeros_and_ones_are_found_by_and_by)
{
	struct ay_repeats *r = ay_repeats_new(40);
	enum ay_repeated got = AY_REPEATED_NOT;
	char text[200] = "";
	uint8_t *kept;
	struct lab l;
	int looks = 0;

	setup(&l, "aten::bernoulli.p((T([300, 307], f32), 0.5), {}) seed=3");
	kept = ay_alloc_raw(&a, (size_t)(l.n * l.item));
	draw(&l, 1);
	for (; looks < 40 && got == AY_REPEATED_NOT; looks++) {
		got = look(r, &l, text);
		memcpy(kept, l.out, (size_t)(l.n * l.item));
		shuffled(l.out, kept, l.n, l.item);
	}
	CHECKF(got == AY_REPEATED_BETWEEN && looks > 3 && looks < 20, "%d looks: %s", looks, text);
	ay_repeats_free(r);
}

/* --- deviations ---------------------------------------------------------------------------------------- */

enum { N = 9001 };

/* Deviations of uniform draws of stream `key`. */
static void uniforms(struct ay_draws *d, uint64_t key)
{
	struct ay_chance u = { .key = ay_key_from_seed("test of correlation", key) };

	*d = (struct ay_draws){ N, 100, AY_NEW_N(&a, double, N), AY_NEW_N(&a, double, N) };
	for (int i = 0; i < N; i++) {
		d->d[i] = ay_chance_next(&u) - 0.5;
		d->v[i] = 1. / 12;
	}
}

/* False-alarm rate of each pair: 1e-12. */
TEST(repeats_honest_deviations_are_apart)
{
	for (uint64_t key = 0; key < 60; key++) {
		struct ay_finding f = { .index = -1 };
		struct ay_draws x, y;

		ay_arena_clear(&a);
		uniforms(&x, 2 * key);
		uniforms(&y, 2 * key + 1);
		CHECKF(ay_draws_apart(&x, &y, &f), "%s", f.text);
		CHECKF(f.got > 0.02 * f.bound && f.got < f.bound, "%g of %g", f.got, f.bound);
	}
}

static double as_it_is(const double *x, int i)
{
	return x[i];
}

static double negated(const double *x, int i)
{
	return -x[(i + 4321) % N];
}

static double turned(const double *x, int i)
{
	return x[(i + 77) % N] < 0.15 ? x[(i + 77) % N] + 0.35 : x[(i + 77) % N] - 0.65;
}

static double backwards(const double *x, int i)
{
	return -x[N - 1 - i];
}

static double in_half(const double *x, int i)
{
	return i % 2 ? x[i] : fmod(x[i] * 12345 + 50000, 1) - 0.5;
}

TEST(repeats_deviations_that_depend_are_found)
{
	static double (*const change[])(const double *, int) = { as_it_is, negated, turned, backwards, in_half };

	for (size_t k = 0; k < sizeof change / sizeof *change; k++) {
		struct ay_finding f = { .index = -1 };
		struct ay_draws x, y;

		ay_arena_clear(&a);
		uniforms(&x, 5);
		uniforms(&y, 6);
		for (int i = 0; i < N; i++)
			y.d[i] = change[k](x.d, i);
		CHECKF(!ay_draws_apart(&x, &y, &f) && f.text[0], "change %d: %g of %g", (int)k, f.got, f.bound);
	}
}

/* Draws of 13 bits have the right law, and too few values; those of 20 bits are accepted. */
TEST(repeats_few_values_are_refused)
{
	for (int bits = 13; bits <= 20; bits += 7) {
		struct ay_chance u = { .key = ay_key_from_seed("test of few values", 1) };
		const struct ay_view *got;
		struct ay_finding f = { .index = -1 };
		struct lab l;

		setup(&l, lines[0]);
		for (int64_t i = 0; i < l.n; i++)
			((float *)l.out)[i] = (float)(-log((floor(ldexp(ay_chance_next(&u), bits)) + 0.5) /
							   ldexp(1, bits)) /
						      2);
		got = &l.call->out[0]->view;
		l.op->check(l.call, &got, &f);
		CHECKF((bits < 20) == (strstr(f.text, "too few values") != NULL), "%d bits: %s", bits, f.text);
	}
}
