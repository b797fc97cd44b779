/* SPDX-License-Identifier: Apache-2.0
 *
 * timeable - tests of which cases may be timed. Verdicts and times of calls are invented; nothing
 * is measured.
 */
#include "test.h"
#include "helpers.h"
#include "judge/timeable.h"
#include "op/suite.h"

#include <string.h>

struct fixture {
	struct ay_arena a;
	struct ay_timeable t;
};

static struct ay_suite_case of_line(struct fixture *k, const char *text)
{
	struct ay_suite_case sc = { 0 };
	struct ay_err err = { 0 };
	struct ay_case *line;

	CHECKF(!ay_case_parse(&k->a, text, strlen(text), &line, &err), "%s", err.msg);
	sc.op = ay_registry_find_case(help_registry(), line, &sc.schema, &err);
	CHECKF(sc.op != NULL, "%s", err.msg);
	sc.line = line;
	return sc;
}

static struct ay_suite_case mm(struct fixture *k, int n, const char *dt)
{
	return of_line(k,
		       ay_sprintf(&k->a, "aten::mm((T([%d, %d], %s), T([%d, %d], %s)), {})", n, n, dt, n, n, dt));
}

static void note(struct fixture *k, int n, const char *dt, double s)
{
	const struct ay_suite_case sc = mm(k, n, dt);

	ay_timeable_note(&k->t, &sc, AY_VERDICT_PASS, s);
}

static double estimate(struct fixture *k, int n, const char *dt)
{
	const struct ay_suite_case sc = mm(k, n, dt);

	return ay_timeable_estimate(&k->t, sc.schema, ay_case_dtype(sc.line), ay_case_work(&sc));
}

static void release(struct fixture *k)
{
	ay_timeable_release(&k->t);
	ay_arena_release(&k->a);
}

/* A plain triple loop: 2 ns for each of n^3 steps, and 50 us for the hand-over. */
TEST(timeable_estimates_a_call_by_its_work)
{
	struct fixture k = { 0 };

	for (int n = 1; n <= 64; n *= 2)
		note(&k, n, "f32", 50e-6 + 2e-9 * n * n * n);
	CHECKF(estimate(&k, 1024, "f32") > 2 && estimate(&k, 1024, "f32") < 2.2, "%g s",
	       estimate(&k, 1024, "f32"));
	CHECK(!estimate(&k, 1024, "f16")); /* nothing is known of that */
	note(&k, 64, "f32", 0.9);          /* the machine was busy once, so the least time counts */
	CHECKF(estimate(&k, 1024, "f32") < 2.2, "%g s", estimate(&k, 1024, "f32"));
	release(&k);
}

TEST(timeable_has_no_estimate_from_calls_that_are_all_handing_over)
{
	struct fixture k = { 0 };

	CHECK(!estimate(&k, 1024, "f32"));
	for (int n = 1; n <= 64; n *= 2)
		note(&k, n, "f32", 50e-6 + 1e-10 * n * n * n);
	CHECK(!estimate(&k, 1024, "f32"));
	release(&k);
}

TEST(timeable_calls_must_fit_into_budget_and_time_out)
{
	static const struct {
		double call_s, budget_s, timeout_s;
		bool estimated;
		const char *why;
	} rows[] = {
		{ 0, 3, 10, true, NULL },
		{ 2.9, 3, 10, false, NULL },
		{ 0.9, 0.1, 10, false, NULL },
		{ 1.1, 0.1, 10, false, "too slow to time: a call takes 1.1 s, --budget is 0.1" },
		{ 3.5, 3, 10, false, "too slow to time: a call takes 3.5 s, --budget is 3" },
		{ 3.5, 3, 10, true, "too slow to time: a call would take about 3.5 s, --budget is 3" },
		{ 4.9, 20, 10, true, NULL },
		{ 6, 20, 10, true, "too slow to time: a call would take about 6 s, and may take 10 (--timeout)" },
	};
	struct ay_arena a = { 0 };

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const char *why = ay_timeable_too_slow(rows[i].call_s, rows[i].estimated, rows[i].budget_s,
						       rows[i].timeout_s, &a);

		CHECK_STR(why ? why : "-", rows[i].why ? rows[i].why : "-");
	}
	ay_arena_release(&a);
}

/* A kernel that lacks complex numbers and is wrong in f16 is timed with the other dtypes. */
TEST(timeable_leaves_out_the_dtypes_that_did_not_pass)
{
	struct fixture k = { 0 };
	const struct ay_suite_case c64 = mm(&k, 8, "c64"), f16 = mm(&k, 8, "f16"), f32 = mm(&k, 8, "f32"),
				   other = of_line(&k, "aten::relu((T([7], f16),), {})");
	const char *why;

	ay_timeable_note(&k.t, &c64, AY_VERDICT_UNSUPPORTED, 1e-4);
	ay_timeable_note(&k.t, &f16, AY_VERDICT_PASS, 1e-4);
	ay_timeable_note(&k.t, &f16, AY_VERDICT_MISMATCH, 1e-4);
	ay_timeable_note(&k.t, &f32, AY_VERDICT_PASS, 1e-4);
	ay_timeable_note(&k.t, &f32, AY_VERDICT_SKIPPED, 0);
	CHECK(!ay_timeable_failure(&k.t, &f32, &k.a) && !ay_timeable_failure(&k.t, &other, &k.a));
	why = ay_timeable_failure(&k.t, &f16, &k.a);
	CHECK_STR(why ? why : "-", "not timed: f16 did not pass");
	why = ay_timeable_failure(&k.t, &c64, &k.a);
	CHECK_STR(why ? why : "-", "not timed: c64 is not supported");
	why = ay_timeable_failed(&k.t, &k.a);
	CHECK_STR(why ? why : "-", "c64, f16");
	ay_timeable_note(&k.t, &f32, AY_VERDICT_CHEAT, 1e-4);
	why = ay_timeable_failure(&k.t, &other, &k.a);
	CHECK_STR(why ? why : "-", "not timed: the kernel cheats");
	release(&k);
}

TEST(timeable_remembers_what_was_late)
{
	struct fixture k = { 0 };
	const struct ay_suite_case late = mm(&k, 512, "f16"), less = mm(&k, 256, "f32"),
				   more = mm(&k, 1024, "bf16"),
				   other = of_line(&k, "aten::relu((T([4096, 4096], f16),), {})");

	CHECK(!ay_timeable_was_late(&k.t, &late));
	ay_timeable_note_late(&k.t, &late);
	CHECK(ay_timeable_was_late(&k.t, &late) && ay_timeable_was_late(&k.t, &more));
	CHECK(!ay_timeable_was_late(&k.t, &less) && !ay_timeable_was_late(&k.t, &other));
	release(&k);
}
