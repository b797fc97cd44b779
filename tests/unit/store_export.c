/* SPDX-License-Identifier: Apache-2.0
 *
 * store_export - tests of merging runs and of the files derived from records: counts, scores, and
 * text that cannot become markup.
 */
#include "test.h"
#include "helpers.h"
#include "base/arena.h"
#include "base/file.h"
#include "store/export.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define KERNEL_A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define KERNEL_B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define KERNEL_C "cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc"

static struct ay_run *create(const char *name)
{
	struct ay_err err = { 0 };
	struct ay_run *r;
	json_t *h = json_pack("{s:s, s:s}", "command", "eval", "suite", "<b>smoke</b>");

	CHECKF(!ay_run_create(help_path(name), h, &r, &err), "%s", err.msg);
	json_decref(h);
	return r;
}

/* Adds a record of that JSON text. */
static void add(struct ay_run *r, const char *text)
{
	struct ay_err err = { 0 };
	json_error_t why;
	json_t *j = json_loads(text, 0, &why);

	CHECKF(j && !ay_run_add(r, j, &err), "%s%s: %s", err.msg, why.text, text);
	json_decref(j);
}

static void add_case(struct ay_run *r, const char *overload, const char *kernel, int n, const char *verdict)
{
	struct ay_str b = { 0 };

	ay_str_addf(&b,
		    "{\"type\":\"case\",\"overload\":\"%s\",\"line\":\"%s((T([%d], f32),), {}) "
		    "seed=1\",\"verdict\":\"%s\","
		    "\"kernel_sha256\":\"%s\",\"file\":\"k.c\",\"detail\":\"said %d\"}",
		    overload, overload, n, verdict, kernel, n);
	add(r, b.s);
	ay_str_release(&b);
}

static void read_summary(const char *name, struct ay_summary *s)
{
	struct ay_err err = { 0 };

	*s = (struct ay_summary){ 0 };
	CHECKF(!ay_summary_read(help_path(name), s, &err), "%s", err.msg);
}

static const struct ay_sum_operator *find_op(const struct ay_summary *s, const char *name)
{
	static const struct ay_sum_operator none;

	for (int i = 0; i < s->noperator; i++)
		if (!strcmp(s->op[i].name, name))
			return &s->op[i];
	test_fail(__FILE__, __LINE__, "no operator %s", name);
	return &none;
}

/* --- counting --------------------------------------------------------------------------------- */

#define SUITE                                                                                      \
	"{\"type\":\"suite\",\"operators\":{\"aten::relu\":[\"aten::relu\",\"aten::relu.out\"],"   \
	"\"aten::add\":[\"aten::add.Tensor\",\"aten::add.Scalar\"],\"aten::exp\":[\"aten::exp\"]," \
	"\"aten::abs\":[\"aten::abs\",\"aten::abs.out\"]}}"

/* relu passes; of add one overload passes and one fails; exp is missing; abs does not build; neg is
 * not in the suite. */
static void fill_run(struct ay_run *r)
{
	add(r, SUITE);
	add_case(r, "aten::relu", KERNEL_A, 1, "PASS");
	add_case(r, "aten::relu", KERNEL_A, 2, "PASS");
	add_case(r, "aten::relu", KERNEL_A, 3, "SKIPPED");
	add_case(r, "aten::relu.out", KERNEL_A, 1, "PASS");
	add(r,
	    "{\"type\":\"kernel\",\"operator\":\"aten::relu\",\"verdict\":\"PASS\",\"kernel_sha256\":\"" KERNEL_A
	    "\",\"overloads\":{\"aten::relu\":{\"verdict\":\"PASS\",\"cases\":3}}}");
	add_case(r, "aten::add.Tensor", KERNEL_B, 1, "PASS");
	add_case(r, "aten::add.Scalar", KERNEL_B, 1, "PASS");
	add_case(r, "aten::add.Scalar", KERNEL_B, 2, "MISMATCH");
	add(r,
	    "{\"type\":\"kernel\",\"operator\":\"aten::abs\",\"verdict\":\"BUILD\",\"kernel_sha256\":\"" KERNEL_C
	    "\",\"file\":\"abs.c\",\"detail\":\"abs.c:1:1: error: <x>\\nmore\"}");
	add_case(r, "aten::neg", KERNEL_A, 1, "PASS");
	add(r, "{\"type\":\"error\",\"id\":3,\"error\":\"no such operator\"}");
	add(r, "{\"type\":\"something new\",\"x\":[1]}");
}

TEST(store_scores_count_what_is_missing)
{
	struct ay_err err = { 0 };
	struct ay_summary s;
	struct ay_run *r = create("r");

	fill_run(r);
	ay_run_close(r, &err);
	read_summary("r", &s);
	CHECK(s.has_suite && s.found.records == 13 && s.errors == 1);
	CHECKF(s.operators.passed == 1 && s.operators.of == 4 && s.operators.missing == 1, "%d of %d, %d missing",
	       s.operators.passed, s.operators.of, s.operators.missing);
	CHECKF(s.overloads.passed == 3 && s.overloads.of == 7 && s.overloads.missing == 1, "%d of %d, %d missing",
	       s.overloads.passed, s.overloads.of, s.overloads.missing);
	CHECK(find_op(&s, "aten::relu")->verdict == AY_VERDICT_PASS && find_op(&s, "aten::relu")->passed);
	CHECK(find_op(&s, "aten::relu")->cases == 4 && find_op(&s, "aten::relu")->count[AY_VERDICT_SKIPPED] == 1);
	CHECK(find_op(&s, "aten::add")->verdict == AY_VERDICT_MISMATCH && !find_op(&s, "aten::add")->passed);
	CHECK(find_op(&s, "aten::add")->overloads_passed == 1);
	CHECK(find_op(&s, "aten::exp")->verdict == AY_VERDICT_NONE);
	CHECK(find_op(&s, "aten::abs")->verdict == AY_VERDICT_BUILD);
	CHECK(!find_op(&s, "aten::neg")->in_suite);
	ay_summary_release(&s);
}

TEST(store_scores_without_a_suite_count_what_was_seen)
{
	struct ay_err err = { 0 };
	struct ay_summary s;
	struct ay_run *r = create("r");

	add_case(r, "aten::relu", KERNEL_A, 1, "PASS");
	add_case(r, "aten::exp", KERNEL_A, 1, "WEAK_CASE");
	add(r, "{\"type\":\"kernel\",\"operator\":\"aten::abs\",\"verdict\":\"LOAD\",\"kernel_sha256\":\"\"}");
	add(r,
	    "{\"type\":\"kernel\",\"operator\":\"aten::neg\",\"verdict\":\"PASS\",\"kernel_sha256\":\"\","
	    "\"overloads\":{"
	    "\"aten::neg\":{\"verdict\":\"PASS\",\"cases\":5,\"counts\":{\"PASS\":5}},\"aten::neg_\":{\"verdict\":"
	    "\"UNSUPPORTED\",\"derived\":true}}}");
	add(r, "{\"type\":\"kernel\",\"operator\":\"aten::cos\",\"verdict\":\"PASS\",\"kernel_sha256\":\"\"}");
	ay_run_close(r, &err);
	read_summary("r", &s);
	CHECK(!s.has_suite && s.operators.of == 6 && s.operators.passed == 2);
	CHECK(find_op(&s, "aten::neg")->count[AY_VERDICT_PASS] == 5 && find_op(&s, "aten::neg")->passed);
	CHECK(find_op(&s, "aten::neg_")->verdict == AY_VERDICT_UNSUPPORTED);
	CHECK(!find_op(&s, "aten::exp")->passed); /* agrees, but proves too little */
	CHECK(!find_op(&s, "aten::cos")->passed); /* nothing was tested */
	ay_summary_release(&s);
}

/* --- merging ---------------------------------------------------------------------------------- */

TEST(store_merge_takes_the_worst_and_counts_attempts)
{
	struct ay_err err = { 0 };
	struct ay_run_found found;
	struct ay_summary s;
	struct ay_run *r[2];
	const char *dirs[3];
	char sha[AY_SHA256_HEX];
	json_t *got;
	int attempts;

	ay_sha256("src", 3, sha);
	for (int i = 0; i < 2; i++) {
		r[i] = create(i ? "b" : "a");
		add_case(r[i], "aten::relu", KERNEL_A, 1, i ? "MISMATCH" : "PASS"); /* judged until it passes */
		add_case(r[i], "aten::relu", KERNEL_A, 2, i ? "PASS" : "CRASH");
		add_case(r[i], "aten::relu", KERNEL_A, 3, "PASS");
		add(r[i], i ? "{\"type\":\"kernel\",\"operator\":\"aten::relu\",\"verdict\":\"PASS\",\"kernel_"
			      "sha256\":\"" KERNEL_A "\"}"
			    : "{\"type\":\"kernel\",\"operator\":\"aten::relu\",\"verdict\":\"CRASH\",\"kernel_"
			      "sha256\":\"" KERNEL_A "\"}");
		CHECK(!ay_run_keep_kernel(r[i], sha, "c", "src", 3, &err));
		ay_run_close(r[i], &err);
	}
	dirs[0] = help_path("a");
	dirs[1] = help_path("b");
	dirs[2] = help_path("a"); /* once more: no new records */
	CHECKF(!ay_run_merge(help_path("m"), 3, dirs, &r[0], &found, &err), "%s", err.msg);
	CHECK(found.records == 8 && !found.first_bad);
	got = ay_run_find(r[0], ay_id_case(KERNEL_A, "aten::relu((T([1], f32),), {}) seed=1"), &attempts);
	CHECK(got && ay_record_verdict(got) == AY_VERDICT_MISMATCH && attempts == 2);
	json_decref(got);
	ay_run_close(r[0], &err);
	CHECK(!access(ay_sprintf(&(struct ay_arena){ 0 }, "%s/kernels/%s.c", help_path("m"), sha), R_OK));
	read_summary("m", &s);
	CHECK(s.op[0].verdict == AY_VERDICT_CRASH && s.op[0].cases == 3 && s.op[0].attempts == 2);
	CHECK(s.op[0].count[AY_VERDICT_PASS] == 1 && s.op[0].count[AY_VERDICT_MISMATCH] == 1 &&
	      !s.operators.passed);
	CHECK(json_object_size(s.runs) == 2 && !s.duplicates);
	ay_summary_release(&s);
	CHECKF(!ay_run_resume(help_path("m"), NULL, &r[0], &found, &err), "%s", err.msg);
	CHECK(found.records == 8);
	ay_run_close(r[0], &err);
}

TEST(store_shards_merge_by_plain_concatenation)
{
	struct ay_arena a = { 0 };
	struct ay_err err = { 0 };
	struct ay_str b = { 0 };
	struct ay_summary s;
	struct ay_run *r;

	for (int i = 0; i < 2; i++) {
		r = create(i ? "b" : "a");
		add_case(r, "aten::relu", KERNEL_A, 1, i ? "MISMATCH" : "PASS");
		ay_run_close(r, &err);
	}
	ay_str_add(&b, help_slurp(&a, help_path("b/results.jsonl"), NULL));
	ay_str_add(&b, help_slurp(&a, help_path("a/results.jsonl"), NULL));
	ay_str_add(&b, help_slurp(&a, help_path("a/results.jsonl"), NULL));
	CHECK(!mkdir(help_path("c"), 0755) && !ay_file_write(help_path("c/results.jsonl"), b.s, b.len, &err));
	read_summary("c", &s);
	CHECK(s.found.records == 2 && s.duplicates == 1);
	CHECK(s.op[0].cases == 1 && s.op[0].verdict == AY_VERDICT_MISMATCH && s.op[0].attempts == 2);
	CHECKF(!ay_export(help_path("c"), &s, &err), "%s", err.msg);
	ay_summary_release(&s);
	ay_str_release(&b);
	ay_arena_release(&a);
}

TEST(store_merge_notes_what_it_leaves_out)
{
	struct ay_arena a = { 0 };
	struct ay_err err = { 0 };
	struct ay_run_found found;
	struct ay_run *r = create("a");
	const char *dirs[] = { help_path("a") };
	struct ay_str b = { 0 };

	add_case(r, "aten::relu", KERNEL_A, 1, "PASS");
	ay_run_close(r, &err);
	ay_str_add(&b, help_slurp(&a, help_path("a/results.jsonl"), NULL));
	ay_str_add(&b, "{\"type\":\"case\",\"verdict\":\"PASS\"}\ntorn");
	CHECK(!ay_file_write(help_path("a/results.jsonl"), b.s, b.len, &err));
	CHECKF(!ay_run_merge(help_path("m"), 1, dirs, &r, &found, &err), "%s", err.msg);
	CHECK(found.records == 1 && found.fault[AY_FAULT_UNSEALED] == 1 && found.fault[AY_FAULT_TORN] == 1);
	ay_run_close(r, &err);
	CHECK(strstr(help_slurp(&a, help_path("m/results.rejected.jsonl"), NULL), "torn"));
	CHECK(!strstr(help_slurp(&a, help_path("m/results.jsonl"), NULL), "torn"));
	ay_str_release(&b);
	ay_arena_release(&a);
}

/* --- exports ---------------------------------------------------------------------------------- */

/* The last columns of an overload without times. */
#define UNTIMED ",,,,,,,,0,0,0\r\n"

TEST(store_exports_are_what_they_were)
{
	static const char csv[] = "operator,overload,file,verdict,cases,passed,failed,skipped,weak,attempts,"
				  "derived,in_suite,kernel_sha256,time_ns,of_floor,speedup,"
				  "speedup_lo,speedup_hi,baseline,scored,cases_timed,cases_scored,"
				  "cases_overhead_bound\r\n"
				  "aten::relu,aten::relu,k.c,PASS,3,2,0,1,0,1,no,yes," KERNEL_A UNTIMED
				  "aten::relu,aten::relu.out,k.c,PASS,1,1,0,0,0,1,no,yes," KERNEL_A UNTIMED
				  "aten::add,aten::add.Tensor,k.c,PASS,1,1,0,0,0,1,no,yes," KERNEL_B UNTIMED
				  "aten::add,aten::add.Scalar,k.c,MISMATCH,2,1,1,0,0,1,no,yes," KERNEL_B UNTIMED
				  "aten::neg,aten::neg,k.c,PASS,1,1,0,0,0,1,no,no," KERNEL_A UNTIMED
				  "aten::abs,aten::abs,abs.c,BUILD,0,0,0,0,0,0,no,yes," KERNEL_C UNTIMED
				  "aten::abs,aten::abs.out,abs.c,BUILD,0,0,0,0,0,0,no,yes," KERNEL_C UNTIMED
				  "aten::exp,aten::exp,,MISSING,0,0,0,0,0,0,no,yes," UNTIMED;
	struct ay_arena a = { 0 };
	struct ay_err err = { 0 };
	struct ay_summary s;
	struct ay_run *r = create("r");
	const char *md;
	json_t *j;

	fill_run(r);
	ay_run_close(r, &err);
	read_summary("r", &s);
	CHECKF(!ay_export(help_path("r"), &s, &err), "%s", err.msg);
	ay_summary_release(&s);
	CHECK_STR(help_slurp(&a, help_path("r/operator_summary.csv"), NULL), csv);

	j = json_loads(help_slurp(&a, help_path("r/full_results.json"), NULL), 0, NULL);
	CHECK(json_array_size(j) == 13);
	json_decref(j);
	j = json_loads(help_slurp(&a, help_path("r/failed_tests.json"), NULL), 0, NULL);
	CHECK(json_array_size(j) == 4); /* SKIPPED, MISMATCH, BUILD, the error record */
	CHECK_STR(json_string_value(json_object_get(json_array_get(j, 1), "line")),
		  "aten::add.Scalar((T([2], f32),), {}) seed=1");
	CHECK_STR(json_string_value(json_object_get(json_array_get(j, 1), "detail")), "said 2");
	json_decref(j);
	j = json_loads(help_slurp(&a, help_path("r/results.json"), NULL), 0, NULL);
	CHECK(json_integer_value(
		      json_object_get(json_object_get(json_object_get(j, "scores"), "operators"), "of")) == 4);
	CHECK(json_integer_value(json_object_get(
		      json_object_get(
			      json_object_get(json_object_get(json_object_get(j, "operators"), "aten::add"),
					      "overloads"),
			      "aten::add.Scalar"),
		      "failed")) == 1);
	json_decref(j);

	md = help_slurp(&a, help_path("r/OVERALL_SUMMARY.md"), NULL);
	CHECK(strstr(
		md,
		"- **per operator: 1 of 4** (25.0 %): every overload passes. 1 of 4 pass, 2 fail, 1 missing.\n"));
	CHECK(strstr(md, "- **per overload: 3 of 7** (42.9 %): each is a problem of its own. 3 of 7 pass, 3 fail, "
			 "1 missing.\n"));
	CHECK(strstr(md, "| `aten::add` | MISMATCH | 1 of 2 | 3 | 2 | 1 | 0 | 0 | 1 | `k.c` |\n"));
	CHECK(strstr(md, "| `aten::exp` | MISSING | 0 of 1 |") && strstr(md, "(not in the suite)"));
	CHECK(strstr(md, "### `aten::add.Scalar`: MISMATCH, `k.c`\n\nDetail: said 2\n\n\n    "
			 "aten::add.Scalar((T([2], f32),), "
			 "{}) seed=1\n"));
	CHECK(strstr(md, "    abs.c:1:1: error: <x>\n    more\n"));
	CHECK(strstr(md, "| suite | &lt;b&gt;smoke&lt;/b&gt; |") &&
	      strstr(md, "| judged in | 1 runs by 1 builds"));
	ay_arena_release(&a);
}

TEST(store_text_stays_text)
{
	static const struct {
		const char *text, *csv, *md;
	} rows[] = {
		{ "plain", "plain", "plain" },
		{ "=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0", "=cmd\\|' /C calc'\\!A0" },
		{ "+1", "'+1", "+1" },
		{ "-1", "'-1", "-1" },
		{ "@SUM(A1)", "'@SUM(A1)", "\\@SUM(A1)" },
		{ "\t=1", "' =1", " =1" },
		{ "\r=1", "'\\x0d=1", "\\\\x0d=1" },
		{ "\n=1", "' =1", " =1" },
		{ "a,b", "\"a,b\"", "a,b" },
		{ "say \"x\"", "\"say \"\"x\"\"\"", "say \"x\"" },
		{ "two\nlines", "two lines", "two lines" },
		{ "\x1b[31mred", "\\x1b[31mred", "\\\\x1b\\[31mred" },
		{ "\xe2\x80\xae"
		  "evil",
		  "\\xe2\\x80\\xaeevil", "\\\\xe2\\\\x80\\\\xaeevil" },
		{ "\xff", "\\xff", "\\\\xff" },
		{ "<script>alert(1)</script>", "<script>alert(1)</script>",
		  "&lt;script&gt;alert(1)&lt;/script&gt;" },
		{ "&lt;", "\"&lt;\"", "&amp;lt;" },
		{ "![x](http://evil)", "![x](http://evil)", "\\!\\[x\\](http\\://evil)" },
		{ "a|b`c`*d*_e_", "a|b`c`*d*_e_", "a\\|b\\`c\\`\\*d\\*\\_e\\_" },
		{ "# head", "# head", "\\# head" },
		{ "", "", "" },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct ay_str b = { 0 };

		ay_csv_cell(&b, rows[i].text);
		CHECK_STR(ay_str_text(&b), rows[i].csv);
		ay_str_clear(&b);
		ay_md_text(&b, rows[i].text, 1000);
		CHECK_STR(ay_str_text(&b), rows[i].md);
		ay_str_release(&b);
	}
}

/* A kernel that says the worst in every field; nothing of it may become a tag, a link, a cell or a
 * command. */
TEST(store_exports_of_a_hostile_kernel_are_harmless)
{
	static const char evil[] =
		"=HYPERLINK(\\\"http://e\\\")|<img src=x onerror=a>\\u001b]0;t\\u0007\\n```\\n# PASS\\n"
		"| aten::x | PASS |\\n[l](javascript:a)\\u202e";
	struct ay_arena a = { 0 };
	struct ay_err err = { 0 };
	struct ay_summary s;
	struct ay_str b = { 0 };
	struct ay_run *r = create("r");
	const char *csv, *md,
		*files[] = { "operator_summary.csv", "OVERALL_SUMMARY.md", "results.json", "full_results.json",
			     "failed_tests.json" };

	ay_str_addf(
		&b,
		"{\"type\":\"case\",\"overload\":\"%s\",\"line\":\"%s\",\"verdict\":\"CHEAT\",\"kernel_sha256\":"
		"\"\",\"file\":"
		"\"%s\",\"detail\":\"%s\",\"hint\":\"%s\",\"out\":\"%s\",\"at\":\"%s\",\"want\":\"%s\",\"got\":1}",
		evil, evil, evil, evil, evil, evil, evil, evil);
	add(r, b.s);
	ay_run_close(r, &err);
	read_summary("r", &s);
	CHECKF(!ay_export(help_path("r"), &s, &err), "%s", err.msg);
	for (int i = 0; i < 5; i++) {
		const char *text = help_slurp(&a, help_path(ay_sprintf(&a, "r/%s", files[i])), NULL);

		CHECKF(!strpbrk(text, "\x1b\x07"), "%s", files[i]);
	}
	csv = help_slurp(&a, help_path("r/operator_summary.csv"), NULL);
	CHECK(!strstr(csv, "\n=") && !strstr(csv, ",=") && !strstr(csv, "\"=") && strstr(csv, "\"'=HYPERLINK"));
	md = help_slurp(&a, help_path("r/OVERALL_SUMMARY.md"), NULL);
	for (const char *p = md; *p; p = strchr(p, '\n') + 1) { /* outside of the code block that holds the line */
		const char *end = strchr(p, '\n'), *tag;

		if (!end)
			break;
		if (ay_starts(p, "    "))
			continue;
		tag = memchr(p, '<', (size_t)(end - p));
		CHECK(!tag && !ay_starts(p, "```") && !ay_starts(p, "# PASS") && !ay_starts(p, "| aten::x"));
		CHECK(!memmem(p, (size_t)(end - p), "](", 2) || memmem(p, (size_t)(end - p), "\\](", 3));
	}
	ay_summary_release(&s);
	ay_str_release(&b);
	ay_arena_release(&a);
}

TEST(store_exports_are_cut_and_replaced_whole)
{
	struct ay_arena a = { 0 };
	struct ay_err err = { 0 };
	struct ay_summary s;
	struct ay_str b = { 0 };
	struct ay_run *r = create("r");
	struct stat st;

	for (int i = 0; i < 600; i++)
		add_case(r, "aten::relu", KERNEL_A, i, "MISMATCH");
	ay_str_add(&b, "{\"type\":\"kernel\",\"operator\":\"aten::relu\",\"verdict\":\"BUILD\",\"kernel_sha256\":"
		       "\"\",\"detail\":\"");
	for (int i = 0; i < 100000; i++)
		ay_str_add(&b, "flood\\n");
	ay_str_add(&b, "\"}");
	add(r, b.s);
	ay_run_close(r, &err);
	CHECK(!symlink("/etc/passwd", help_path("r/OVERALL_SUMMARY.md")));
	CHECK(!ay_file_write(help_path("r/results.json"), "old", 3, &err));
	read_summary("r", &s);
	CHECKF(!ay_export(help_path("r"), &s, &err), "%s", err.msg);
	CHECK(!lstat(help_path("r/OVERALL_SUMMARY.md"), &st) && S_ISREG(st.st_mode) && st.st_size < 20000);
	CHECK(strstr(help_slurp(&a, help_path("r/OVERALL_SUMMARY.md"), NULL), "4 of 601 records"));
	CHECK(help_slurp(&a, help_path("r/results.json"), NULL)[0] == '{');
	CHECK(access(help_path("r/.results.json.tmp"), F_OK));
	ay_summary_release(&s);
	ay_str_release(&b);
	ay_arena_release(&a);
}
