/* SPDX-License-Identifier: Apache-2.0
 *
 * call_weight - tests of the score by calls: frequent calls have more weight, nothing leaves the
 * denominator, and without counts there is no score.
 */
#include "test.h"
#include "../../cmd/case_record.h"
#include "report/run_report.h"
#include "store/export.h"

#include <math.h>
#include <string.h>

#define KERNEL_A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define KERNEL_B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define SUITE    "{\"a::relu\":[\"a::relu\"],\"a::add\":[\"a::add.x\"]}"

enum { NO_COUNT = -1 };

struct row {
	const char *overload;
	int n;
	int64_t calls;
	const char *verdict;
	double speedup, base_ns; /* 0 = not timed */
	const char *kernel;      /* NULL: A */
};

static int turn; /* of the runs of one test */

static const char *dir(void)
{
	static char path[4200];

	snprintf(path, sizeof path, "%s/r%d", test_dir(), turn);
	return path;
}

static void add_row(struct ay_run *r, const struct row *x)
{
	struct ay_err err = { 0 };
	json_t *j = json_pack("{s:s, s:s, s:o, s:s, s:s}", "type", "case", "overload", x->overload, "line",
			      json_sprintf("%s((T([%d], f32),), {}) seed=1", x->overload, x->n), "verdict",
			      x->verdict, "kernel_sha256", x->kernel ? x->kernel : KERNEL_A);
	const struct ay_timing t = { .pace = AY_PACE_FASTER,
				     .baseline = "openblas",
				     .scored = true,
				     .threads = 1,
				     .ns = x->speedup > 0 ? x->base_ns / x->speedup : 0,
				     .base_ns = x->base_ns,
				     .speedup = x->speedup,
				     .lo = x->speedup / 2,
				     .hi = x->speedup * 2 };

	if (x->calls != NO_COUNT)
		json_object_set_new(j, "calls", json_integer(x->calls));
	if (x->speedup > 0)
		json_object_set_new(j, "timing", record_timing(&t));
	CHECKF(!ay_run_add(r, j, &err), "%s", err.msg);
	json_decref(j);
}

/* Makes a run with these rows, ended by a NULL overload. calls: "calls_by_overload", or NULL. */
static void read_rows(struct ay_summary *s, const char *calls, const struct row *rows)
{
	struct ay_err err = { 0 };
	json_t *h = json_pack("{s:s}", "command", "eval");
	json_t *suite = json_pack("{s:s, s:o}", "type", "suite", "operators", json_loads(SUITE, 0, NULL));
	struct ay_run *r;

	turn++;
	if (calls)
		json_object_set_new(suite, "calls_by_overload", json_loads(calls, 0, NULL));
	CHECKF(!ay_run_create(dir(), h, &r, &err), "%s", err.msg);
	CHECKF(!ay_run_add(r, suite, &err), "%s", err.msg);
	for (; rows->overload; rows++)
		add_row(r, rows);
	CHECK(!ay_run_close(r, &err));
	*s = (struct ay_summary){ 0 };
	CHECKF(!ay_summary_read(dir(), s, &err), "%s", err.msg);
	json_decref(h);
	json_decref(suite);
}

static bool near(double a, double b)
{
	return fabs(a - b) <= 1e-9 * fabs(b);
}

/* Reports in every format; none may divide by zero. */
static const char *report(const struct ay_summary *s, enum ay_format f)
{
	static char text[20000];
	const struct ay_screen screen = { 0 };
	struct ay_str b = { 0 };

	ay_report_run(&b, s, f, &screen);
	snprintf(text, sizeof text, "%s", ay_str_text(&b));
	CHECKF(!strstr(text, "nan") && !strstr(text, " of 0"), "%s", text);
	ay_str_release(&b);
	return text;
}

TEST(call_weight_a_heavy_failure_moves_the_share)
{
	static const char calls[] = "{\"a::relu\":1000,\"a::add.x\":10}";
	static const struct row light[] = { { "a::relu", 1, 990, "PASS", 0, 0, NULL },
					    { "a::relu", 2, 10, "MISMATCH", 0, 0, NULL },
					    { "a::add.x", 1, 10, "PASS", 0, 0, NULL },
					    { 0 } };
	static const struct row heavy[] = { { "a::relu", 1, 990, "MISMATCH", 0, 0, NULL },
					    { "a::relu", 2, 10, "PASS", 0, 0, NULL },
					    { "a::add.x", 1, 10, "PASS", 0, 0, NULL },
					    { "a::relu", 3, 0, "SKIPPED", 0, 0, NULL },
					    { 0 } };
	static const char light_text[] =
		"by calls: 1000 of 1010 calls are right (99.0 %), 10 are wrong, 0 are not judged\n";
	static const char heavy_text[] =
		"by calls: 20 of 1010 calls are right (2.0 %), 990 are wrong, 0 are not judged\n";
	struct ay_summary s;

	/* the plain scores of the two runs are equal */
	read_rows(&s, calls, light);
	CHECK(s.operators.passed == 1 && s.by_calls.calls == 1010 && s.by_calls.right == 1000);
	CHECKF(strstr(report(&s, AY_FORMAT_TEXT), light_text), "%s", report(&s, AY_FORMAT_TEXT));
	CHECK(strstr(report(&s, AY_FORMAT_MD), "- by calls: 1000 of 1010 calls are right (99.0 %), "));
	CHECK(strstr(report(&s, AY_FORMAT_JSON), "\"right\": 1000"));
	ay_summary_release(&s);
	read_rows(&s, calls, heavy);
	CHECK(s.operators.passed == 1 && s.by_calls.calls == 1010 && s.by_calls.right == 20);
	CHECKF(strstr(report(&s, AY_FORMAT_TEXT), heavy_text), "%s", report(&s, AY_FORMAT_TEXT));
	ay_summary_release(&s);
}

/* An operator without a kernel, or whose kernel does not build, has no cases: its calls come from
 * the suite. */
TEST(call_weight_missing_operators_stay_in_the_denominator)
{
	static const struct row rows[] = { { "a::add.x", 1, 10, "PASS", 0, 0, NULL },
					   { "a::mul", 1, 5000, "PASS", 0, 0, NULL }, /* not in the suite */
					   { 0 } };
	struct ay_summary s;

	read_rows(&s, "{\"a::relu\":90,\"a::add.x\":10,\"a::mul\":5000}", rows);
	CHECKF(s.by_calls.calls == 100 && s.by_calls.right == 10, "%lld of %lld", (long long)s.by_calls.right,
	       (long long)s.by_calls.calls);
	ay_summary_release(&s);
}

TEST(call_weight_nothing_is_said_without_counts)
{
	static const struct row none[] = { { "a::relu", 1, NO_COUNT, "PASS", 2, 100, NULL }, { 0 } };
	static const struct row zero[] = { { "a::relu", 1, 0, "PASS", 2, 100, NULL }, { 0 } }; /* synthetic */
	struct ay_summary s;

	read_rows(&s, NULL, none);
	CHECK(!s.by_calls.calls && !s.by_calls.timed && s.by_calls.unknown == 1);
	CHECK(!strstr(report(&s, AY_FORMAT_TEXT), "by calls") && !strstr(report(&s, AY_FORMAT_MD), "by calls") &&
	      !strstr(report(&s, AY_FORMAT_JSON), "by_calls"));
	ay_summary_release(&s);
	read_rows(&s, "{\"a::relu\":0}", zero);
	CHECK(!s.by_calls.calls && !s.by_calls.speedup);
	CHECK(!strstr(report(&s, AY_FORMAT_TEXT), "by calls"));
	ay_summary_release(&s);
}

TEST(call_weight_says_how_many_cases_have_no_count)
{
	static const struct row rows[] = { { "a::relu", 1, 4, "PASS", 0, 0, NULL },
					   { "a::relu", 2, NO_COUNT, "MISMATCH", 0, 0, NULL },
					   { 0 } };
	struct ay_summary s;

	read_rows(&s, "{\"a::relu\":4}", rows);
	CHECKF(strstr(report(&s, AY_FORMAT_TEXT), "by calls: 4 of 4 calls are right (100.0 %), 0 are wrong, 0 are "
						  "not judged; 1 cases have no count"),
	       "%s", report(&s, AY_FORMAT_TEXT));
	ay_summary_release(&s);
}

/* 100 calls of 1,000 ns made 4 times as fast, 300 of 2,000 ns half as fast: 700 us become 25 +
 * 1,200 us. */
TEST(call_weight_speed_up_is_a_ratio_of_totals)
{
	static const struct row rows[] = { { "a::relu", 1, 100, "PASS", 4, 1000, NULL },
					   { "a::add.x", 1, 300, "PASS", 0.5, 2000, NULL },
					   { "a::add.x", 2, 0, "PASS", 1000, 2000, NULL },  /* never called */
					   { "a::add.x", 3, 7, "PASS", 0, 0, NULL },        /* not timed */
					   { "a::relu", 2, 50, "MISMATCH", 9, 1000, NULL }, /* wrong is not fast */
					   { 0 } };
	struct ay_summary s;

	read_rows(&s, "{\"a::relu\":150,\"a::add.x\":307}", rows);
	CHECKF(near(s.by_calls.speedup, 700.0 / 1225), "%g", s.by_calls.speedup);
	CHECK(near(s.by_calls.lo, 350.0 / 1225) && near(s.by_calls.hi, 1400.0 / 1225));
	CHECK(s.by_calls.timed == 400 && s.by_calls.calls == 457 && s.by_calls.right == 407);
	CHECKF(strstr(report(&s, AY_FORMAT_TEXT),
		      "; speed-up of their total time: 0.571x [0.286, 1.14] over 400 of 457 calls\n"),
	       "%s", report(&s, AY_FORMAT_TEXT));
	CHECK(strstr(report(&s, AY_FORMAT_JSON), "\"timed\": 400"));
	ay_summary_release(&s);
}

/* Two kernels for one operator do not make its calls two: each case counts once, by the worse of
 * them. */
TEST(call_weight_two_kernels_are_no_two_cases)
{
	static const struct row rows[] = { { "a::relu", 1, 40, "PASS", 4, 1000, NULL },
					   { "a::relu", 1, 40, "PASS", 2, 1000, KERNEL_B },
					   { "a::relu", 2, 60, "MISMATCH", 0, 0, NULL },
					   { "a::relu", 2, 60, "PASS", 8, 1000, KERNEL_B },
					   { 0 } };
	struct ay_summary s;

	read_rows(&s, "{\"a::relu\":100}", rows);
	CHECK(s.by_calls.calls == 100 && s.by_calls.right == 40 && s.by_calls.cases == 2);
	CHECK(s.by_calls.timed == 40 && near(s.by_calls.speedup, 2));
	ay_summary_release(&s);
}

/* Records are untrusted: claims are limited, the share never exceeds 1, and invalid shapes are
 * refused. */
TEST(call_weight_hostile_counts_stay_numbers)
{
	static const struct row rows[] = { { "a::relu", 1, INT64_MAX, "PASS", 1e29, 1e29, NULL },
					   { "a::relu", 2, INT64_MAX, "PASS", 1e-29, 1e-29, NULL },
					   { 0 } };
	struct ay_err err = { 0 };
	struct ay_str b = { 0 };
	struct ay_summary s;
	json_t *bad;

	read_rows(&s, "{\"a::relu\":3}", rows);
	CHECK(s.by_calls.right > 0 && s.by_calls.right == s.by_calls.calls && isfinite(s.by_calls.speedup));
	ay_summary_release(&s);
	bad = json_pack("{s:s, s:{}, s:{s:s}}", "type", "suite", "operators", "calls_by_overload", "a::relu",
			"many");
	CHECK(ay_record_seal(bad, "", &b, &err) && strstr(err.msg, "calls_by_overload"));
	json_decref(bad);
	ay_str_release(&b);
}
