/* SPDX-License-Identifier: Apache-2.0
 *
 * ab_plan - tests of how much work a batch gets, from invented times of the hand-over and of calls.
 */
#include "test.h"
#include "timing_fixture.h"
#include "timing/ab_internal.h"
#include "timing/plan_cache.h"

#include <stdio.h>
#include <string.h>

static const struct ay_ceilings machine = { .cache = { 32 << 10, 1 << 20, 4 << 20 } };

/* Two kernels that take 200 and 250 us a call on 6 MB. */
struct calls {
	struct timing_fixture r;
	struct ay_ab_spec s;
	struct ab p;
};

static void setup_line(struct calls *k, const char *line)
{
	timing_fixture_init(&k->r, line);
	k->s = (struct ay_ab_spec){ .call = k->r.call,
				    .against = AY_BASELINE_KERNEL,
				    .threads = 1,
				    .call_timeout_s = 10,
				    .ceilings = &machine };
	k->p = (struct ab){ .s = &k->s, .against = AY_BASELINE_KERNEL, .trial_a = 200e3, .trial_b = 250e3 };
	k->p.ga = k->p.gb = &k->p.gate[0];
	ay_input_template_init(&k->p.template, k->r.call);
}

static void setup(struct calls *k)
{
	setup_line(k, "aten::relu((T([768, 1024], f32),), {})");
}

static void release(struct calls *k)
{
	ay_input_template_release(&k->p.template);
	timing_fixture_release(&k->r);
}

/* Makes the plan for a hand-over that takes gate_ns. Returns false if there is no ratio. */
static bool plan(struct calls *k, double gate_ns, double budget_s)
{
	k->s.budget_s = budget_s;
	k->p.ga->gate_ns = k->p.ga->empty_ns = gate_ns;
	k->p.ga->spread = gate_ns / 10;
	return ay_ab_plan(&k->p);
}

TEST(ab_plan_batches_do_not_drown_in_the_gate)
{
	static struct calls k;

	setup(&k);
	CHECK(plan(&k, 10e3, 20) && k.p.m >= 1 && k.p.passes == 1);
	CHECK(plan(&k, 1e6, 20)); /* a batch of the faster kernel lasts three times as long */
	CHECKF(k.p.m >= 3 * 1e6 / 200e3 - 1, "%d sets", k.p.m);
	release(&k);
}

/* On a busy machine gate_ns is some milliseconds: then batches are as long as can be paid for, and not a
 * reason for no ratio. */
TEST(ab_plan_has_a_ratio_on_a_busy_machine)
{
	static struct calls k;

	setup(&k);
	CHECK(plan(&k, 5e6, 2));
	CHECKF(k.p.m >= 1 && k.p.m < 3 * 5e6 / 200e3, "%d sets", k.p.m);
	CHECK(!plan(&k, 100e6, 2)); /* but if not even the hand-overs fit, there is no plan */
	release(&k);
}

static uint64_t much(struct ay_dev *d)
{
	(void)d;
	return 100ull << 30;
}

/* Who is trusted goes over few sets often: two, where writing sixteen would take longer than all
 * calls of a batch. */
TEST(ab_plan_of_the_trusted_goes_over_large_sets_again)
{
	static const struct ay_dev_class cls = { .free_bytes = much };
	static struct ay_dev gpu = { .cls = &cls };
	static struct calls k;

	setup(&k);
	k.s.device = &gpu;
	k.s.trusted = true;
	CHECK(plan(&k, 250e3, 1) && k.p.m >= 15);
	k.p.template.bytes = 600 << 20;
	CHECK(plan(&k, 250e3, 1));
	CHECKF(k.p.m == 2 && k.p.m * k.p.passes * 200e3 > 2e6, "%d sets, %d times", k.p.m, k.p.passes);
	k.s.trusted = false;
	CHECK(plan(&k, 250e3, 1) && k.p.passes == 1);
	release(&k);
}

/* --- from run to run -------------------------------------------------------------------------- */

/* Factor for a measured figure in the i-th run: up to 1.4 in either direction, equal in every test
 * run. */
static double noise(int i)
{
	return 1 + 0.4 * ((i * 7) % 11 - 5) / 5;
}

/* Plans one run of a case whose calls take a and b ns, with noise. */
static bool run_again(struct calls *k, int i, double a, double b, double budget_s)
{
	k->p.trial_a = a * noise(i);
	k->p.trial_b = b * noise(i + 3);
	return plan(k, 100e3 * noise(i + 5), budget_s);
}

static bool is_cold(const struct calls *k)
{
	return ay_ceiling_level(&machine, (double)k->p.template.bytes * k->p.m * 0.8) == AY_LEVEL_MEMORY;
}

/* Near a boundary or not: the decision does not depend on the noise of a measurement. */
TEST(ab_plan_cold_or_warm_is_the_same_in_every_run)
{
	static const double budgets[] = { 1, 3, 5, 8, 12, 20, 60 };
	static const char *const lines[] = { "aten::relu((T([768, 1024], f32),), {})",
					     "aten::relu((T([512, 512], f32),), {})",
					     "aten::relu((T([64, 1024], f32),), {})",
					     "aten::relu((T([4096, 4096], f32),), {})" };
	int cold = 0, warm = 0;

	for (size_t l = 0; l < sizeof lines / sizeof *lines; l++) {
		static struct calls k;

		setup_line(&k, lines[l]);
		for (size_t b = 0; b < sizeof budgets / sizeof *budgets; b++) {
			const double ns = (double)k.p.template.bytes / 15; /* 15 GB/s */
			bool first = false;

			for (int i = 0; i < 11; i++) {
				run_again(&k, i, ns, 1.3 * ns, budgets[b]);
				first = i ? first : is_cold(&k);
				CHECKF(is_cold(&k) == first, "%s in %g s: run %d has %d sets", lines[l],
				       budgets[b], i, k.p.m);
			}
			cold += first;
			warm += !first;
		}
		release(&k);
	}
	CHECKF(cold && warm, "%d cold, %d warm: there was nothing to tell", cold, warm);
}

static const char *const name = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

TEST(ab_plan_has_as_many_sets_in_every_run)
{
	static struct calls k;

	setup_line(&k, "aten::relu((T([64, 1024], f32),), {})");
	k.s.plan_name = name;
	for (int n = 0; n < 20; n++) { /* some speeds are near a boundary, others are not */
		const double ns = 50e3 * (1 + 0.17 * n);
		int first = 0;

		k.s.plan_file = ay_sprintf(&k.r.a, "%s/plans%d", test_dir(), n);
		for (int i = 0; i < 11; i++) {
			CHECK(run_again(&k, i * 5, ns, 1.3 * ns, 3));
			first = i ? first : k.p.m;
			CHECKF(k.p.m == first, "%g us, run %d: %d sets, not %d", ns / 1e3, i, k.p.m, first);
		}
	}
	release(&k);
}

/* A remembered plan of a machine that was ten times slower does not stay for ever. */
TEST(ab_plan_forgets_what_no_longer_fits)
{
	static struct calls k;
	int before;

	setup_line(&k, "aten::relu((T([64, 1024], f32),), {})");
	k.s.plan_name = name;
	k.s.plan_file = ay_sprintf(&k.r.a, "%s/plans", test_dir());
	CHECK(run_again(&k, 0, 2e6, 2e6, 3));
	before = k.p.m;
	CHECK(run_again(&k, 0, 2e5, 2e5, 3));
	CHECKF(k.p.m > 2 * before, "%d sets, %d before", k.p.m, before);
	release(&k);
}

/* The reference's batches have their own number of sets. */
TEST(ab_plan_of_the_reference_is_the_same_in_every_run)
{
	static struct calls k;
	int m = 0, mb = 0;

	setup_line(&k, "aten::relu((T([64, 1024], f32),), {})");
	k.s.against = k.p.against = AY_BASELINE_REFERENCE;
	k.s.plan_name = name;
	k.s.plan_file = ay_sprintf(&k.r.a, "%s/plans", test_dir());
	for (int i = 0; i < 11; i++) {
		CHECK(run_again(&k, i, 2e5, 1.2e6, 3));
		m = i ? m : k.p.m;
		mb = i ? mb : k.p.mb;
		CHECKF(k.p.m == m && k.p.mb == mb, "run %d: %d and %d sets, not %d and %d", i, k.p.m, k.p.mb, m,
		       mb);
	}
	release(&k);
}

static const char *file_in_test_dir(void)
{
	static char path[300];

	snprintf(path, sizeof path, "%s/plans", test_dir());
	return path;
}

TEST(ab_plan_cache_takes_the_last_line_and_skips_what_is_none)
{
	const char *file = file_in_test_dir();
	const struct ay_batch_plan one = { 7, 1 }, two = { 16, 4 };
	struct ay_batch_plan got = { 0 };
	FILE *f;

	CHECK(!ay_plan_cache_find(file, name, &got));
	ay_plan_cache_note(file, name, &one);
	ay_plan_cache_note(file, name, &two);
	CHECK(ay_plan_cache_find(file, name, &got) && got.calls == 16 && got.base == 4);
	f = fopen(file, "a");
	CHECK(f &&
	      fprintf(f, "%s 0 1\n%s 5\n%s 1 2 3\nrubbish\n\n%s 99999999999 1\n%s 3 3", name, name, name, name,
		      name) > 0 &&
	      !fclose(f));
	CHECK(ay_plan_cache_find(file, name, &got) && got.calls == 16 && got.base == 4);
	CHECK(!ay_plan_cache_find(file, "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff", &got));
	ay_plan_cache_note("/no/such/folder/plans", name, &one); /* no failure */
}

TEST(ab_plan_cache_does_not_grow_for_ever)
{
	const char *file = file_in_test_dir();
	const struct ay_batch_plan one = { 7, 1 };
	struct ay_batch_plan got;
	FILE *f = fopen(file, "w");

	for (int i = 0; f && i < AY_PLAN_FILE_MAX / 70; i++)
		fprintf(f, "%064d 2 2\n", i);
	CHECK(f && !fclose(f));
	for (int i = 0; i < 500; i++)
		ay_plan_cache_note(file, name, &one);
	f = fopen(file, "r");
	CHECK(f && !fseek(f, 0, SEEK_END) && ftell(f) < AY_PLAN_FILE_MAX);
	CHECK(f && !fclose(f));
	CHECK(ay_plan_cache_find(file, name, &got) && got.calls == 7);
}
