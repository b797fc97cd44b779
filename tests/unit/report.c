/* SPDX-License-Identifier: Apache-2.0
 *
 * Reports: tables that fit, text that stays text in every format, and comparisons that find what was planted and
 * nothing in a re-run.
 */
#include "test.h"
#include "helpers.h"
#include "base/file.h"
#include "report/compare.h"
#include "store/export.h"
#include "store/timed.h"

#include <stdlib.h>
#include <string.h>

#define KERNEL_A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define KERNEL_B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

/* Everything that some format gives a meaning, at its worst. */
#define EVIL                                                                                         \
	"=HYPERLINK(\"http://e\")|<img src=x>&\x1b]0;t\x07\n```\n# PASS\n| aten::x | PASS |\n]]>-->" \
	"'$(touch pwned)`touch pwned`\xe2\x80\xae\xff\xef\xbf\xbf"

static const char *in_dir(const char *name)
{
	static char path[8][4200];
	static int turn;

	turn = (turn + 1) % 8;
	snprintf(path[turn], sizeof path[turn], "%s/%s", test_dir(), name);
	return path[turn];
}

static struct ay_run *create(const char *name)
{
	struct ay_err err = { 0 };
	struct ay_run *r;
	json_t *h = json_pack("{s:s}", "command", "eval");

	CHECKF(!ay_run_create(in_dir(name), h, &r, &err), "%s", err.msg);
	json_decref(h);
	return r;
}

static void add_json(struct ay_run *r, json_t *j)
{
	struct ay_err err = { 0 };

	CHECKF(j && !ay_run_add(r, j, &err), "%s", err.msg);
	json_decref(j);
}

static json_t *case_of(const char *kernel, const char *overload, int n, const char *verdict)
{
	return json_pack("{s:s, s:s, s:o, s:s, s:s, s:s, s:f}", "type", "case", "overload", overload, "line",
			 json_sprintf("%s((T([%d], f32),), {}) seed=%d", overload, n, rand() % 1000), "verdict",
			 verdict, "kernel_sha256", kernel, "file", "k.c", "wall_s", 0.25);
}

static void add(struct ay_run *r, const char *overload, int n, const char *verdict)
{
	add_json(r, case_of(KERNEL_A, overload, n, verdict));
}

static const char *kernel_of_timed = KERNEL_A;

/* A case that passed in ns, give or take `half`. */
static void add_timed(struct ay_run *r, const char *overload, int n, double ns, double half, int threads)
{
	const struct ay_timing t = { .pace = AY_PACE_FASTER,
				     .baseline = "openblas",
				     .version = "0.3",
				     .scored = true,
				     .threads = threads,
				     .ns = ns,
				     .ns_lo = ns - half,
				     .ns_hi = ns + half,
				     .floor_ns = ns / 4,
				     .speedup = 2,
				     .lo = 1.9,
				     .hi = 2.1 };
	json_t *j = case_of(kernel_of_timed, overload, n, "PASS");

	json_object_set_new(j, "timing", ay_timed_write(&t));
	add_json(r, j);
}

static void add_kernel(struct ay_run *r, const char *op, const char *verdict, const char *detail)
{
	json_t *j = json_pack("{s:s, s:s, s:s, s:s, s:s}", "type", "kernel", "operator", op, "verdict", verdict,
			      "kernel_sha256", KERNEL_B, "file", "b.c");

	if (detail)
		json_object_set_new(j, "detail", json_string(detail));
	add_json(r, j);
}

static void read_run(const char *name, struct ay_run *r, struct ay_summary *s)
{
	struct ay_err err = { 0 };

	*s = (struct ay_summary){ 0 };
	CHECK(!ay_run_close(r, &err));
	CHECKF(!ay_summary_read(in_dir(name), s, &err), "%s", err.msg);
}

static const struct ay_screen piped;

/* --- tables ---------------------------------------------------------------------------------------------- */

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
	ay_table_print(&b, &t, &tiny); /* as narrow as it gets, and no further */
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

	add_json(r,
		 json_loads(
			 "{\"type\":\"suite\",\"operators\":{\"a::relu\":[\"a::relu\"],\"a::add\":[\"a::add.x\"],"
			 "\"a::abs\":[\"a::abs\"],\"a::exp\":[\"a::exp\"]}}",
			 0, NULL));
	add_timed(r, "a::relu", 1, 1500, 20, 1);
	add_timed(r, "a::relu", 2, 1500, 20, 1);
	add(r, "a::relu", 3, "SKIPPED");
	add(r, "a::add.x", 1, "PASS");
	j = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:f, s:s, s:f, s:s}", "type", "case",
		      "overload", "a::add.x", "line", "a::add.x((T([2], f32),), {}) seed=7", "verdict", "MISMATCH",
		      "kernel_sha256", KERNEL_A, "file", "my k.c", "detail", "1 of 2 elements", "out", "out", "at",
		      "[1]", "want", 0.5, "got", "nan", "bound", 1e-7, "hint", "look");
	add_json(r, j);
	add_kernel(r, "a::abs", "BUILD", "b.c:1: error: x\nmore\n");
}

TEST(report_text_has_a_table_and_totals)
{
	struct ay_run *r = create("r");
	struct ay_str b = { 0 };
	struct ay_summary s;

	fill_run(r);
	read_run("r", r, &s);
	ay_report_run(&b, &s, AY_FORMAT_TEXT, &piped);
	CHECK_STR(b.s, "operator  verdict   cases    time  of floor  speed-up       baseline      kernel\n"
		       "a::relu   PASS        2/3  1.5 us      25 %  2x [1.9, 2.1]  openblas 0.3  k.c\n"
		       "a::add    MISMATCH    1/2                                                 k.c\n"
		       "a::abs    BUILD       0/0                                                 b.c\n"
		       "a::exp    MISSING     0/0\n"
		       "per operator: 1 of 4 pass (1 have no kernel); per overload: 1 of 4\n"
		       "speed-up over libraries, per operator: 2x [1.9, 2.1], geometric mean over 1 of 4\n"
		       "  right and faster than p times the library (perf@p): p=0: 1, p=0.5: 1, p=0.8: 1, p=1: 1, "
		       "p=1.5: 1, p=2: 0 of 4; for certain: 1 1 1 1 1 0\n"
		       "speed-up over libraries, per overload: 2x [1.9, 2.1], geometric mean over 1 of 4\n"
		       "  right and faster than p times the library (perf@p): p=0: 1, p=0.5: 1, p=0.8: 1, p=1: 1, "
		       "p=1.5: 1, p=2: 0 of 4; for certain: 1 1 1 1 1 0\n"
		       "7 records\n");
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

/* What speaks against one is nothing against the other; what no overload tells is its operator's. */
TEST(report_operators_of_one_file_have_their_own_verdicts)
{
	struct ay_run *r = create("family");
	struct ay_summary s;
	const char *file = "{s:s, s:s, s:s, s:s, s:s, s:{s:{s:s, s:i}, s:{s:s, s:i}}}";

	add_json(r, json_pack(file, "type", "kernel", "operator", "a::add", "verdict", "MISMATCH", "kernel_sha256",
			      KERNEL_A, "file", "aten", "overloads", "a::add.Tensor", "verdict", "PASS", "cases",
			      3, "a::sub.Scalar", "verdict", "MISMATCH", "cases", 2));
	add_json(r, json_pack(file, "type", "kernel", "operator", "a::mul", "verdict", "CHEAT", "kernel_sha256",
			      KERNEL_B, "file", "b.c", "overloads", "a::mul.Tensor", "verdict", "PASS", "cases", 3,
			      "a::div.Tensor", "verdict", "PASS", "cases", 2));
	read_run("family", r, &s);
	CHECK(verdict_of(&s, "a::add") == AY_VERDICT_PASS && verdict_of(&s, "a::sub") == AY_VERDICT_MISMATCH);
	CHECK(verdict_of(&s, "a::mul") == AY_VERDICT_CHEAT && verdict_of(&s, "a::div") == AY_VERDICT_PASS);
	ay_summary_release(&s);
}

TEST(report_failures_show_the_element_and_the_line_to_paste)
{
	struct ay_run *r = create("r");
	struct ay_str b = { 0 };
	struct ay_summary s;
	json_t *j;

	fill_run(r);
	read_run("r", r, &s);
	CHECK(ay_report_failures(&b, &s, NULL, AY_FORMAT_TEXT) == 2);
	CHECK_STR(b.s,
		  "a::abs  BUILD  b.c\n  b.c:1: error: x\n  more\n  again: assay check b.c\n\n"
		  "a::add.x  MISMATCH  my k.c\n  1 of 2 elements\n  out[1]: want 0.5, got nan, bound 1e-07\n"
		  "  hint: look\n  again: assay check 'my k.c' --case 'a::add.x((T([2], f32),), {}) seed=7'\n\n");
	ay_str_clear(&b);
	CHECK(ay_report_failures(&b, &s, "add", AY_FORMAT_CSV) == 1);
	CHECK_STR(b.s,
		  "name,verdict,file,out,at,want,got,bound,line,detail\r\n"
		  "a::add.x,MISMATCH,my k.c,out,[1],0.5,nan,1e-07,\"a::add.x((T([2], f32),), {}) seed=7\",1 of 2 "
		  "elements\r\n");
	ay_str_clear(&b);
	CHECK(ay_report_failures(&b, &s, "a::add.x", AY_FORMAT_JSON) == 1);
	j = json_loads(b.s, 0, NULL);
	CHECK(json_array_size(j) == 1);
	json_decref(j);
	ay_str_clear(&b);
	CHECK(!ay_report_failures(&b, &s, "ad", AY_FORMAT_JSON) && !strcmp(b.s, "[]\n"));
	CHECK(!ay_report_failures(&b, &s, "relu", AY_FORMAT_TEXT) &&
	      !ay_report_failures(&b, &s, "add.y", AY_FORMAT_TEXT));
	ay_str_release(&b);
	ay_summary_release(&s);
}

/* --- text stays text ------------------------------------------------------------------------------------- */

/* What a shell makes of the word is the text that was shown, and it runs nothing. */
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
					     EVIL };
	struct ay_arena a = { 0 };
	char *out;

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct ay_str word = { 0 }, shown = { 0 };

		ay_shell_word(&word, texts[i]);
		ay_term_text(&shown, texts[i], 8000);
		CHECK(!help_run(&a, ay_sprintf(&a, "cd %s && printf %%s %s; test ! -e pwned", test_dir(), word.s),
				10, &out));
		CHECK_STR(out, ay_str_text(&shown));
		ay_str_release(&word);
		ay_str_release(&shown);
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

	/* what is not UTF-8 never gets into a record; the rest of it does, control characters too */
	raw = json_string("=1\"<b a='x'>&\x1b]0;t\x07\n```\n# PASS\n| aten::x | PASS |\n]]>-->$(touch "
			  "pwned)\xef\xbf\xbf\xe2\x80\xae");
	json_object_set_new(j, "type", json_string("case"));
	json_object_set_new(j, "verdict", json_string("CHEAT"));
	json_object_set_new(j, "kernel_sha256", json_string(""));
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		json_object_set(j, keys[i], i % 2 ? evil : raw);
	add_json(r, j);
	json_decref(evil);
	json_decref(raw);
}

/* Tags open and close in order, and there is no markup but ours. */
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
			test_fail(__FILE__, __LINE__, "a tag of somebody else: %.60s", p);
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
	struct ay_run *r = create("r"), *r2 = create("r2");
	struct ay_comparison c;
	struct ay_summary s, s2;
	struct ay_str b = { 0 };
	json_t *j;

	add_evil(r);
	add(r2, "a::relu", 1, "PASS");
	read_run("r", r, &s);
	read_run("r2", r2, &s2);
	for (int f = 0; f < AY_FORMAT_COUNT; f++) {
		ay_str_clear(&b);
		ay_report_run(&b, &s, (enum ay_format)f, &piped);
		if (f != AY_FORMAT_JUNIT)
			ay_report_failures(&b, &s, NULL, (enum ay_format)f);
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
	struct ay_run *r = create("r");
	struct ay_str b = { 0 };
	struct ay_summary s;

	fill_run(r);
	read_run("r", r, &s);
	ay_report_junit(&b, &s);
	check_xml(b.s);
	/* 3 relu, 2 add, abs does not build, exp has no kernel */
	CHECKF(strstr(b.s,
		      "<testsuites name=\"assay\" tests=\"7\" failures=\"2\" errors=\"0\" skipped=\"2\">\n") !=
		       NULL,
	       "%s", b.s);
	CHECK(strstr(b.s,
		     " <testsuite name=\"a::relu\" tests=\"3\" failures=\"0\" errors=\"0\" skipped=\"1\">\n"));
	CHECK(strstr(b.s, "   <failure type=\"MISMATCH\" message=\"1 of 2 elements\">out[1]: want 0.5, got nan, "
			  "bound 1e-07\n"
			  "assay check &apos;my k.c&apos; --case &apos;a::add.x((T([2], f32),), {}) "
			  "seed=7&apos;</failure>\n"));
	CHECK(strstr(b.s, "<failure type=\"BUILD\" message=\"b.c:1: error: x&#10;more&#10;\">"));
	CHECK(strstr(b.s, "<skipped message=\"no kernel\"/>") && strstr(b.s, "time=\"0.250000\""));
	ay_str_release(&b);
	ay_summary_release(&s);
}

/* A worker of ours died, a line was damaged: CI must not see green. */
TEST(report_junit_has_errors_where_records_are_lost)
{
	struct ay_arena a = { 0 };
	struct ay_err err = { 0 };
	struct ay_run *r = create("r");
	struct ay_str b = { 0 };
	struct ay_summary s;
	char *out;

	add(r, "a::relu", 1, "PASS");
	add_json(r, json_pack("{s:s, s:s, s:s}", "type", "error", "id", "x", "error", "died"));
	read_run("r", r, &s);
	ay_report_junit(&b, &s);
	check_xml(b.s);
	CHECK(strstr(b.s, "tests=\"2\" failures=\"0\" errors=\"1\""));
	ay_summary_release(&s);
	CHECK(!help_run(&a,
			ay_sprintf(&a, "sed -i 's/\"PASS\"/\"MISMATCH\"/; /died/d' %s", in_dir("r/results.jsonl")),
			10, &out));
	CHECK(!ay_summary_read(in_dir("r"), &s, &err));
	ay_str_clear(&b);
	ay_report_junit(&b, &s);
	CHECK(strstr(b.s, "errors=\"1\"") && strstr(b.s, "altered"));
	ay_summary_release(&s);
	ay_str_release(&b);
	ay_arena_release(&a);
}

/* --- comparing ------------------------------------------------------------------------------------------- */

struct pair {
	struct ay_run *ra, *rb;
	struct ay_summary a, b;
	struct ay_comparison c;
};

static void begin(struct pair *p)
{
	p->ra = create("a");
	p->rb = create("b");
}

static void compare(struct pair *p)
{
	read_run("a", p->ra, &p->a);
	read_run("b", p->rb, &p->b);
	ay_compare(&p->c, &p->a, &p->b);
}

static void end(struct pair *p)
{
	ay_comparison_release(&p->c);
	ay_summary_release(&p->a);
	ay_summary_release(&p->b);
}

/* broken, slower, missing, fixed, faster, new */
static void check_counts(const struct pair *p, const char *want)
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
		struct pair p;
		char name[2][20];

		snprintf(name[0], sizeof name[0], "a%zu", i);
		snprintf(name[1], sizeof name[1], "b%zu", i);
		p.ra = create(name[0]);
		p.rb = create(name[1]);
		add(p.ra, "a::relu", 1, "PASS");
		add(p.rb, "a::relu", 1, "PASS");
		if (rows[i].was)
			add(p.ra, "a::relu", 2, rows[i].was);
		if (rows[i].is)
			add(p.rb, "a::relu", 2, rows[i].is);
		read_run(name[0], p.ra, &p.a);
		read_run(name[1], p.rb, &p.b);
		ay_compare(&p.c, &p.a, &p.b);
		check_counts(&p, rows[i].want);
		CHECKF(!ay_regressions(&p.c) == !strcmp("0 0 0", (char[]){ rows[i].want[0], ' ', rows[i].want[2],
									   ' ', rows[i].want[4], 0 }),
		       "row %zu", i);
		end(&p);
	}
}

TEST(report_compares_whole_overloads_where_there_are_no_cases)
{
	struct pair p;
	struct ay_str b = { 0 };

	begin(&p);
	add(p.ra, "a::gone", 1, "PASS"); /* nothing of it is left */
	add(p.ra, "a::gone", 2, "PASS");
	add(p.ra, "a::unbuilt", 1, "PASS"); /* does not build now: one change, not two missing cases */
	add(p.ra, "a::unbuilt", 2, "PASS");
	add_kernel(p.rb, "a::unbuilt", "BUILD", "error");
	add_kernel(p.ra, "a::mended", "BUILD", "error");
	add(p.rb, "a::mended", 1, "PASS");
	add(p.rb, "a::fresh", 1, "MISMATCH");
	add(p.ra, "a::thin", 1, "PASS"); /* all that is left proves nothing */
	add(p.rb, "a::thin", 1, "WEAK_CASE");
	compare(&p);
	check_counts(&p, "1 0 2 1 0 1");
	ay_comparison_print(&b, &p.c, AY_FORMAT_TEXT, &piped);
	CHECK(strstr(b.s, "broken   a::unbuilt  PASS -> BUILD\n") &&
	      strstr(b.s, "missing  a::gone  PASS -> MISSING\n"));
	CHECK(strstr(b.s, "missing  a::thin  PASS -> WEAK_CASE\n") &&
	      strstr(b.s, "fixed    a::mended  BUILD -> PASS\n"));
	CHECK(strstr(b.s, "new      a::fresh  MISSING -> MISMATCH\n"));
	CHECK(strstr(b.s, "1 broken, 0 slower, 2 missing, 1 fixed, 0 faster, 1 new;"));
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
		{ 1000, 100, 1150, 60, 1, "0 0 0 0 0 0" }, /* beyond it, but the intervals meet */
		{ 1000, 100, 1150, 40, 1, "0 1 0 0 0 0" },
		{ 1029, 1, 1000, 1, 1, "0 0 0 0 0 0" },
		{ 1031, 1, 1000, 1, 1, "0 0 0 0 1 0" },
		{ 1000, 1, 9000, 1, 2, "0 0 0 0 0 0" },    /* another number of threads */
		{ 1000, 1000, 9000, 1, 1, "0 0 0 0 0 0" }, /* no interval: its lower end is 0 */
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct pair p;
		char name[2][20];

		snprintf(name[0], sizeof name[0], "a%zu", i);
		snprintf(name[1], sizeof name[1], "b%zu", i);
		p.ra = create(name[0]);
		p.rb = create(name[1]);
		add_timed(p.ra, "a::relu", 1, rows[i].was, rows[i].was_half, 1);
		add_timed(p.rb, "a::relu", 1, rows[i].is, rows[i].is_half, rows[i].threads);
		read_run(name[0], p.ra, &p.a);
		read_run(name[1], p.rb, &p.b);
		ay_compare(&p.c, &p.a, &p.b);
		CHECKF(!p.c.no_times, "%s", p.c.no_times);
		check_counts(&p, rows[i].want);
		end(&p);
	}
}

/* Of several kernels on one case the worst counts, so a good one cannot hide it. */
TEST(report_compares_the_worst_of_several_kernels)
{
	struct pair p;

	begin(&p);
	add(p.ra, "a::relu", 1, "PASS");
	add(p.rb, "a::relu", 1, "PASS");
	add_json(p.rb, case_of(KERNEL_B, "a::relu", 1, "MISMATCH"));
	add_timed(p.ra, "a::exp", 1, 1000, 1, 1);
	add_timed(p.rb, "a::exp", 1, 1000, 1, 1);
	kernel_of_timed = KERNEL_B;
	add_timed(p.rb, "a::exp", 1, 2000, 1, 1);
	compare(&p);
	check_counts(&p, "1 1 0 0 0 0");
	CHECK(p.c.change[0].was && p.c.change[0].is); /* the case, not the overload as a whole */
	end(&p);
}

TEST(report_compares_no_times_of_different_machines)
{
	struct ay_arena a = { 0 };
	struct pair p;
	char *out;

	begin(&p);
	add_timed(p.ra, "a::relu", 1, 1000, 1, 1);
	add_timed(p.rb, "a::relu", 1, 2000, 1, 1);
	CHECK(!help_run(&a, ay_sprintf(&a, "sed -i 's/\"cpu\": *\"/&another /' %s", in_dir("b/run.json")), 10,
			&out));
	compare(&p);
	check_counts(&p, "0 0 0 0 0 0");
	CHECK_STR(p.c.no_times, "the machines differ");
	end(&p);
	ay_arena_release(&a);
}

TEST(report_compare_lists_the_first_cases_and_counts_the_rest)
{
	struct pair p;
	struct ay_str b = { 0 };
	json_t *j;

	begin(&p);
	for (int i = 0; i < 10; i++) {
		add(p.ra, "a::relu", i, "PASS");
		add(p.rb, "a::relu", i, i ? "CRASH" : "PASS");
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

/* Through the program, with a run made by it: 0 on a re-run, 1 on what is planted. */
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
	CHECK(strstr(out, "0 broken, 0 slower, 0 missing, 0 fixed, 0 faster, 0 new;"));
	/* the same case once more, by the same kernel, failing: of two attempts the worst counts */
	CHECK(!ay_summary_read(in_dir("two"), &s, &err) && s.ncase);
	rec = ay_summary_record(&s, s.cases[0].offset, s.cases[0].len);
	CHECK(rec != NULL);
	ay_summary_release(&s);
	json_object_set_new(rec, "verdict", json_string("MISMATCH"));
	json_object_del(rec, "sha256");
	CHECKF(!ay_run_resume(in_dir("two"), NULL, &r, &(struct ay_run_found){ 0 }, &err), "%s", err.msg);
	add_json(r, rec);
	CHECK(!ay_run_close(r, &err));
	CHECKF(help_run(&a, ay_sprintf(&a, "%sassay report one two --fail-on-regression", prefix), 20, &out) == 1,
	       "%s", out);
	CHECK(strstr(out, "1 broken, 0 slower, 0 missing"));
	CHECKF(!help_run(&a, ay_sprintf(&a, "%sassay report one two", prefix), 20, &out), "%s",
	       out); /* only told */
	CHECKF(!help_run(&a, ay_sprintf(&a, "%sassay report two one --fail-on-regression", prefix), 20, &out),
	       "%s", out);
	CHECK(strstr(out, "1 fixed"));
	CHECKF(help_run(&a, ay_sprintf(&a, "%sassay report one two > /dev/full", prefix), 20, &out) == 2, "%s",
	       out);
	ay_arena_release(&a);
}
