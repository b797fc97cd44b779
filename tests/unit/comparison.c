/* SPDX-License-Identifier: Apache-2.0
 *
 * comparison - tests that comparisons of runs find planted changes, and none between equal runs.
 */
#include "test.h"
#include "helpers.h"
#include "report_fixture.h"
#include "report/comparison.h"

#include <string.h>

static const struct ay_screen piped;

struct ab {
	char name[2][20]; /* of the runs */
	struct ay_run *ra, *rb;
	struct ay_summary a, b;
	struct ay_comparison c;
};

static void begin(struct ab *p)
{
	static int n;

	snprintf(p->name[0], sizeof p->name[0], "a%d", n);
	snprintf(p->name[1], sizeof p->name[1], "b%d", n++);
	p->ra = report_fixture_create(p->name[0]);
	p->rb = report_fixture_create(p->name[1]);
}

/* Adds a case of the second run with a changed kernel; with an unchanged source a different verdict
 * would be flaky. */
static void add_changed(struct ay_run *r, const char *overload, int n, const char *verdict)
{
	report_fixture_add_json(r, report_fixture_case_of(REPORT_RIG_B, overload, n, verdict));
}

static void compare(struct ab *p)
{
	report_fixture_read_run(p->name[0], p->ra, &p->a);
	report_fixture_read_run(p->name[1], p->rb, &p->b);
	ay_compare(&p->c, &p->a, &p->b);
}

static void end(struct ab *p)
{
	ay_comparison_release(&p->c);
	ay_summary_release(&p->a);
	ay_summary_release(&p->b);
}

/* Counts: broken, slower, missing, fixed, faster, new. */
static void check_counts(const struct ab *p, const char *want)
{
	char got[80];
	const int *n = p->c.count;

	snprintf(got, sizeof got, "%d %d %d %d %d %d", n[AY_CHANGE_BROKEN], n[AY_CHANGE_SLOWER],
		 n[AY_CHANGE_MISSING], n[AY_CHANGE_FIXED], n[AY_CHANGE_FASTER], n[AY_CHANGE_NEW]);
	CHECK_STR(got, want);
}

TEST(report_compares_verdicts_case_by_case)
{
	static const struct {
		const char *was, *is, *want; /* NULL: no record */
	} rows[] = {
		{ "PASS", "PASS", "0 0 0 0 0 0" },
		{ "PASS", "MISMATCH", "1 0 0 0 0 0" },
		{ "PASS", "SKIPPED", "0 0 1 0 0 0" },
		{ "PASS", NULL, "0 0 1 0 0 0" },
		{ "PASS", "WEAK_CASE", "0 0 0 0 0 0" },
		{ "MISMATCH", "PASS", "0 0 0 1 0 0" },
		{ "MISMATCH", "CRASH", "0 0 0 0 0 0" },
		{ "MISMATCH", NULL, "0 0 1 0 0 0" },
		{ "SKIPPED", "PASS", "0 0 0 0 0 1" },
		{ "SKIPPED", NULL, "0 0 0 0 0 0" },
		{ NULL, "PASS", "0 0 0 0 0 1" },
		{ "WEAK_CASE", "PASS", "0 0 0 0 0 0" },
		/* the new failure, and the overload that no longer passes */
		{ NULL, "MISMATCH", "1 0 0 0 0 1" },
		{ "SKIPPED", "CRASH", "1 0 0 0 0 1" },
		{ "WEAK_CASE", "CRASH", "1 0 0 0 0 1" },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct ab p;

		begin(&p);
		report_fixture_add(p.ra, "a::relu", 1, "PASS");
		add_changed(p.rb, "a::relu", 1, "PASS");
		if (rows[i].was)
			report_fixture_add(p.ra, "a::relu", 2, rows[i].was);
		if (rows[i].is)
			add_changed(p.rb, "a::relu", 2, rows[i].is);
		compare(&p);
		check_counts(&p, rows[i].want);
		CHECKF(!ay_regressions(&p.c) == !strcmp("0 0 0", (char[]){ rows[i].want[0], ' ', rows[i].want[2],
									   ' ', rows[i].want[4], 0 }),
		       "row %zu", i);
		end(&p);
	}
}

/* Every run draws its inputs anew, so a kernel's different verdict on other inputs is no change. */
TEST(report_calls_a_verdict_flaky_that_differs_between_inputs)
{
	static const struct {
		const char *was, *is;
		int flaky;
	} rows[] = { { "PASS", "MISMATCH", 1 },
		     { "MISMATCH", "PASS", 1 },
		     { "PASS", "PASS", 0 },
		     { "MISMATCH", "CRASH", 0 },
		     { "PASS", "SKIPPED", 0 } };

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct ab p = { 0 };

		begin(&p);
		report_fixture_add(p.ra, "a::relu", 1, rows[i].was);
		report_fixture_add(p.rb, "a::relu", 1, rows[i].is);
		compare(&p);
		CHECKF(p.c.count[AY_CHANGE_FLAKY] == rows[i].flaky, "%s -> %s", rows[i].was, rows[i].is);
		if (rows[i].flaky)
			check_counts(&p, "0 0 0 0 0 0");
		CHECK(!rows[i].flaky || !ay_regressions(&p.c));
		end(&p);
	}
}

TEST(report_compares_whole_overloads_where_there_are_no_cases)
{
	struct ab p;
	struct ay_str b = { 0 };

	begin(&p);
	report_fixture_add(p.ra, "a::gone", 1, "PASS"); /* nothing of it is left */
	report_fixture_add(p.ra, "a::gone", 2, "PASS");
	/* does not build in the second run: one change, not two missing cases */
	report_fixture_add(p.ra, "a::unbuilt", 1, "PASS");
	report_fixture_add(p.ra, "a::unbuilt", 2, "PASS");
	report_fixture_add_kernel(p.rb, "a::unbuilt", "BUILD", "error");
	report_fixture_add_kernel(p.ra, "a::mended", "BUILD", "error");
	add_changed(p.rb, "a::mended", 1, "PASS");
	add_changed(p.rb, "a::fresh", 1, "MISMATCH");
	report_fixture_add(p.ra, "a::thin", 1, "PASS"); /* the remaining case proves nothing */
	add_changed(p.rb, "a::thin", 1, "WEAK_CASE");
	compare(&p);
	check_counts(&p, "1 0 2 1 0 1");
	ay_comparison_print(&b, &p.c, AY_FORMAT_TEXT, &piped);
	CHECK(strstr(b.s, "broken   a::unbuilt  PASS -> BUILD\n") &&
	      strstr(b.s, "missing  a::gone  PASS -> MISSING\n"));
	CHECK(strstr(b.s, "missing  a::thin  PASS -> WEAK_CASE\n") &&
	      strstr(b.s, "fixed    a::mended  BUILD -> PASS\n"));
	CHECK(strstr(b.s, "new      a::fresh  MISSING -> MISMATCH\n"));
	CHECK(strstr(b.s, "1 broken, 0 slower, 2 missing, 1 fixed, 0 faster, 0 flaky, 1 new\n"));
	end(&p);
	ay_str_release(&b);
}

TEST(report_finds_slower_and_faster_beyond_the_margin)
{
	static const struct {
		double was, was_half, is, is_half;
		int threads;
		const char *want;
	} rows[] = {
		{ 1000, 1, 1029, 1, 1, "0 0 0 0 0 0" }, /* disjoint, but within 3 % */
		{ 1000, 1, 1031, 1, 1, "0 1 0 0 0 0" },
		/* more than 3 %, but the intervals overlap */
		{ 1000, 100, 1150, 60, 1, "0 0 0 0 0 0" },
		{ 1000, 100, 1150, 40, 1, "0 1 0 0 0 0" },
		{ 1029, 1, 1000, 1, 1, "0 0 0 0 0 0" },
		{ 1031, 1, 1000, 1, 1, "0 0 0 0 1 0" },
		{ 1000, 1, 9000, 1, 2, "0 0 0 0 0 0" },    /* another number of threads */
		{ 1000, 1000, 9000, 1, 1, "0 0 0 0 0 0" }, /* no interval: its lower end is 0 */
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct ab p;

		begin(&p);
		report_fixture_add_timed(p.ra, "a::relu", 1, rows[i].was, rows[i].was_half, 1);
		report_fixture_add_timed(p.rb, "a::relu", 1, rows[i].is, rows[i].is_half, rows[i].threads);
		compare(&p);
		CHECKF(!p.c.no_times, "%s", p.c.no_times);
		check_counts(&p, rows[i].want);
		end(&p);
	}
}

/* Of several kernels on one case the worst counts, so a good one cannot hide it. */
TEST(report_compares_the_worst_of_several_kernels)
{
	struct ab p;

	begin(&p);
	report_fixture_add(p.ra, "a::relu", 1, "PASS");
	report_fixture_add(p.rb, "a::relu", 1, "PASS");
	report_fixture_add_json(p.rb, report_fixture_case_of(REPORT_RIG_B, "a::relu", 1, "MISMATCH"));
	report_fixture_add_timed(p.ra, "a::exp", 1, 1000, 1, 1);
	report_fixture_add_timed(p.rb, "a::exp", 1, 1000, 1, 1);
	report_fixture_add_timed_of(p.rb, REPORT_RIG_B, "a::exp", 1, 2000, 1, 1);
	compare(&p);
	check_counts(&p, "1 1 0 0 0 0");
	/* only the case changed, not the whole overload */
	CHECK(p.c.change[0].was && p.c.change[0].is);
	end(&p);
}

TEST(report_compares_no_times_of_different_machines)
{
	struct ay_arena a = { 0 };
	struct ab p;
	char *out;

	begin(&p);
	report_fixture_add_timed(p.ra, "a::relu", 1, 1000, 1, 1);
	report_fixture_add_timed(p.rb, "a::relu", 1, 2000, 1, 1);
	CHECK(!help_run(&a,
			ay_sprintf(&a, "sed -i 's/\"cpu\": *\"/&another /' %s",
				   help_path(ay_sprintf(&a, "%s/run.json", p.name[1]))),
			10, &out));
	compare(&p);
	check_counts(&p, "0 0 0 0 0 0");
	CHECK_STR(p.c.no_times, "the machines differ");
	end(&p);
	ay_arena_release(&a);
}

TEST(report_compare_lists_the_first_cases_and_counts_the_rest)
{
	struct ab p;
	struct ay_str b = { 0 };
	json_t *j;

	begin(&p);
	for (int i = 0; i < 10; i++) {
		report_fixture_add(p.ra, "a::relu", i, "PASS");
		add_changed(p.rb, "a::relu", i, i ? "CRASH" : "PASS");
	}
	compare(&p);
	check_counts(&p, "9 0 0 0 0 0");
	ay_comparison_print(&b, &p.c, AY_FORMAT_TEXT, &piped);
	CHECKF(ay_starts(
		       b.s,
		       "broken   a::relu  9 cases\n           PASS -> CRASH  a::relu((T([1], f32),), {}) seed=") &&
		       strstr(b.s, "           and 6 more\n"),
	       "%s", b.s);
	ay_str_clear(&b);
	ay_comparison_print(&b, &p.c, AY_FORMAT_JSON, &piped);
	j = json_loads(b.s, 0, NULL);
	CHECK(json_array_size(json_object_get(j, "changes")) == 9 &&
	      json_integer_value(json_object_get(j, "regressions")) == 9);
	json_decref(j);
	ay_str_release(&b);
	end(&p);
}

/* Runs the program: exit status 0 on a second run, 1 on a planted change. */
TEST(report_exit_status_tells_regressions)
{
	struct ay_arena a = { 0 };
	const char *prefix = ay_sprintf(&a, "export PATH=%s:$PATH XDG_CACHE_HOME=%s; cd %s && ", help_build_dir(),
					help_cache(), test_dir());
	const char *eval = "assay eval --suite smoke --backend reference --timing none --out";
	struct ay_err err = { 0 };
	struct ay_summary s = { 0 };
	struct ay_run *r;
	char *out;
	json_t *rec;

	CHECKF(!help_run(&a, ay_sprintf(&a, "%s%s one && %s two", prefix, eval, eval), 100, &out), "%s", out);
	CHECKF(!help_run(&a, ay_sprintf(&a, "%sassay report one two --fail-on-regression", prefix), 20, &out),
	       "%s", out);
	CHECK(strstr(out, "0 broken, 0 slower, 0 missing, 0 fixed, 0 faster, 0 flaky, 0 new\n"));
	/* repeats the case with another kernel that fails: of two kernels the worst counts */
	CHECK(!ay_summary_read(help_path("two"), &s, &err) && s.ncase);
	rec = ay_summary_record(&s, s.cases[0].offset, s.cases[0].len);
	CHECK(rec != NULL);
	ay_summary_release(&s);
	json_object_set_new(rec, "verdict", json_string("MISMATCH"));
	json_object_set_new(rec, "kernel_sha256", json_string(REPORT_RIG_B));
	json_object_del(rec, "sha256");
	CHECKF(!ay_run_resume(help_path("two"), NULL, &r, &(struct ay_run_found){ 0 }, &err), "%s", err.msg);
	report_fixture_add_json(r, rec);
	CHECK(!ay_run_close(r, &err));
	CHECKF(help_run(&a, ay_sprintf(&a, "%sassay report one two --fail-on-regression", prefix), 20, &out) == 1,
	       "%s", out);
	CHECK(strstr(out, "1 broken, 0 slower, 0 missing"));
	CHECKF(!help_run(&a, ay_sprintf(&a, "%sassay report one two", prefix), 20, &out), "%s",
	       out); /* reported only */
	CHECKF(!help_run(&a, ay_sprintf(&a, "%sassay report two one --fail-on-regression", prefix), 20, &out),
	       "%s", out);
	CHECK(strstr(out, "1 fixed"));
	CHECKF(help_run(&a, ay_sprintf(&a, "%sassay report one two > /dev/full", prefix), 20, &out) == 2, "%s",
	       out);
	ay_arena_release(&a);
}
