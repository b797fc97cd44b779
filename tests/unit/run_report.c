/* SPDX-License-Identifier: Apache-2.0
 *
 * run_report - tests of reports: tables that fit, and text that cannot become markup in any format.
 */
#include "test.h"
#include "helpers.h"
#include "report_fixture.h"
#include "base/file.h"
#include "report/comparison.h"
#include "store/export.h"
#include "store/timing_json.h"

#include <stdlib.h>
#include <string.h>

/* Every character sequence with a meaning in some format. */
#define EVIL                                                                                         \
	"=HYPERLINK(\"http://e\")|<img src=x>&\x1b]0;t\x07\n```\n# PASS\n| aten::x | PASS |\n]]>-->" \
	"'$(touch pwned)`touch pwned`\xe2\x80\xae\xff\xef\xbf\xbf"

static const struct ay_screen piped;

/* --- tables ----------------------------------------------------------------------------------- */

TEST(report_tables_are_aligned_and_fit)
{
	static const struct ay_column col[] = {
		{ "name", false, 6 }, { "n", true, 0 }, { "none", false, 0 }, { "of", false, 4 }
	};
	const char *rows[][4] = { { "aten::a_long_name", "1", "", "x" },
				  { "b\tb\n", "1000", "", "" },
				  { "\xc3\xa9\xc3\xa9", "22", NULL, "a baseline" } };
	struct ay_table t = { .col = col, .ncol = 4 };
	struct ay_screen narrow = { 24, false }, tiny = { 3, false }, paint = { 0, true };
	struct ay_str b = { 0 };

	for (int i = 0; i < 3; i++)
		ay_table_row(&t, rows[i], 0, AY_PAINT_BAD);
	ay_table_print(&b, &t, &piped);
	CHECK_STR(b.s, "name                  n  of\n"
		       "aten::a_long_name     1  x\n"
		       "b b                1000\n"
		       "\xc3\xa9\xc3\xa9                   22  a baseline\n");
	ay_str_clear(&b);
	ay_table_print(&b, &t, &narrow);
	CHECK_STR(b.s, "name         n  of\n"
		       "aten:...     1  x\n"
		       "b b       1000\n"
		       "\xc3\xa9\xc3\xa9          22  a bas...\n");
	ay_str_clear(&b);
	ay_table_print(&b, &t, &tiny); /* as narrow as the columns may become */
	CHECK_STR(b.s, "name       n  of\n"
		       "ate...     1  x\n"
		       "b b     1000\n"
		       "\xc3\xa9\xc3\xa9        22  a...\n");
	ay_str_clear(&b);
	ay_table_print(&b, &t, &paint);
	CHECK(strstr(b.s, "\n\033[31maten::a_long_name\033[0m     1  x\n"));
	ay_str_release(&b);
	ay_table_release(&t);
}

static void fill_run(struct ay_run *r)
{
	json_t *j;

	report_fixture_add_json(
		r,
		json_loads(
			"{\"type\":\"suite\",\"operators\":{\"a::relu\":[\"a::relu\"],\"a::add\":[\"a::add.x\"],"
			"\"a::abs\":[\"a::abs\"],\"a::exp\":[\"a::exp\"]}}",
			0, NULL));
	report_fixture_add_timed(r, "a::relu", 1, 1500, 20, 1);
	report_fixture_add_timed(r, "a::relu", 2, 1500, 20, 1);
	report_fixture_add(r, "a::relu", 3, "SKIPPED");
	report_fixture_add(r, "a::add.x", 1, "PASS");
	j = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:f, s:s, s:f, s:s}", "type", "case",
		      "overload", "a::add.x", "line", "a::add.x((T([2], f32),), {}) seed=7", "verdict", "MISMATCH",
		      "kernel_sha256", REPORT_RIG_A, "file", "my k.c", "detail", "1 of 2 elements", "out", "out",
		      "at", "[1]", "want", 0.5, "got", "nan", "bound", 1e-7, "hint", "look");
	report_fixture_add_json(r, j);
	report_fixture_add_kernel(r, "a::abs", "BUILD", "b.c:1: error: x\nmore\n");
}

TEST(report_text_has_a_table_and_totals)
{
	struct ay_run *r = report_fixture_create("r");
	struct ay_str b = { 0 };
	struct ay_summary s;

	fill_run(r);
	report_fixture_read_run("r", r, &s);
	ay_report_run(&b, &s, AY_FORMAT_TEXT, &piped);
	CHECK_STR(b.s, "operator  verdict   cases    time  of floor  speed-up       baseline      kernel\n"
		       "a::relu   PASS        2/3  1.5 us      25 %  2x [1.9, 2.1]  openblas 0.3  k.c\n"
		       "a::add    MISMATCH    1/2                                                 k.c\n"
		       "a::abs    BUILD       0/0                                                 b.c\n"
		       "1 of 4 operators: MISSING, without a kernel (--missing lists them)\n"
		       "per operator: 1 of 4 pass, 2 fail, 1 without a kernel\n"
		       "per overload: 1 of 4 pass, 2 fail, 1 without a kernel\n"
		       "speed-up over libraries, per operator: 2x [1.9, 2.1], geometric mean over 1 of 4\n"
		       "  perf@p: operators of 4 that are right and faster than p times the library\n"
		       "    p                0    0.5    0.8      1    1.5      2\n"
		       "    measured         1      1      1      1      1      0\n"
		       "    for certain      1      1      1      1      1      0\n"
		       "speed-up over libraries, per overload: 2x [1.9, 2.1], geometric mean over 1 of 4\n"
		       "  perf@p: overloads of 4 that are right and faster than p times the library\n"
		       "    p                0    0.5    0.8      1    1.5      2\n"
		       "    measured         1      1      1      1      1      0\n"
		       "    for certain      1      1      1      1      1      0\n"
		       "7 records\n");
	ay_str_release(&b);
	ay_summary_release(&s);
}

/* Times over the plain reference enter no score, so perf@p would be rows of zeros. */
TEST(run_report_has_no_perf_at_p_of_nothing)
{
	struct ay_run *r = report_fixture_create("r");
	const struct ay_timing t = { .pace = AY_PACE_FASTER,
				     .baseline = "reference",
				     .ns = 100,
				     .ns_lo = 99,
				     .ns_hi = 101,
				     .floor_ns = 50,
				     .speedup = 2,
				     .lo = 1.9,
				     .hi = 2.1 };
	json_t *j = report_fixture_case_of(REPORT_RIG_A, "a::relu", 1, "PASS");
	struct ay_str b = { 0 };
	struct ay_summary s;

	json_object_set_new(j, "timing", ay_timing_json_write(&t));
	report_fixture_add_json(r, j);
	report_fixture_read_run("r", r, &s);
	ay_report_run(&b, &s, AY_FORMAT_TEXT, &piped);
	CHECKF(strstr(b.s, "speed-up over libraries, per operator: none over 0 of 1\n"), "%s", b.s);
	CHECKF(!strstr(b.s, "perf@p"), "%s", b.s);
	ay_str_release(&b);
	ay_summary_release(&s);
}

static enum ay_verdict verdict_of(const struct ay_summary *s, const char *op)
{
	for (int i = 0; i < s->noperator; i++)
		if (!strcmp(s->op[i].name, op))
			return s->op[i].verdict;
	return AY_VERDICT_NONE;
}

/* A verdict against one operator is none against another of the file. Errors without an overload
 * count for the file's operator. */
TEST(report_operators_of_one_file_have_their_own_verdicts)
{
	struct ay_run *r = report_fixture_create("family");
	struct ay_summary s;
	const char *file = "{s:s, s:s, s:s, s:s, s:s, s:{s:{s:s, s:i}, s:{s:s, s:i}}}";

	report_fixture_add_json(r, json_pack(file, "type", "kernel", "operator", "a::add", "verdict", "MISMATCH",
					     "kernel_sha256", REPORT_RIG_A, "file", "aten", "overloads",
					     "a::add.Tensor", "verdict", "PASS", "cases", 3, "a::sub.Scalar",
					     "verdict", "MISMATCH", "cases", 2));
	report_fixture_add_json(r, json_pack(file, "type", "kernel", "operator", "a::mul", "verdict", "CHEAT",
					     "kernel_sha256", REPORT_RIG_B, "file", "b.c", "overloads",
					     "a::mul.Tensor", "verdict", "PASS", "cases", 3, "a::div.Tensor",
					     "verdict", "PASS", "cases", 2));
	report_fixture_read_run("family", r, &s);
	CHECK(verdict_of(&s, "a::add") == AY_VERDICT_PASS && verdict_of(&s, "a::sub") == AY_VERDICT_MISMATCH);
	CHECK(verdict_of(&s, "a::mul") == AY_VERDICT_CHEAT && verdict_of(&s, "a::div") == AY_VERDICT_PASS);
	ay_summary_release(&s);
}

TEST(report_failures_show_the_element_and_the_line_to_paste)
{
	struct ay_run *r = report_fixture_create("r");
	struct ay_str b = { 0 };
	struct ay_summary s;
	json_t *j;

	fill_run(r);
	report_fixture_read_run("r", r, &s);
	CHECK(ay_report_failures(&b, &s, &(struct ay_row_filter){ 0 }, AY_FORMAT_TEXT) == 2);
	CHECK_STR(b.s,
		  "a::abs  BUILD  b.c\n  b.c:1: error: x\n  more\n  again: assay check b.c\n\n"
		  "a::add.x  MISMATCH  my k.c\n  1 of 2 elements\n  out[1]: want 0.5, got nan\n"
		  "  hint: look\n  again: assay check 'my k.c' --case 'a::add.x((T([2], f32),), {}) seed=7'\n\n");
	ay_str_clear(&b);
	CHECK(ay_report_failures(&b, &s, &(struct ay_row_filter){ .ops = "add" }, AY_FORMAT_CSV) == 1);
	CHECK_STR(b.s,
		  "name,verdict,file,out,at,want,got,bound,line,detail\r\n"
		  "a::add.x,MISMATCH,my k.c,out,[1],0.5,nan,1e-07,\"a::add.x((T([2], f32),), {}) seed=7\",1 of 2 "
		  "elements\r\n");
	ay_str_clear(&b);
	CHECK(ay_report_failures(&b, &s, &(struct ay_row_filter){ .ops = "a::add.x" }, AY_FORMAT_JSON) == 1);
	j = json_loads(b.s, 0, NULL);
	CHECK(json_array_size(j) == 1);
	json_decref(j);
	ay_str_clear(&b);
	CHECK(!ay_report_failures(&b, &s, &(struct ay_row_filter){ .ops = "ad" }, AY_FORMAT_JSON) &&
	      !strcmp(b.s, "[]\n"));
	CHECK(!ay_report_failures(&b, &s, &(struct ay_row_filter){ .ops = "relu" }, AY_FORMAT_TEXT) &&
	      !ay_report_failures(&b, &s, &(struct ay_row_filter){ .ops = "add.y" }, AY_FORMAT_TEXT));
	ay_str_release(&b);
	ay_summary_release(&s);
}

/* --- text stays text -------------------------------------------------------------------------- */

/* bash reads the word as the text, and no shell runs anything in it. */
TEST(report_shell_words_mean_themselves)
{
	static const char *const texts[] = { "plain.c",
					     "a b",
					     "it's",
					     "$(touch pwned)",
					     "`touch pwned`",
					     "a;touch pwned",
					     "a\\",
					     "*",
					     "",
					     "~",
					     "\"",
					     "!!",
					     "'$(touch pwned)'",
					     "a::b((T([2], f32),), {})",
					     "line\nend\ttab",
					     "\x1b]0;t\x07'$(touch pwned)\\",
					     "\xff\\'\xc2\x9b`touch pwned`",
					     EVIL };
	struct ay_arena a = { 0 };
	struct ay_err err = { 0 };
	char *out;

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct ay_str word = { 0 };
		const char *script = ay_sprintf(&a, "%s/script", test_dir()), *text;

		ay_shell_word(&word, texts[i]);
		text = ay_sprintf(&a, "cd %s && printf %%s %s; test ! -e pwned", test_dir(), word.s);
		CHECK(!ay_file_write(script, text, strlen(text), &err));
		CHECK(!help_run(&a, ay_sprintf(&a, "sh %s", script), 10, &out));
		CHECK(!help_run(&a, ay_sprintf(&a, "bash %s", script), 10, &out));
		CHECK_STR(out, texts[i]);
		CHECK_STR(ay_shown(&a, word.s), word.s);
		ay_str_release(&word);
	}
	{
		struct ay_str word = { 0 };

		ay_shell_word(&word, "--out=x"); /* no option */
		CHECK_STR(word.s, "./--out=x");
		ay_str_release(&word);
	}
	ay_arena_release(&a);
}

static void add_evil(struct ay_run *r)
{
	json_t *j = json_object(), *evil = ay_json_text(EVIL, strlen(EVIL), 4000), *raw;
	static const char *const keys[] = { "overload", "line", "file", "detail", "hint",
					    "out",      "at",   "want", "got" };

	/* what is not UTF-8 never gets into a record; the rest of it does, control characters
	 * too */
	raw = json_string("=1\"<b a='x'>&\x1b]0;t\x07\n```\n# PASS\n| aten::x | PASS |\n]]>-->$(touch "
			  "pwned)\xef\xbf\xbf\xe2\x80\xae");
	json_object_set_new(j, "type", json_string("case"));
	json_object_set_new(j, "verdict", json_string("CHEAT"));
	json_object_set_new(j, "kernel_sha256", json_string(""));
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		json_object_set(j, keys[i], i % 2 ? evil : raw);
	report_fixture_add_json(r, j);
	json_decref(evil);
	json_decref(raw);
}

/* Checks that tags open and close in order, and that there is no foreign markup. */
static void check_xml(const char *x)
{
	static const char *const known[] = {
		"testsuites", "testsuite", "testcase", "failure", "skipped", "error"
	};
	const char *open[16];
	int depth = 0;

	for (const char *p = x; *p; p++) {
		const bool close = p[0] == '<' && p[1] == '/';
		const char *name = p + 1 + close, *end;
		bool is_known = false;

		CHECKF((unsigned char)*p >= 0x20 || *p == '\n', "byte %02x", (unsigned char)*p);
		CHECK(strncmp(p, "\xef\xbf\xbf", 3));
		if (*p == '&')
			CHECKF(!strncmp(p, "&amp;", 5) || !strncmp(p, "&lt;", 4) || !strncmp(p, "&gt;", 4) ||
				       !strncmp(p, "&quot;", 6) || !strncmp(p, "&apos;", 6) ||
				       !strncmp(p, "&#", 2),
			       "%.30s", p);
		if (*p != '<' || p[1] == '?') {
			if (p[0] == '<')
				p = strchr(p, '>');
			continue;
		}
		for (size_t i = 0; i < sizeof known / sizeof *known; i++)
			is_known |= !strncmp(name, known[i], strlen(known[i])) &&
				    strchr(" >/", name[strlen(known[i])]);
		end = strchr(p, '>');
		if (!end || !is_known || depth > 10) {
			test_fail(__FILE__, __LINE__, "a tag of another writer: %.60s", p);
			return;
		}
		if (close)
			CHECKF(depth && !strncmp(open[--depth], name, strcspn(name, " >")), "%.30s", p);
		else if (end[-1] != '/')
			open[depth++] = name;
		p = end;
	}
	CHECK(!depth);
}

TEST(report_of_a_hostile_run_is_harmless_in_every_format)
{
	struct ay_run *r = report_fixture_create("r"), *r2 = report_fixture_create("r2");
	struct ay_comparison c;
	struct ay_summary s, s2;
	struct ay_str b = { 0 };
	json_t *j;

	add_evil(r);
	report_fixture_add(r2, "a::relu", 1, "PASS");
	report_fixture_read_run("r", r, &s);
	report_fixture_read_run("r2", r2, &s2);
	for (int f = 0; f < AY_FORMAT_COUNT; f++) {
		ay_str_clear(&b);
		ay_report_run(&b, &s, (enum ay_format)f, &piped);
		if (f != AY_FORMAT_JUNIT)
			ay_report_failures(&b, &s, &(struct ay_row_filter){ 0 }, (enum ay_format)f);
		CHECKF(b.len && !strpbrk(b.s, "\x1b\x07") && !strstr(b.s, "\xe2\x80\xae"), "format %d", f);
		if (f == AY_FORMAT_TEXT)
			CHECK(!strstr(b.s, "\n# PASS\n") && !strstr(b.s, "\n| aten::x"));
		if (f == AY_FORMAT_CSV)
			CHECK(!strstr(b.s, "\n=") && !strstr(b.s, ",=") && !strstr(b.s, "\"="));
		if (f == AY_FORMAT_JUNIT)
			check_xml(b.s);
	}
	ay_compare(&c, &s, &s2);
	for (int f = AY_FORMAT_TEXT; f <= AY_FORMAT_JSON; f++) {
		ay_str_clear(&b);
		ay_comparison_print(&b, &c, (enum ay_format)f, &piped);
		CHECKF(!strpbrk(b.s, "\x1b\x07") && !strstr(b.s, "\n# PASS"), "format %d", f);
	}
	j = json_loads(b.s, 0, NULL);
	CHECK(j != NULL);
	json_decref(j);
	ay_comparison_release(&c);
	ay_summary_release(&s);
	ay_summary_release(&s2);
	ay_str_release(&b);
}

TEST(report_junit_counts_every_case_once)
{
	struct ay_run *r = report_fixture_create("r");
	struct ay_str b = { 0 };
	struct ay_summary s;

	fill_run(r);
	report_fixture_read_run("r", r, &s);
	ay_report_junit(&b, &s);
	check_xml(b.s);
	/* 3 relu, 2 add, abs does not build, exp has no kernel */
	CHECKF(strstr(b.s,
		      "<testsuites name=\"assay\" tests=\"7\" failures=\"2\" errors=\"0\" skipped=\"2\">\n") !=
		       NULL,
	       "%s", b.s);
	CHECK(strstr(b.s,
		     " <testsuite name=\"a::relu\" tests=\"3\" failures=\"0\" errors=\"0\" skipped=\"1\">\n"));
	CHECK(strstr(b.s, "   <failure type=\"MISMATCH\" message=\"1 of 2 elements\">out[1]: want 0.5, got nan\n"
			  "assay check &apos;my k.c&apos; --case &apos;a::add.x((T([2], f32),), {}) "
			  "seed=7&apos;</failure>\n"));
	CHECK(strstr(b.s, "<failure type=\"BUILD\" message=\"b.c:1: error: x&#10;more&#10;\">"));
	CHECK(strstr(b.s, "<skipped message=\"no kernel\"/>") && strstr(b.s, "time=\"0.250000\""));
	ay_str_release(&b);
	ay_summary_release(&s);
}

/* A worker died, a line was damaged: CI must not see success. */
TEST(report_junit_has_errors_where_records_are_lost)
{
	struct ay_arena a = { 0 };
	struct ay_err err = { 0 };
	struct ay_run *r = report_fixture_create("r");
	struct ay_str b = { 0 };
	struct ay_summary s;
	char *out;

	report_fixture_add(r, "a::relu", 1, "PASS");
	report_fixture_add_json(r, json_pack("{s:s, s:s, s:s}", "type", "error", "id", "x", "error", "died"));
	report_fixture_read_run("r", r, &s);
	ay_report_junit(&b, &s);
	check_xml(b.s);
	CHECK(strstr(b.s, "tests=\"2\" failures=\"0\" errors=\"1\""));
	ay_summary_release(&s);
	CHECK(!help_run(
		&a, ay_sprintf(&a, "sed -i 's/\"PASS\"/\"MISMATCH\"/; /died/d' %s", help_path("r/results.jsonl")),
		10, &out));
	CHECK(!ay_summary_read(help_path("r"), &s, &err));
	ay_str_clear(&b);
	ay_report_junit(&b, &s);
	CHECK(strstr(b.s, "errors=\"1\"") && strstr(b.s, "altered"));
	ay_summary_release(&s);
	ay_str_release(&b);
	ay_arena_release(&a);
}
