/* SPDX-License-Identifier: Apache-2.0
 *
 * report - prints what a run found, or what changed between two.
 */
#include "cmd.h"
#include "llm/track_results.h"
#include "op/suite.h"
#include "report/comparison.h"
#include "screen.h"

#include <stdio.h>
#include <string.h>

static const struct usage usage = {
	"assay report RUN [RUN2] [options]",
	"One run: a table of its operators and the scores. Two runs: what RUN2 fixed, broke, made faster or "
	"slower, and\n"
	"what is missing or new in it. Times are compared where both runs were made on the same kind of machine: "
	"a case is\n"
	"slower if the intervals of its time are disjoint and more than 3 % lie between. Exit status: 0; 1 with\n"
	"--fail-on-regression if anything is broken, slower or missing; 2 usage or our failure.",
	"  assay report runs/mine\n"
	"  assay report runs/mine --failures --ops add\n"
	"  assay report runs/mine --verdict MISMATCH,CRASH\n"
	"  assay report runs/mine --dtype bf16 --failures\n"
	"  assay report runs/mine --format junit > results.xml\n"
	"  assay report runs/main runs/mine\n"
	"  assay report runs/main runs/mine --fail-on-regression --format md > comment.md\n",
	.most = OPERANDS_ANY,
};

enum { DIR_SHOWN = 4096 };

struct report {
	const char *verdicts, *dtypes, *format_name;
	bool failures, fail_on_regression, json;
	enum ay_format format;
	struct ay_row_filter filter;
};

/* Reads a run. Fails if it holds no verdict, because no comparison with it could find a
 * regression. */
static int read_run(const char *dir, struct ay_summary *s, struct ay_err *err)
{
	struct ay_str found = { 0 }, said = { 0 };
	int rc;

	if (ay_summary_read(dir, s, err))
		return -1;
	ay_run_found_print(&found, &s->found);
	/* in such a run the model may have refused everything */
	rc = s->ncase || s->nkernel || json_object_get(s->head, "llm")
		     ? 0
		     : ay_fail(err, AY_ERR_IO, "the run '%s' holds no verdict: %s", dir, ay_str_text(&found));
	if (!rc && s->found.first_bad) {
		ay_term_text(&said, dir, DIR_SHOWN);
		fprintf(stderr, "assay: %s: %s\n", ay_str_text(&said), ay_str_text(&found));
	}
	ay_str_release(&found);
	ay_str_release(&said);
	return rc;
}

/* Adds what the generation of kernels took, for a run in which a model wrote them: rounds and
 * cost. */
static void add_generation(struct ay_str *b, const char *dir, const struct ay_summary *s, enum ay_format f)
{
	struct ay_err none = { 0 };
	struct ay_gen g = { 0 };

	if ((f == AY_FORMAT_TEXT || f == AY_FORMAT_MD) &&
	    (json_object_get(s->head, "llm") || json_object_size(s->aside.problems)) &&
	    !ay_gen_read(dir, &g, &none)) {
		if (f == AY_FORMAT_MD)
			ay_gen_markdown(b, &g, s);
		else
			ay_gen_print(b, &g, s);
	}
	ay_gen_release(&g);
}

static void print_one(const struct report *r, const char *dir, const struct ay_summary *s, struct ay_str *b)
{
	const struct ay_row_filter *f = &r->filter;
	const struct ay_screen screen = screen_find();

	if (r->failures) {
		if (!ay_report_failures(b, s, f, r->format) && r->format == AY_FORMAT_TEXT)
			ay_str_add(b, f->verdicts || f->dtypes ? "no such cases\n"
				      : f->ops                 ? "no failures of that operator\n"
							       : "no failures\n");
		return;
	}
	if (r->format == AY_FORMAT_TEXT)
		ay_report_text(b, s, f, &screen);
	else
		ay_report_run(b, s, r->format, &screen);
	if (!ay_row_filter_is_by_case(f))
		add_generation(b, dir, s, r->format);
}

static int report_one(const struct report *r, const char *dir, struct ay_err *err)
{
	struct ay_summary s = { 0 };
	struct ay_str b = { 0 };
	int rc = read_run(dir, &s, err) || ay_row_filter_check(&r->filter, &s, err) ? -1 : 0;

	if (!rc) {
		print_one(r, dir, &s, &b);
		fwrite(ay_str_text(&b), 1, b.len, stdout);
	}
	ay_summary_release(&s);
	ay_str_release(&b);
	return rc ? EXIT_FAILED : EXIT_PASSED;
}

static int report_two(const struct report *r, const char *const *dir, struct ay_err *err)
{
	const struct ay_screen screen = screen_find();
	struct ay_summary a = { 0 }, b = { 0 };
	struct ay_comparison c = { 0 };
	struct ay_str out = { 0 };
	int status = EXIT_FAILED;

	if (!read_run(dir[0], &a, err) && !read_run(dir[1], &b, err)) {
		ay_compare(&c, &a, &b);
		ay_comparison_print(&out, &c, r->format, &screen);
		fwrite(ay_str_text(&out), 1, out.len, stdout);
		status = r->fail_on_regression && ay_regressions(&c) ? EXIT_NOT_PASSED : EXIT_PASSED;
	}
	ay_comparison_release(&c);
	ay_summary_release(&a);
	ay_summary_release(&b);
	ay_str_release(&out);
	return status;
}

static bool is_filtered(const struct report *r)
{
	return r->filter.ops || r->verdicts || r->dtypes || r->filter.missing;
}

static int check_one(const struct report *r, struct ay_err *err)
{
	if (r->fail_on_regression)
		return ay_fail(err, AY_ERR_USAGE,
			       "--fail-on-regression needs two runs: the one to compare with first");
	if (r->failures && r->format == AY_FORMAT_JUNIT)
		return ay_fail(err, AY_ERR_USAGE, "--format junit has the failures in it already");
	if (is_filtered(r) && !r->failures && r->format != AY_FORMAT_TEXT)
		return ay_fail(
			err, AY_ERR_USAGE,
			"--ops, --verdict, --dtype and --missing choose from the table or, with --failures, "
			"from the cases; --format %s of a run has all of it",
			r->format_name);
	return 0;
}

static int check_two(const struct report *r, struct ay_err *err)
{
	if (r->format == AY_FORMAT_CSV || r->format == AY_FORMAT_JUNIT)
		return ay_fail(err, AY_ERR_USAGE, "two runs are compared as text, md or json, not as %s",
			       r->format_name);
	if (r->failures || is_filtered(r))
		return ay_fail(err, AY_ERR_USAGE,
			       "--failures, --ops, --verdict, --dtype and --missing are for one run");
	return 0;
}

static int check_usage(struct report *r, int n, struct ay_err *err)
{
	r->format = ay_format_find(r->format_name);
	if (n < 1 || n > 2)
		return ay_fail(err, AY_ERR_USAGE,
			       "report: name one run, or two to compare (see: assay report --help)");
	if (r->format == AY_FORMAT_COUNT)
		return ay_fail(err, AY_ERR_USAGE, "--format is text, md, csv, json or junit, not '%s'",
			       r->format_name);
	if ((r->verdicts && ay_filter_verdicts(r->verdicts, &r->filter.verdicts, err)) ||
	    (r->dtypes && ay_dtypes_find(r->dtypes, &r->filter.dtypes, err)))
		return -1;
	return n == 1 ? check_one(r, err) : check_two(r, err);
}

int cmd_report(struct app *app, int argc, const char **argv, struct ay_err *err)
{
	struct report r = { .format_name = "text" };
	const struct opt opts[] = {
		{ "failures", OPT_FLAG, &r.failures, NULL,
		  "each failing case, its first wrong element and the line to paste" },
		{ "ops|op|op-name", OPT_TEXT, &r.filter.ops, "A,B", "only these operators or overloads" },
		{ "verdict|verdicts", OPT_TEXT, &r.verdicts, "V,W",
		  "only cases with these verdicts, by operator: MISMATCH,CRASH; MISSING is one too" },
		{ "dtype|dtypes", OPT_TEXT, &r.dtypes, "D,E", "only cases about these dtypes: bf16,f32" },
		{ "missing", OPT_FLAG, &r.filter.missing, NULL,
		  "a row for each operator without a verdict, in place of one line that counts them" },
		{ "format", OPT_TEXT, &r.format_name, "F", "text, md, csv, json or junit" },
		{ "json", OPT_FLAG, &r.json, NULL, "the same as --format json" },
		{ "fail-on-regression", OPT_FLAG, &r.fail_on_regression, NULL,
		  "exit status 1 if RUN2 broke, slowed down or lost anything" },
		{ 0 },
	};
	const int n = opt_parse(argc, argv, opts, &usage, err);

	(void)app;
	if (n < 0)
		return opt_status(n);
	if (r.json && strcmp(r.format_name, "text") && strcmp(r.format_name, "json"))
		return ay_fail(err, AY_ERR_USAGE, "--json is --format json, and --format is %s: choose one",
			       r.format_name),
		       EXIT_FAILED;
	if (r.json)
		r.format_name = "json";
	if (check_usage(&r, n, err))
		return EXIT_FAILED;
	return n == 1 ? report_one(&r, argv[0], err) : report_two(&r, argv, err);
}
