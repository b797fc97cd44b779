/* SPDX-License-Identifier: Apache-2.0
 *
 * reading - tests that results are readable: text that fits, the selected part of a run, reasons
 * for what is unclear.
 */
#include "test.h"
#include "helpers.h"
#include "report_fixture.h"
#include "base/wrap.h"
#include "report/run_report.h"
#include "timing/stats.h"

#include <math.h>
#include <string.h>

static const struct ay_screen piped;

static const char *wrapped(struct ay_str *b, const char *text, int at, int indent, int width)
{
	ay_str_clear(b);
	ay_wrap(b, text, at, indent, width);
	return ay_str_text(b);
}

TEST(reading_text_is_wrapped_at_blanks)
{
	struct ay_str b = { 0 };

	CHECK_STR(wrapped(&b, "one two three", 0, 2, 7), "one two\n  three");
	CHECK_STR(wrapped(&b, "one two", 4, 2, 7), "one\n  two");
	CHECK_STR(wrapped(&b, "much_too_long for it", 0, 0, 6), "much_too_long\nfor it");
	CHECK_STR(wrapped(&b, "a line\nend is a blank.\nBut not there.\n\nNor here", 0, 0, 80),
		  "a line end is a blank.\nBut not there.\n\nNor here");
	CHECK_STR(wrapped(&b, "", 0, 0, 80), "");
	ay_str_release(&b);
}

/* Descriptions end at a word, names are cut in the middle but for pipes, and columns go where that
 * is not enough. */
TEST(reading_narrow_tables_cut_and_drop_by_rule)
{
	static const struct ay_column col[] = { { "name", false, 8, AY_CUT_NAME, 0 },
						{ "n", true, 0, AY_CUT_END, 2 },
						{ "set", false, 0, AY_CUT_END, 1 },
						{ "what", false, 14, AY_CUT_WORD, 0 } };
	const char *row[] = { "aten_relu_fast.c", "12", "extra", "the larger of zero, and self" };
	struct ay_screen terminal = { 45, false, false }, narrow = { 28, false, false },
			 pipe = { 28, false, true };
	struct ay_table t = { .col = col, .ncol = 4 };
	struct ay_str b = { 0 };

	ay_table_row(&t, row, -1, AY_PAINT_NONE);
	CHECKF(ay_table_width(&t) == 16 + 2 + 2 + 2 + 5 + 2 + 28, "%d", ay_table_width(&t));
	ay_table_print(&b, &t, &terminal);
	CHECK_STR(b.s, "name               n  set    what\n"
		       "aten_relu_fast.c  12  extra  the larger of...\n");
	ay_str_clear(&b);
	ay_table_print(&b, &t, &narrow);
	CHECK_STR(b.s, "name       n  what\n"
		       "ate....c  12  the larger...\n");
	ay_str_clear(&b);
	ay_table_print(&b, &t, &pipe);
	CHECK_STR(b.s, "name              what\n"
		       "aten_relu_fast.c  the larger...\n");
	ay_str_release(&b);
	ay_table_release(&t);
}

static void fill(struct ay_run *r)
{
	report_fixture_add_json(
		r, json_loads("{\"type\":\"suite\",\"operators\":{\"a::relu\":[\"a::relu\"],\"a::add\":"
			      "[\"a::add.x\"],\"a::exp\":[\"a::exp\"],\"a::sin\":[\"a::sin\"]},"
			      "\"planned\":{\"a::relu\":true,\"a::add\":true,\"a::exp\":true}}",
			      0, NULL));
	report_fixture_add(r, "a::relu", 1, "PASS");
	report_fixture_add(r, "a::relu", 2, "MISMATCH");
	report_fixture_add(r, "a::add.x", 1, "PASS");
}

static const char *report_of(struct ay_str *b, const struct ay_summary *s, const struct ay_row_filter *f)
{
	ay_str_clear(b);
	ay_report_text(b, s, f, &piped);
	return ay_str_text(b);
}

TEST(reading_a_filter_takes_cases_by_name_and_verdict)
{
	struct ay_row_filter f = { .ops = "add,a::exp" }, none = { .ops = "ad" };
	struct ay_run *r = report_fixture_create("filter");
	struct ay_err err = { 0 };
	struct ay_str b = { 0 };
	struct ay_summary s;

	fill(r);
	report_fixture_read_run("filter", r, &s);
	CHECK(!ay_row_filter_check(&f, &s, &err) && ay_row_filter_check(&none, &s, &err) &&
	      strstr(err.msg, "'ad'"));
	CHECK(strstr(report_of(&b, &s, &f), "1 of 4 operators: MISSING") && !strstr(b.s, "a::relu") &&
	      strstr(b.s, "2 of 4 operators are asked for"));
	f = (struct ay_row_filter){ 0 };
	CHECK(!ay_filter_verdicts("PASS,MISSING", &f.verdicts, &err));
	CHECK(strstr(report_of(&b, &s, &f), "2 of 3 cases, of 4 of 4 operators"));
	CHECK(ay_report_failures(&b, &s, &f, AY_FORMAT_CSV) == 2);
	CHECK(ay_filter_verdicts("PASS,pass", &f.verdicts, &err) && ay_filter_verdicts("", &f.verdicts, &err));
	f = (struct ay_row_filter){ .missing = true };
	CHECK(strstr(report_of(&b, &s, &f), "a::exp    MISSING") && !strstr(b.s, "4 operators:"));
	ay_str_release(&b);
	ay_summary_release(&s);
}

/* Only operators with a kernel can be not judged yet. */
TEST(reading_an_unfinished_run_says_what_is_not_judged_yet)
{
	struct ay_run *r = report_fixture_create("early");
	struct ay_err err = { 0 };
	struct ay_str b = { 0 };
	struct ay_summary s;
	json_t *p = json_pack("{s:b}", "finished", 0);

	fill(r);
	CHECK(!ay_run_progress(r, p, &err));
	json_decref(p);
	report_fixture_read_run("early", r, &s);
	CHECK(s.unfinished && s.operators.pending == 1 && s.operators.missing == 2 && s.overloads.pending == 1);
	report_of(&b, &s, &(struct ay_row_filter){ 0 });
	CHECKF(strstr(b.s, "per operator: 1 of 4 pass, 1 fail, 1 not judged yet, 1 without a kernel\n"), "%s",
	       b.s);
	CHECKF(strstr(b.s, "the run did not come to its end: assay eval --resume-from RUN"), "%s", b.s);
	ay_str_release(&b);
	ay_summary_release(&s);
}

/* ATen compared with itself is not wrong if a case is SKIPPED. */
TEST(reading_calls_that_are_not_judged_are_not_wrong)
{
	struct ay_by_calls w = { .calls = 9, .right = 7, .wrong = 0 };
	struct ay_str b = { 0 };

	ay_by_calls_print(&b, &w, false);
	CHECK_STR(b.s, "by calls: 7 of 9 calls are right (77.8 %), 0 are wrong, 2 are not judged");
	ay_str_release(&b);
}

TEST(reading_unclear_has_its_reason)
{
	static const struct {
		double lo, hi, totals, slack;
		const char *part;
	} cases[] = {
		{ 1.32, 1.44, 1.3, 0.4, "noise of the clock: up to 40 % of a batch" },
		{ 1.32, 1.44, 0.9, 0.01, "the sum of all times does not" },
		{ 0.9, 1.1, 1, 0.01, "too wide to tell" },
		{ 0, INFINITY, 1, 0.01, "too few independent samples" },
	};
	char why[120];

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct ay_ratio r = { .pace = AY_PACE_UNCLEAR, .lo = cases[i].lo, .hi = cases[i].hi };

		ay_ratio_why_unclear(&r, cases[i].totals, cases[i].slack, why, sizeof why);
		CHECKF(strstr(why, cases[i].part), "%s", why);
	}
}
