/* SPDX-License-Identifier: Apache-2.0
 *
 * ab_result - tests of the results made from invented blocks and single calls.
 */
#include "test.h"
#include "base/arena.h"
#include "timing/ab_internal.h"

#include <math.h>
#include <string.h>

enum { BLOCKS = 20, CALLS = 100, ALONE = 24 };
static struct ay_dev gpu;
/* in ns: a tenth of a batch of these kernels, which take 1 us a call */
static const double gate_ns = 10e3;

struct fixture {
	struct ay_arena a;
	struct ab *p;
	struct ay_ab_spec s;
	struct ay_timing t;
};

/* Returns a little noise of either sign, equal in every run. */
static double noise(int i)
{
	return 0.002 * ((i * 7) % 11 - 5) / 5;
}

/* Makes n blocks in which the kernel takes kernel_ns a call and the baseline base_ns. */
static void setup(struct fixture *k, int n, double kernel_ns, double base_ns)
{
	struct ab *p;

	*k = (struct fixture){ 0 };
	p = k->p = AY_NEW(&k->a, struct ab);
	k->s.against = p->against = AY_BASELINE_KERNEL;
	p->s = &k->s;
	p->t = &k->t;
	p->ga = p->gb = &p->gate[0];
	p->ga->gate_ns = p->ga->empty_ns = gate_ns;
	p->m = CALLS;
	p->passes = 1;
	p->n = n;
	for (int i = 0; i < n; i++) {
		p->calls[i] = CALLS;
		for (int half = 0; half < 2; half++) {
			const int at = 2 * i + half;

			p->a_half[at] = kernel_ns * (1 + noise(at));
			p->b_half[at] = base_ns * (1 + noise(at + 3));
			p->d[at] = log(p->b_half[at] / p->a_half[at]);
			p->sum_a += p->a_half[at];
			p->sum_b += p->b_half[at];
		}
		p->ta[i] = (p->a_half[2 * i] + p->a_half[2 * i + 1]) / 2;
		p->tb[i] = (p->b_half[2 * i] + p->b_half[2 * i + 1]) / 2;
	}
}

/* Calls alone, half of which took kernel[0] and half of which kernel[1]; empty ones scatter by
 * `scatter`. */
static void alone(struct fixture *k, int n, const double kernel[2], double base, double scatter)
{
	struct audits *u = &k->p->audit;

	u->n = n;
	for (int i = 0; i < n; i++) {
		u->kernel[i] = kernel[i % 2] * (1 + noise(i));
		u->base[i] = base * (1 + noise(i + 3));
		u->none[0][i] = u->none[1][i] = k->p->ga->empty_ns + scatter * (i % 3 - 1);
	}
}

static const struct ay_timing *tell(struct fixture *k)
{
	ay_ab_tell(k->p, &k->a);
	return &k->t;
}

static bool is_near(double x, double due)
{
	return fabs(x / due - 1) < 0.01;
}

/* --- honest ones ------------------------------------------------------------------------------ */

TEST(ab_result_of_equals)
{
	struct fixture k;
	const struct ay_timing *t;

	setup(&k, BLOCKS, 1000, 1000);
	alone(&k, ALONE, (double[]){ 1100, 1100 }, 1100, 10);
	t = tell(&k);
	CHECKF(t->pace == AY_PACE_SAME, "%s [%g, %g]", ay_pace_name(t->pace), t->lo, t->hi);
	CHECK(is_near(t->ns, 1000) && is_near(t->base_ns, 1000) && is_near(t->speedup, 1) && !t->why);
	CHECK(!t->audited && !t->disturbed && t->blocks == BLOCKS && t->nsample == 2 * BLOCKS);
	CHECK(is_near(t->latency_ns, 1100));
	ay_arena_release(&k.a);
}

TEST(ab_result_of_half_the_time)
{
	struct fixture k;
	const struct ay_timing *t;

	setup(&k, BLOCKS, 1000, 2000);
	alone(&k, ALONE, (double[]){ 1100, 1100 }, 2200, 10);
	t = tell(&k);
	CHECKF(t->pace == AY_PACE_FASTER && is_near(t->speedup, 2), "%s %g", ay_pace_name(t->pace), t->speedup);
	CHECK(!t->audited && !t->why);
	ay_arena_release(&k.a);
}

TEST(ab_result_of_twice_the_time)
{
	struct fixture k;

	setup(&k, BLOCKS, 2000, 1000);
	CHECK(tell(&k)->pace == AY_PACE_SLOWER && is_near(k.t.speedup, 0.5));
	ay_arena_release(&k.a);
}

TEST(ab_result_of_too_few_blocks)
{
	struct fixture k;

	setup(&k, 5, 1000, 2000);
	CHECK(tell(&k)->pace == AY_PACE_UNCLEAR);
	CHECKF(k.t.why && strstr(k.t.why, "--budget"), "%s", k.t.why ? k.t.why : "no reason");
	ay_arena_release(&k.a);
	setup(&k, 0, 1000, 2000);
	CHECK(tell(&k)->pace == AY_PACE_NONE && k.t.why && !k.t.ns);
	ay_arena_release(&k.a);
}

/* No kernel is called faster if a hand-over could hide the difference. */
TEST(ab_result_within_the_hand_over)
{
	struct fixture k;

	setup(&k, BLOCKS, 1000, 1080); /* 8 % faster, in a batch of which 10 % is gate_ns */
	CHECKF(tell(&k)->pace == AY_PACE_UNCLEAR, "%s", ay_pace_name(k.t.pace));
	ay_arena_release(&k.a);
	setup(&k, BLOCKS, 1000, 1120);
	CHECKF(tell(&k)->pace == AY_PACE_FASTER, "%s", ay_pace_name(k.t.pace));
	ay_arena_release(&k.a);
}

/* --- leads that are none ---------------------------------------------------------------------- */

/* The kernel is fast only when many sets come at once. */
TEST(ab_result_of_a_lead_in_batches_only)
{
	struct fixture k;
	const struct ay_timing *t;

	setup(&k, BLOCKS, 500, 1000);
	alone(&k, ALONE, (double[]){ 4000, 4000 }, 1000, 10);
	t = tell(&k);
	CHECKF(t->audited && t->pace != AY_PACE_FASTER, "%s %g", ay_pace_name(t->pace), t->speedup);
	CHECK(is_near(t->ns, 4000)); /* the time of single calls is the result */
	ay_arena_release(&k.a);
}

/* Where handing over takes longer than four calls, a cold start could explain as much: but not that
 * the baseline has none. */
TEST(ab_result_of_a_lead_in_batches_where_handing_over_is_slow)
{
	const double slow = 120e3;
	struct fixture k;
	const struct ay_timing *t;

	setup(&k, BLOCKS, 25e3, 50e3);
	k.p->ga->gate_ns = k.p->ga->empty_ns = slow;
	alone(&k, 200, (double[]){ 50e3, 52e3 }, 54e3, 5e3);
	t = tell(&k);
	CHECKF(t->audited && t->pace != AY_PACE_FASTER, "%s %g", ay_pace_name(t->pace), t->speedup);
	/* the lead that single calls have, and no less */
	CHECKF(t->speedup > 0.99 && t->speedup < 1.15, "%g", t->speedup);
	ay_arena_release(&k.a);

	setup(&k, BLOCKS, 25e3, 50e3); /* both have a cold start, which must have no effect */
	k.p->ga->gate_ns = k.p->ga->empty_ns = slow;
	alone(&k, 200, (double[]){ 50e3, 52e3 }, 75e3, 5e3);
	t = tell(&k);
	CHECKF(!t->audited && t->pace == AY_PACE_FASTER, "%s %g", ay_pace_name(t->pace), t->speedup);
	CHECK(is_near(t->speedup, 2));
	ay_arena_release(&k.a);

	/* single calls on a GPU include a launch, which batches rightly hide */
	setup(&k, BLOCKS, 25e3, 50e3);
	k.s.device = &gpu;
	k.p->ga->gate_ns = k.p->ga->empty_ns = slow;
	alone(&k, 200, (double[]){ 45e3, 46e3 }, 54e3, 5e3);
	t = tell(&k);
	CHECKF(!t->audited && t->pace == AY_PACE_FASTER, "%s %g", ay_pace_name(t->pace), t->speedup);
	ay_arena_release(&k.a);
}

/* Triton's launch takes 100 us of a single call. A kernel without a lead in batches does not lose
 * one by that. */
TEST(ab_result_of_a_launch_by_python)
{
	static const struct {
		double kernel_ns;
		bool python, audited;
	} due[] = { { 66e3, true, false }, { 66e3, false, true }, { 40e3, true, true } };

	for (size_t i = 0; i < sizeof due / sizeof *due; i++) {
		struct fixture k;

		setup(&k, BLOCKS, due[i].kernel_ns, 61e3);
		k.s.device = &gpu;
		/* never dereferenced */
		k.s.kernel.python = due[i].python ? (struct ay_python *)&gpu : NULL;
		k.p->ga->gate_ns = k.p->ga->empty_ns = 250e3;
		alone(&k, ALONE, (double[]){ 170e3, 172e3 }, 75e3, 5e3);
		CHECKF(tell(&k)->audited == due[i].audited, "%d: %g x, %g us", (int)i, k.t.speedup, k.t.ns / 1e3);
		CHECK(due[i].audited || (is_near(k.t.ns, due[i].kernel_ns) && is_near(k.t.speedup, 61e3 / 66e3)));
		ay_arena_release(&k.a);
	}
}

/* Of a gain of 25 us some single calls show 8 and others 15. Perhaps most of it is lost, so nothing
 * is reported. */
TEST(ab_result_of_a_gain_that_is_doubtful)
{
	struct fixture k;

	setup(&k, BLOCKS, 25e3, 50e3);
	k.p->ga->gate_ns = k.p->ga->empty_ns = 120e3;
	alone(&k, 48, (double[]){ 54e3, 47e3 }, 62e3, 1e3);
	CHECKF(tell(&k)->pace == AY_PACE_UNCLEAR && k.t.why, "%s", ay_pace_name(k.t.pace));
	ay_arena_release(&k.a);
}

/* Tests a slow single call of a kernel without baseline. */
TEST(ab_result_of_a_slow_call_alone)
{
	struct fixture k;

	setup(&k, BLOCKS, 500, 1000);
	k.p->against = AY_BASELINE_NONE;
	alone(&k, ALONE, (double[]){ 4000, 4000 }, 0, 10);
	CHECK(tell(&k)->audited && is_near(k.t.ns, 4000) && !k.t.base_ns);
	ay_arena_release(&k.a);
}

/* Half of the single calls show the lead, the others the opposite. Nothing is proved, so nothing is
 * reported. */
TEST(ab_result_of_a_lead_that_is_doubtful)
{
	struct fixture k;
	const double both[2] = { 500, 1250 };

	setup(&k, BLOCKS, 500, 1000);
	alone(&k, 8, both, 1000, 10);
	CHECK(tell(&k)->pace == AY_PACE_UNCLEAR && ay_ab_is_doubtful(k.p));
	CHECKF(k.t.why && strstr(k.t.why, "one by one"), "%s", k.t.why ? k.t.why : "no reason");
	ay_arena_release(&k.a);

	setup(&k, BLOCKS, 500, 1000); /* too few to doubt anything */
	alone(&k, 7, both, 1000, 10);
	CHECK(tell(&k)->pace == AY_PACE_FASTER && !ay_ab_is_doubtful(k.p));
	ay_arena_release(&k.a);

	/* too short to be visible beside hand-overs with as much scatter */
	setup(&k, BLOCKS, 500, 1000);
	alone(&k, 8, both, 1000, 2000);
	CHECK(tell(&k)->pace == AY_PACE_FASTER && !ay_ab_is_doubtful(k.p));
	ay_arena_release(&k.a);

	setup(&k, BLOCKS, 1000, 1200); /* a lead that single calls need not show */
	alone(&k, 8, both, 1000, 10);
	CHECK(tell(&k)->pace == AY_PACE_FASTER && !ay_ab_is_doubtful(k.p));
	ay_arena_release(&k.a);
}

/* The baseline is slow only beside the kernel, so it is disturbed. */
TEST(ab_result_of_a_baseline_that_is_disturbed)
{
	struct fixture k;
	const struct ay_timing *t;

	setup(&k, BLOCKS, 1000, 1500);
	k.p->alone[0] = k.p->alone[1] = (struct spell){ 1000, 1010 };
	t = tell(&k);
	CHECKF(t->disturbed && t->pace == AY_PACE_SAME, "%s %g", ay_pace_name(t->pace), t->speedup);
	CHECK(is_near(t->base_ns, 1000) && is_near(t->speedup, 1) && is_near(t->totals, 1));
	ay_arena_release(&k.a);

	setup(&k, BLOCKS, 1000, 1500); /* slower by no more than its own scatter */
	k.p->alone[0] = k.p->alone[1] = (struct spell){ 1000, 1600 };
	CHECK(!tell(&k)->disturbed && k.t.pace == AY_PACE_FASTER);
	ay_arena_release(&k.a);

	setup(&k, BLOCKS, 1000, 1500); /* it was as slow before the kernel ran */
	k.p->alone[0] = (struct spell){ 1480, 1485 };
	k.p->alone[1] = (struct spell){ 1000, 1010 };
	CHECK(!tell(&k)->disturbed && k.t.pace == AY_PACE_FASTER);
	ay_arena_release(&k.a);
}

/* --- what the hand-over costs ----------------------------------------------------------------- */

/* Taken while the machine was busy, gate_ns was larger than it is beside the audits: both get back what
 * was subtracted. */
TEST(ab_result_gives_back_of_c0)
{
	struct fixture k;

	setup(&k, BLOCKS, 1000, 2000);
	alone(&k, ALONE, (double[]){ 1000, 1000 }, 2000, 0);
	k.p->ga->empty_ns = k.p->ga->gate_ns = gate_ns + 50e3; /* 500 ns for each of 100 calls */
	CHECKF(is_near(tell(&k)->ns, 1500), "%g ns", k.t.ns);
	CHECK(is_near(k.t.base_ns, 2500) && is_near(k.t.speedup, 2500.0 / 1500));
	CHECK(is_near(k.p->ga->gate_ns, gate_ns));
	ay_arena_release(&k.a);
}

/* On a GPU the events of a trusted baseline count, and correct gate_ns by at most a third of it. */
TEST(ab_result_gives_back_what_events_say)
{
	const struct {
		double lag, due;
		bool trusted, ungated;
	} try[] = {
		{ 0.8, 0.8, true, false },  { 1.2, 1.2, true, false }, { 0.1, 0.67, true, false },
		{ 9.0, 1.33, true, false }, { 0.8, 1, false, false },  { 0.8, 1, true, true },
	};

	for (size_t i = 0; i < sizeof try / sizeof *try; i++) {
		struct fixture k;

		setup(&k, BLOCKS, 1000, 2000);
		k.s.device = &gpu;
		k.s.base.trusted = try[i].trusted;
		k.s.ungated = try[i].ungated;
		for (int b = 0; b < BLOCKS; b++)
			k.p->lag[b] = try[i].lag * gate_ns;
		tell(&k);
		CHECKF(is_near(k.p->gb->gate_ns, try[i].due * gate_ns), "%zu: gate_ns is %g", i, k.p->gb->gate_ns);
		CHECKF(is_near(k.t.ns, 1000 + (1 - try[i].due) * gate_ns / CALLS), "%zu: %g ns", i, k.t.ns);
		CHECKF(is_near(k.t.lag_ns + 1, (try[i].trusted ? try[i].lag * gate_ns : 0) + 1), "%zu: %g", i,
		       k.t.lag_ns);
		ay_arena_release(&k.a);
	}
}

TEST(ab_result_says_where_events_contradict)
{
	const struct {
		double claimed;
		bool due;
	} try[] = { { 0, false }, { 1050, false }, { 850, true }, { 1150, true } };

	for (size_t i = 0; i < sizeof try / sizeof *try; i++) {
		struct fixture k;

		setup(&k, BLOCKS, 1000, 1000);
		k.s.device = &gpu;
		for (int b = 0; b < BLOCKS; b++)
			k.p->claimed[b] = try[i].claimed;
		CHECKF(tell(&k)->contradicted == try[i].due, "%zu", i);
		ay_arena_release(&k.a);
	}
}
