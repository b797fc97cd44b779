/* SPDX-License-Identifier: Apache-2.0
 *
 * suite_timed - tests of which cases are timed.
 */
#include "helpers.h"
#include "test.h"

#include <string.h>

struct picked {
	struct ay_arena a;
	struct ay_err err;
	struct ay_suite s;
};

static void add(struct picked *p, const char *text, enum ay_tier tier, bool derived)
{
	struct ay_suite_case sc = { .tier = tier, .derived = derived };
	struct ay_case *line;

	if (ay_case_parse(&p->a, text, strlen(text), &line, &p->err) ||
	    !(sc.op = ay_registry_find_case(help_registry(), line, &sc.schema, &p->err))) {
		test_fail(__FILE__, __LINE__, "%s: %s", text, p->err.msg);
		return;
	}
	sc.line = line;
	sc.id = p->s.n + 1;
	ay_suite_push(&p->s, &sc);
}

static void release(struct picked *p)
{
	ay_suite_release(&p->s);
	ay_arena_release(&p->a);
	*p = (struct picked){ 0 };
}

/* Returns "1 2* 4*": the remaining ids in order, those to be timed with a star. */
static const char *text_of(struct picked *p)
{
	const char *s = "";

	for (int i = 0; i < p->s.n; i++)
		s = ay_sprintf(&p->a, "%s%s%d%s", s, i ? " " : "", p->s.c[i].id, p->s.c[i].timed ? "*" : "");
	return s;
}

#define RELU(shape, dt) "aten::relu((T(" shape ", " dt "),), {})"
#define ADD(shape, dt)  "aten::add.Tensor((T(" shape ", " dt "), T(" shape ", " dt ")), {})"

/* Adds an operator with cases worth timing, and one without. */
static void fill(struct picked *p)
{
	*p = (struct picked){ 0 };
	add(p, RELU("[7]", "f32"), AY_QUICK, false);    /* 1 */
	add(p, RELU("[64]", "f32"), AY_FULL, false);    /* 2 */
	add(p, RELU("[4096]", "f32"), AY_PERF, false);  /* 3 */
	add(p, RELU("[1024]", "f32"), AY_PERF, false);  /* 4: the smaller one, and both are small */
	add(p, RELU("[2048]", "bf16"), AY_PERF, false); /* 5 */
	add(p, RELU("[512]", "f32"), AY_PERF, true);    /* 6: derived */
	add(p, RELU("[9, 9]", "f16"), AY_FULL, false);  /* 7 */
	add(p, RELU("[0, 9]", "f64"), AY_PERF, false);  /* 8: empty */
	add(p, ADD("[300]", "f32"), AY_QUICK, false);   /* 9 */
	add(p, ADD("[100]", "f32"), AY_FULL, false);    /* 10 */
	add(p, ADD("[0]", "f32"), AY_QUICK, false);     /* 11 */
	add(p, ADD("[100]", "f16"), AY_QUICK, false);   /* 12 */
	add(p, ADD("[100]", "f64"), AY_QUICK, false);   /* 13 */
	add(p, ADD("[50]", "bf16"), AY_QUICK, false);   /* 14: a fourth dtype */
	add(p, ADD("[20]", "f64"), AY_QUICK, false);    /* 15 */
}

TEST(suite_timed_takes_what_the_mode_says)
{
	static const struct {
		enum ay_timed mode;
		bool quick;
		const char *want;
	} t[] = {
		{ AY_TIMED_NONE, false, "1 2 7 9 10 11 12 13 14 15" },
		{ AY_TIMED_NONE, true, "1 9 11 12 13 14 15" },
		{ AY_TIMED_AUTO, false, "1 2 3* 5* 7 9 10 11 12 13 14 15" },
		{ AY_TIMED_AUTO, true, "1 3* 5* 9 11 12 13 14 15" },
		{ AY_TIMED_FULL, false, "1 2 3* 4* 5* 7 9 10 11 12 13 14 15" },
		{ AY_TIMED_FULL, true, "1 3* 4* 5* 9 11 12 13 14 15" },
	};

	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		struct picked p;

		fill(&p);
		ay_suite_pick(&p.s, t[i].mode, t[i].quick);
		CHECK_STR(text_of(&p), t[i].want);
		/* a second call changes nothing but what --quick kept only for timing */
		ay_suite_pick(&p.s, t[i].mode, t[i].quick);
		CHECK_STR(text_of(&p), t[i].want);
		release(&p);
	}
}

/* Lines that a user has chosen are timed, whatever their tier. */
TEST(suite_timed_takes_lines_of_a_list)
{
	struct picked p;

	fill(&p);
	p.s.listed = true;
	ay_suite_pick(&p.s, AY_TIMED_AUTO, false);
	CHECK_STR(text_of(&p), "1 2 3* 5* 7* 9* 10 11 12* 13* 14 15");
	release(&p);
}

/* The smallest of those with at least one MiB is taken. */
TEST(suite_timed_takes_the_smallest_that_is_large_enough)
{
	struct picked p = { 0 };

	add(&p, RELU("[1024]", "f32"), AY_PERF, false);
	add(&p, RELU("[4194304]", "f32"), AY_PERF, false);
	add(&p, RELU("[262144]", "f32"), AY_PERF, false);
	ay_suite_pick(&p.s, AY_TIMED_AUTO, false);
	CHECK_STR(text_of(&p), "3*");
	release(&p);
}

TEST(suite_timed_of_nothing_and_of_what_cannot_be_bound)
{
	struct picked p = { 0 };

	ay_suite_pick(&p.s, AY_TIMED_FULL, true);
	CHECK(!p.s.n);
	/* relu has no meaning for this dtype */
	add(&p, RELU("[7]", "c64"), AY_PERF, false);
	/* the result is a number, not a tensor */
	add(&p, "aten::item((T([1], f32),), {})", AY_PERF, false);
	add(&p, RELU("[7]", "f32"), AY_PERF, false);
	ay_suite_pick(&p.s, AY_TIMED_AUTO, false);
	CHECK_STR(text_of(&p), "3*");
	release(&p);
}

/* Under auto every operator has something to time, and an overload has at most three cases. */
TEST(suite_timed_finds_something_for_every_operator)
{
	const struct ay_registry *r = help_registry();

	for (int i = 0; i < r->n; i++) {
		const struct ay_op *op = r->op[i].op[0];
		struct picked p = { 0 };
		int timed = 0, perf = 0;

		CHECKF(!ay_suite_add_op(&p.s, &p.a, r, &r->op[i], AY_PERF, &p.err), "%s", p.err.msg);
		for (int k = 0; k < p.s.n; k++)
			perf += p.s.c[k].tier == AY_PERF && !p.s.c[k].derived;
		ay_suite_pick(&p.s, AY_TIMED_AUTO, false);
		for (int k = 0; k < p.s.n; k++) {
			int same = 0;

			timed += p.s.c[k].timed;
			CHECK(p.s.c[k].timed || p.s.c[k].tier != AY_PERF);
			for (int j = 0; j < p.s.n && p.s.c[k].timed; j++)
				same += p.s.c[j].timed && p.s.c[j].schema == p.s.c[k].schema;
			CHECKF(same <= 3, "%s: %d of one overload", r->op[i].name, same);
		}
		CHECKF(timed || !perf || op->flags & AY_META, "%s has cases worth timing, and none is",
		       r->op[i].name);
		release(&p);
	}
}

TEST(suite_timed_knows_its_words)
{
	struct ay_err err = { 0 };
	enum ay_timed mode = AY_TIMED_NONE;

	for (int i = 0; i <= AY_TIMED_FULL; i++)
		CHECK(!ay_timed_find(ay_timed_name((enum ay_timed)i), &mode, &err) && mode == (enum ay_timed)i);
	CHECK(ay_timed_find("autos", &mode, &err) == -1);
	CHECK_STR(err.msg, "--timing is none, auto or full, not 'autos'");
}
