/* SPDX-License-Identifier: Apache-2.0
 *
 * verify - tests that wrong outputs of timed sets are found. The right outputs are the reference's
 * own; then some are altered.
 */
#include "timing/verify.h"
#include "base/process.h"
#include "op/fill.h"
#include "oracle/oracle.h"
#include "test.h"
#include "timing_fixture.h"

#include <math.h>
#include <string.h>

enum { SETS = 6, POISON = 0x75 };

/* Sets of a case whose outputs are right. */
struct fixture {
	struct timing_fixture r;
	struct ay_input_template m;
	struct ay_input_sets s;
	struct ay_verify v;
	struct ay_key key;
};

static void produce(struct fixture *b, int set)
{
	struct ay_call *c = b->r.call;
	const struct ay_view **out = AY_NEW_N(&b->r.a, const struct ay_view *, c->nout + 1);
	struct ay_compare q = { .op = b->r.sc.op, .call = c, .threads = 1 };

	for (int i = 0; i < c->noperand; i++) {
		struct ay_operand *o = c->operand[i];
		uint8_t *old = ay_alloc(&b->r.a, ay_operand_bytes(o) + 1);
		const int64_t skip = o->view.offset * ay_dt_info(o->view.dt)->bytes;

		o->view.data = ay_input_sets_at(&b->s, set, i) + skip;
		memcpy(old, ay_input_sets_at(&b->s, set, i), ay_operand_bytes(o));
		o->old.data = old + skip;
	}
	for (int k = 0; k < c->nout; k++)
		out[k] = &c->out[k]->view;
	ay_oracle_produce(&q, out);
}

static void setup(struct fixture *b, const char *line)
{
	timing_fixture_init(&b->r, line);
	ay_input_template_init(&b->m, b->r.call);
	CHECKF(!ay_input_sets_init(&b->s, &b->m, SETS, false, &b->r.err), "%s", b->r.err.msg);
	b->v = (struct ay_verify){ .op = b->r.sc.op, .call = b->r.call, .threads = 1 };
	b->key = timing_fixture_key();
	ay_input_sets_write(&b->s, b->key, 0, SETS, POISON, NULL);
	for (int i = 0; i < SETS; i++)
		produce(b, i);
}

static void teardown(struct fixture *b)
{
	ay_verify_release(&b->v);
	ay_input_sets_release(&b->s);
	ay_input_template_release(&b->m);
	timing_fixture_release(&b->r);
}

/* Writes other content with `due` stress sets; returns the last of these. */
static int write_hard(struct fixture *b, int due)
{
	int stress = -1, at = -1;

	while (stress != due) {
		b->key = timing_fixture_key();
		stress = 0;
		for (int i = 0; i < SETS; i++)
			if (ay_input_template_is_stress(&b->m, b->key, i))
				stress++, at = i;
	}
	ay_input_sets_write(&b->s, b->key, 0, SETS, POISON, NULL);
	for (int i = 0; i < SETS; i++)
		produce(b, i);
	return at;
}

static enum ay_verified look(struct fixture *b, int set, char text[200])
{
	text[0] = 0;
	return ay_verify_set(&b->v, &b->s, b->key, set, POISON, text);
}

/* Returns element i of output k of a set. */
static uint8_t *element(struct fixture *b, int set, int k, int64_t i)
{
	const struct ay_operand *o = b->r.call->out[k];

	return ay_input_sets_at(&b->s, set, o->ordinal) +
	       (o->view.offset + ay_view_at(&o->view, i)) * ay_dt_info(o->view.dt)->bytes;
}

/* Counts how many of some batches find the error, and as what. If batch_ns is large, every batch
 * compares a whole set; if it is small, only the first batch does. */
static int batches(struct fixture *b, int times, double batch_ns, enum ay_verified what)
{
	char text[200];
	int found = 0;

	for (int i = 0; i < times; i++) {
		enum ay_verified got;

		text[0] = 0;
		got = ay_verify_batch(&b->v, &b->s, b->key, 0, SETS, POISON, batch_ns, text);
		CHECKF((got == AY_VERIFIED) == !text[0], "%d: '%s'", got, text);
		found += got == what;
	}
	return found;
}

/* --- one set ---------------------------------------------------------------------------------- */

static const struct {
	const char *line;
	int out; /* which output is spoiled */
} lines[] = {
	{ "aten::relu((T([1000], f32),), {})", 0 },
	{ "aten::relu((T([33, 9], f16, stride=(18, 2), offset=5),), {})", 0 },
	{ "aten::add.Tensor((T([30, 40], bf16), T([40], f32)), {})", 0 },
	{ "aten::add_.Tensor((T([777], f32), T([777], f32)), {})", 0 },
	{ "aten::sum((T([64, 64], f32),), {})", 0 },
	{ "aten::sum.dim_IntList((T([64, 64], f64), [1]), {})", 0 },
	{ "aten::_softmax((T([16, 100], f32), 1, False), {})", 0 },
	{ "aten::sort((T([8, 100], f32), -1), {})", 0 },
	{ "aten::sort((T([8, 100], f32), -1), {})", 1 },
	{ "aten::embedding((T([50, 8], f32), T([300], i64, fill=index(50))), {})", 0 },
};

TEST(verify_set_finds_one_wrong_element)
{
	for (size_t t = 0; t < sizeof lines / sizeof *lines; t++) {
		struct fixture b;
		char text[200];
		int64_t n, at;
		int bytes;

		setup(&b, lines[t].line);
		n = ay_numel_of(&b.r.call->out[lines[t].out]->view);
		bytes = ay_dt_info(b.r.call->out[lines[t].out]->view.dt)->bytes;
		for (int set = 0; set < SETS; set++)
			CHECKF(look(&b, set, text) == AY_VERIFIED, "%s, set %d: %s", lines[t].line, set, text);
		at = (int64_t)ay_secret_below((uint64_t)n);
		/* flips an exponent bit, or a high bit of an integer */
		element(&b, 3, lines[t].out, at)[bytes - 1] ^= 0x20;
		CHECKF(look(&b, 3, text) == AY_WRONG && text[0], "%s: element %lld", lines[t].line, (long long)at);
		CHECKF(look(&b, 2, text) == AY_VERIFIED, "%s: %s", lines[t].line, text);
		teardown(&b);
	}
}

/* The old content of an updated operand is made again, because it is stored nowhere. */
TEST(verify_in_place_that_did_nothing_is_wrong)
{
	struct fixture b;
	char text[200];

	setup(&b, "aten::add_.Tensor((T([777], f32), T([777], f32)), {})");
	ay_input_template_write(&b.m, 0, b.key, 4, ay_input_sets_at(&b.s, 4, 0)); /* as before the call */
	CHECK(look(&b, 4, text) == AY_WRONG);
	CHECK(look(&b, 5, text) == AY_VERIFIED);
	teardown(&b);
}

/* An answer that is right for other content is wrong for this one. */
TEST(verify_answers_of_another_batch_are_wrong)
{
	for (size_t t = 0; t < sizeof lines / sizeof *lines; t++) {
		struct fixture b;
		const struct ay_operand *o;
		char text[200];

		setup(&b, lines[t].line);
		o = b.r.call->out[0];
		memcpy(ay_input_sets_at(&b.s, 1, o->ordinal), ay_input_sets_at(&b.s, 0, o->ordinal),
		       ay_operand_bytes(o));
		CHECKF(look(&b, 1, text) == AY_WRONG, "%s", lines[t].line);
		teardown(&b);
	}
}

TEST(verify_poison_is_an_output_that_was_not_finished)
{
	for (size_t t = 0; t < sizeof lines / sizeof *lines; t++) {
		struct fixture b;
		const struct ay_operand *o;
		char text[200];

		setup(&b, lines[t].line);
		o = b.r.call->out[lines[t].out];
		memset(ay_input_sets_at(&b.s, 5, o->ordinal), POISON, ay_operand_bytes(o));
		/* an updated operand has no poison before the call, so it is only wrong */
		CHECKF(look(&b, 5, text) == (o->role == AY_INOUT ? AY_WRONG : AY_UNFINISHED), "%s: output %d, %s",
		       lines[t].line, lines[t].out, text);
		CHECK(look(&b, 4, text) == AY_VERIFIED);
		teardown(&b);
	}
}

/* --- batches ---------------------------------------------------------------------------------- */

/* Compares whole sets, one per batch: a wrong element in one of six sets is found in about every
 * sixth batch. */
TEST(verify_batches_find_one_wrong_element_of_one_set)
{
	struct fixture b;
	int found;

	setup(&b, "aten::_softmax((T([300, 100], f32), 1, False), {})");
	write_hard(&b, 0); /* which would be preferred */
	CHECK(batches(&b, 30, 1e12, AY_VERIFIED) == 30);
	element(&b, 2, 0, 12345)[3] ^= 0x20;
	found = batches(&b, 200, 1e12, AY_WRONG);
	CHECKF(found > 5, "%d of 200 batches", found); /* 33 expected; 5 or fewer: 1e-11 */
	teardown(&b);
}

/* Compares rows only, because batches are too short for more. */
TEST(verify_batches_find_wrong_rows)
{
	struct fixture b;
	int found;

	setup(&b, "aten::_softmax((T([3000, 100], f32), 1, False), {})");
	CHECK(batches(&b, 30, 1e12, AY_VERIFIED) == 30);
	CHECKF(b.v.whole_ns > 0 && b.v.rows_ns > 0, "whole %g, rows %g", b.v.whole_ns, b.v.rows_ns);
	for (int set = 0; set < SETS; set++) /* one row in twenty */
		for (int row = 0; row < 3000; row += 20)
			element(&b, set, 0, row * 100 + 50)[3] ^= 0x20;
	b.v.whole_ns = 1e30; /* too long for most batches */
	found = batches(&b, 40, 1e12, AY_WRONG);
	/* 20 rows of each of three sets: nearly all batches find it */
	CHECKF(found > 20, "%d of 40 batches", found);
	for (int set = 0; set < SETS; set++) {
		const struct ay_operand *o = b.r.call->out[0];

		memset(ay_input_sets_at(&b.s, set, o->ordinal), POISON, ay_operand_bytes(o));
	}
	CHECK(batches(&b, 5, 1e12, AY_UNFINISHED) == 5);
	/* what costs too much is done rarely, not never: 300 batches without one of 12 have a
	 * chance of 1e-11 */
	b.v.whole_ns = b.v.rows_ns = 1e30;
	found = 0;
	for (int i = 0; i < 300; i++) {
		found += batches(&b, 1, 1e6, AY_UNFINISHED);
		b.v.whole_ns = b.v.rows_ns = 1e30;
	}
	CHECKF(found > 0 && found < 100, "%d of 300", found);
	teardown(&b);
}

/* An answer of one row is compared whole, as often as the time allows. */
TEST(verify_batches_of_a_whole_reduction)
{
	struct fixture b;

	setup(&b, "aten::sum((T([64, 64], f32),), {})");
	CHECK(ay_oracle_rows(b.r.sc.op, b.r.call) <= 1);
	CHECK(batches(&b, 20, 1e12, AY_VERIFIED) == 20);
	for (int set = 0; set < SETS; set++) { /* stress sets have infinities, or an empty sum */
		float x;

		memcpy(&x, element(&b, set, 0, 0), sizeof x);
		x = isfinite(x) ? x + fabsf(x) + 1e30f : 1;
		memcpy(element(&b, set, 0, 0), &x, sizeof x);
	}
	CHECK(batches(&b, 20, 1e12, AY_WRONG) == 20);
	teardown(&b);
}

/* If whole sets are compared, stress sets come first: if one in six is one, most batches compare
 * it. */
TEST(verify_batches_prefer_hard_sets)
{
	struct fixture b;
	int at, found;

	setup(&b, "aten::_softmax((T([16, 100], f32), 1, False), {})");
	at = write_hard(&b, 1);
	CHECK(batches(&b, 30, 1e12, AY_VERIFIED) == 30);
	element(&b, at, 0, 777)[3] ^= 0x20;
	b.v.whole_ns = 0;
	found = batches(&b, 100, 1e12, AY_WRONG);
	/* 0.81 by the set that is compared whole, and three others by chance: 0.89; without the
	 * preference 0.52 */
	CHECKF(found > 65, "%d of 100 batches", found);
	teardown(&b);
}

/* --- what it costs ---------------------------------------------------------------------------- */

static int fetched;

static bool count_fetch(void *user, int set, const struct ay_byte_range *need)
{
	(void)user, (void)set, (void)need;
	fetched++;
	return true;
}

/* Returns the number of sets checked in that many batches. Each batch comes `gone` after the last
 * check; a set, or rows, have a fixed cost. */
static int looked_at(struct fixture *b, int times, double gone, double cost, double batch_ns)
{
	char text[200];

	fetched = 0;
	for (int i = 0; i < times; i++) {
		b->v.ended = ay_now_ns() - (int64_t)gone;
		b->v.whole_ns = b->v.rows_ns = cost;
		CHECK(ay_verify_batch(&b->v, &b->s, b->key, 0, SETS, POISON, batch_ns, text) == AY_VERIFIED);
	}
	return fetched;
}

/* Checks take a tenth of all time, half of that for whole sets, and never less than the minimum. */
TEST(verify_batches_take_a_share_of_all_time)
{
	struct fixture b;
	double before;
	int n;

	setup(&b, "aten::_softmax((T([300, 100], f32), 1, False), {})");
	b.v.fetch = count_fetch;
	b.v.of_wall = true;
	n = looked_at(&b, 100, 1e12, 1e9, 1);
	CHECKF(n == 400, "%d sets, not one and three a batch", n); /* 50 s may be taken */
	n = looked_at(&b, 2000, 1e9, 1e9, 1e12);
	/* one set in 20 batches, and rows of three in one of 12: 100 and 500; beyond 400 and 850:
	 * 1e-6 */
	CHECKF(n > 400 && n < 850, "%d sets", n);
	n = looked_at(&b, 2000, 1e3, 1e9, 1e12);
	/* at least one set in 64, and rows of one in 12: 31 and 167; beyond 120 and 290: 1e-7 */
	CHECKF(n > 120 && n < 290, "%d sets", n);
	b.v.of_wall = false;
	n = looked_at(&b, 100, 1e3, 1e9, 1e12);
	CHECKF(n == 400, "%d sets: of batches that are long", n);
	before = b.v.spent_ns;
	CHECKF(before > 0 && before < 60e9, "%g", before);
	looked_at(&b, 1, 1e3, 0, 1e12);
	CHECKF(b.v.spent_ns > before, "%g is no more than %g", b.v.spent_ns, before);
	teardown(&b);
}

/* However long a comparison took, the expected time at most doubles. */
TEST(verify_one_long_comparison_does_not_end_all)
{
	char text[200];
	struct fixture b;

	setup(&b, "aten::_softmax((T([300, 100], f32), 1, False), {})");
	b.v.whole_ns = b.v.rows_ns = 10;
	CHECK(ay_verify_batch(&b.v, &b.s, b.key, 0, SETS, POISON, 1e12, text) == AY_VERIFIED);
	CHECKF(b.v.whole_ns == 20 && b.v.rows_ns == 20, "%g, %g", b.v.whole_ns, b.v.rows_ns);
	b.v.whole_ns = b.v.rows_ns = 0;
	CHECK(ay_verify_batch(&b.v, &b.s, b.key, 0, SETS, POISON, 1e12, text) == AY_VERIFIED);
	CHECKF(b.v.whole_ns > 20 && b.v.rows_ns > 20, "%g, %g", b.v.whole_ns, b.v.rows_ns);
	teardown(&b);
}

/* Largest number of bytes that were needed from fetched sets. */
static uint64_t most_needed;

static bool measure_need(void *user, int set, const struct ay_byte_range *need)
{
	const struct fixture *b = user;
	uint64_t sum = 0;

	(void)set;
	for (int i = 0; need && i < b->r.call->noperand; i++)
		sum += need[i].hi - need[i].lo;
	most_needed = sum > most_needed ? sum : most_needed;
	return true;
}

/* Elements with many inputs are fewer if the inputs must be fetched. */
TEST(verify_rows_need_little)
{
	char text[200];
	struct fixture b;

	setup(&b, "aten::sum.dim_IntList((T([600, 4096], f32), [1]), {})");
	b.v.fetch = measure_need;
	b.v.user = &b;
	for (int wall = 0; wall < 2; wall++) {
		most_needed = 0;
		b.v.of_wall = wall;
		for (int i = 0; i < 30; i++) {
			b.v.ended = 1;
			CHECK(ay_verify_batch(&b.v, &b.s, b.key, 0, SETS, POISON, 1e12, text) == AY_VERIFIED);
		}
		CHECKF(wall ? most_needed > 1 << 20 && most_needed <= 4 << 20 : most_needed > 9 << 20,
		       "%llu bytes", (unsigned long long)most_needed);
	}
	teardown(&b);
}

static bool count_asked(void *user, struct ay_call *c, struct ay_arena *a)
{
	(void)c;
	(void)a;
	++*(int *)user;
	return true;
}

/* An answer from another oracle may take a minute. The first set of an untrusted kernel is worth
 * that; sets of a trusted one are not. */
TEST(verify_asks_for_strangers_only)
{
	int asked = 0;
	struct fixture b;

	setup(&b, "aten::relu((T([1000], f32),), {})");
	b.v.answer = count_asked;
	b.v.answerer = &asked;
	CHECK(batches(&b, 1, 1e3, AY_VERIFIED) == 1 && asked == 1);
	b.v.trusted = true;
	CHECK(batches(&b, 40, 1e9, AY_VERIFIED) == 40);
	CHECKF(asked == 1, "%d times", asked);
	teardown(&b);
}

/* Makes a call with many honest draws in sets 0 to 2. */
static void setup_draws(struct fixture *b, const char *line)
{
	const struct ay_op *op;
	struct ay_chance u;

	setup(b, line);
	op = b->r.sc.op->op[ay_call_num_type(b->r.call)];
	u = (struct ay_chance){ .key = b->key };
	for (int set = 0; set < 3; set++) {
		produce(b, set); /* points the operands there */
		op->draw(b->r.call, &u);
	}
}

/* Alters elements [from, to) of every row of a set. */
static void spoil(struct fixture *b, int set, int64_t from, int64_t to, int byte)
{
	const struct ay_view *v = &b->r.call->out[0]->view;
	const int64_t n = ay_numel_of(v), row = v->shape[v->ndim - 1];

	for (int64_t i = 0; i < n; i++)
		if (i % row >= from && i % row < to)
			memset(element(b, set, 0, i), byte, (size_t)ay_dt_info(v->dt)->bytes);
}

/* Of many draws a part is tested; afterwards the operands are whole again. */
TEST(verify_many_draws_in_part)
{
	static const char *const random[] = {
		"aten::bernoulli((T([1024, 1500], f32, stride=(1, 1024)),), {})",
		"aten::bernoulli.Tensor((T([2, 512, 1500], bf16), T([512, 1], f32)), {})",
		"aten::bernoulli.p((T([1536000], f16), 0.25), {})",
	};

	for (size_t t = 0; t < sizeof random / sizeof *random; t++) {
		struct fixture b;
		char text[200];

		setup_draws(&b, random[t]);
		CHECKF(look(&b, 0, text) == AY_VERIFIED, "%s: %s", random[t], text);
		CHECK(ay_numel_of(&b.r.call->out[0]->view) == 1536000);
		spoil(&b, 1, 0, b.r.call->out[0]->view.shape[b.r.call->out[0]->view.ndim - 1] / 2, 0);
		CHECKF(look(&b, 1, text) == AY_WRONG, "%s", random[t]); /* every possible part has some of it */
		teardown(&b);
	}
}

/* About every second part has some elements that are no draws. */
TEST(verify_many_draws_in_another_part_each_time)
{
	enum { LOOKS = 24 };
	int found = 0;
	struct fixture b;
	char text[200];

	setup_draws(&b, "aten::bernoulli.Tensor((T([1024, 1500], f32), T([1, 1500], f32)), {})");
	spoil(&b, 1, 1250, 1500, 0x11);
	for (int i = 0; i < LOOKS; i++)
		found += look(&b, 1, text) == AY_WRONG;
	CHECKF(found > 0 && found < LOOKS, "%d of %d", found, LOOKS);
	teardown(&b);
}
