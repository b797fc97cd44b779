/* SPDX-License-Identifier: Apache-2.0
 *
 * junit - JUnit XML for CI systems: a suite for each operator, a test for each case. A kernel
 * without any case is a test of its own. An operator without a kernel is a skipped test.
 */
#include "report/run_report.h"

#include <string.h>

enum { NAME_SHOWN = 2000, TEXT_SHOWN = 4000 };

/* Returns true for U+FFFE and U+FFFF, which XML 1.0 does not allow. Control characters are already
 * escaped. */
static bool is_no_xml(const char *p)
{
	return !strncmp(p, "\xef\xbf\xbe", 3) || !strncmp(p, "\xef\xbf\xbf", 3);
}

void ay_xml_text(struct ay_str *b, const char *s, size_t max)
{
	static const char *const special[] = {
		['&'] = "&amp;",   ['<'] = "&lt;",   ['>'] = "&gt;", ['"'] = "&quot;",
		['\''] = "&apos;", ['\n'] = "&#10;", ['\t'] = "&#9;"
	};
	struct ay_str safe = { 0 };

	ay_str_add_safe(&safe, s, strlen(s), max);
	for (const char *p = ay_str_text(&safe); *p; p++) {
		const unsigned char c = (unsigned char)*p;

		if (is_no_xml(p)) {
			ay_str_addf(b, "\\xef\\xbf\\x%02x", (unsigned char)p[2]);
			p += 2;
		} else if (c < sizeof special / sizeof *special && special[c]) {
			ay_str_add(b, special[c]);
		} else {
			ay_str_addc(b, *p);
		}
	}
	ay_str_release(&safe);
}

static void add_attribute(struct ay_str *b, const char *name, const char *s)
{
	ay_str_addf(b, " %s=\"", name);
	ay_xml_text(b, s ? s : "", NAME_SHOWN);
	ay_str_addc(b, '"');
}

/* --- one test --------------------------------------------------------------------------------- */

static void add_problem(struct ay_str *b, const char *tag, const json_t *rec, enum ay_verdict v)
{
	const char *detail = ay_record_str(rec, AY_FIELD_DETAIL), *at = ay_record_str(rec, AY_FIELD_AT);
	struct ay_str word = { 0 };

	ay_str_addf(b, "   <%s type=\"%s\"", tag, ay_verdict_name(v));
	add_attribute(b, "message", detail ? detail : ay_verdict_text(v));
	ay_str_addc(b, '>');
	if (at) {
		ay_xml_text(b, ay_record_str(rec, AY_FIELD_OUT) ? ay_record_str(rec, AY_FIELD_OUT) : "",
			    NAME_SHOWN);
		ay_xml_text(b, at, NAME_SHOWN);
		ay_str_add(b, ": ");
		ay_record_mismatch(b, rec);
		ay_str_addc(b, '\n');
	}
	ay_again(&word, rec);
	ay_xml_text(b, word.s, 2 * TEXT_SHOWN);
	ay_str_addf(b, "</%s>\n", tag);
	ay_str_release(&word);
}

static bool is_skip(enum ay_verdict v)
{
	return v == AY_VERDICT_SKIPPED || v == AY_VERDICT_WEAK_CASE || v == AY_VERDICT_NONE;
}

static double wall_of(const json_t *rec)
{
	const double x = json_number_value(json_object_get(rec, ay_field_name(AY_FIELD_WALL_S)));

	return x > 0 && x < 1e9 ? x : 0;
}

/* Adds a test. rec may be NULL if the record has vanished from the file; the summary's verdict
 * still counts. */
static void add_test(struct ay_str *b, const char *class, const char *name, const json_t *rec, enum ay_verdict v)
{
	ay_str_add(b, "  <testcase");
	add_attribute(b, "classname", class);
	add_attribute(b, "name", name);
	ay_str_addf(b, " time=\"%.6f\"", wall_of(rec));
	if (v == AY_VERDICT_PASS) {
		ay_str_add(b, "/>\n");
		return;
	}
	ay_str_add(b, ">\n");
	if (is_skip(v)) {
		const char *detail = ay_record_str(rec, AY_FIELD_DETAIL);

		ay_str_add(b, "   <skipped");
		add_attribute(b, "message",
			      detail                 ? detail
			      : v == AY_VERDICT_NONE ? "no kernel"
						     : ay_verdict_text(v));
		ay_str_add(b, "/>\n");
	} else {
		add_problem(b, "failure", rec, v);
	}
	ay_str_add(b, "  </testcase>\n");
}

/* --- suites ----------------------------------------------------------------------------------- */

struct tests {
	struct ay_str text;
	int n, failed, skipped;
};

static void count(struct tests *t, enum ay_verdict v)
{
	t->n++;
	t->skipped += is_skip(v);
	t->failed += !is_skip(v) && v != AY_VERDICT_PASS;
}

static void add_case(struct tests *t, const struct ay_summary *s, const struct ay_sum_case *c)
{
	json_t *rec = ay_summary_record(s, c->offset, c->len);
	const char *line = ay_record_str(rec, AY_FIELD_CASE);

	if (!line)
		line = ay_record_str(rec, AY_FIELD_LINE);
	count(t, c->verdict);
	add_test(&t->text, s->overload[s->row[c->row].overload].name, line ? line : "(record gone)", rec,
		 c->verdict);
	json_decref(rec);
}

/* Returns true if a kernel needs a test besides its cases: it has no cases, or failed although none
 * of them did. */
static bool is_caseless(const struct tests *t, const struct ay_sum_kernel *k)
{
	if (!t->n || (!k->has_rows && k->verdict != AY_VERDICT_PASS))
		return true;
	return !t->failed && k->verdict != AY_VERDICT_PASS && !is_skip(k->verdict);
}

/* Adds tests for kernels that did not build or load, and for operators without a kernel. */
static void add_caseless(struct tests *t, const struct ay_summary *s, int op)
{
	for (int i = 0; i < s->nkernel; i++) {
		const struct ay_sum_kernel *k = &s->kernel[i];
		json_t *rec;

		if (k->op != op || !is_caseless(t, k))
			continue;
		rec = ay_summary_record(s, k->offset, k->len);
		count(t, k->verdict);
		add_test(&t->text, s->op[op].name, k->file ? k->file : "kernel", rec, k->verdict);
		json_decref(rec);
	}
	if (!t->n) {
		count(t, s->op[op].verdict);
		add_test(&t->text, s->op[op].name, "kernel", NULL, s->op[op].verdict);
	}
}

/* Links the cases of each operator: first[op], then next[case]; -1 ends a list. */
static void link_cases(const struct ay_summary *s, int *first, int *next)
{
	for (int i = 0; i < s->noperator; i++)
		first[i] = -1;
	for (int i = s->ncase - 1; i >= 0; i--) {
		const int op = s->overload[s->row[s->cases[i].row].overload].op;

		next[i] = first[op];
		first[op] = i;
	}
}

/* Adds a failing test if assay failed or lines were not taken. Their verdicts are unknown, so the
 * report must not look successful. */
static int add_errors(struct ay_str *b, const struct ay_summary *s)
{
	struct ay_str what = { 0 };

	if (!s->errors && !s->found.first_bad)
		return 0;
	ay_run_found_print(&what, &s->found);
	if (s->errors)
		ay_str_addf(&what, "; %lld are errors, not verdicts (see failed_tests.json)",
			    (long long)s->errors);
	ay_str_add(b, " <testsuite name=\"records\" tests=\"1\" failures=\"0\" errors=\"1\" skipped=\"0\">\n"
		      "  <testcase classname=\"records\" name=\"records are whole\">\n   <error type=\"RECORDS\"");
	add_attribute(b, "message", what.s);
	ay_str_add(b, "/>\n  </testcase>\n </testsuite>\n");
	ay_str_release(&what);
	return 1;
}

void ay_report_junit(struct ay_str *b, const struct ay_summary *s)
{
	int *first = ay_xrealloc(NULL, sizeof *first * (size_t)(s->noperator + 1));
	int *next = ay_xrealloc(NULL, sizeof *next * (size_t)(s->ncase + 1));
	struct tests all = { 0 };
	int errors;

	link_cases(s, first, next);
	for (int op = 0; op < s->noperator; op++) {
		struct tests t = { 0 };

		for (int i = first[op]; i >= 0; i = next[i])
			add_case(&t, s, &s->cases[i]);
		add_caseless(&t, s, op);
		ay_str_add(&all.text, " <testsuite");
		add_attribute(&all.text, "name", s->op[op].name);
		ay_str_addf(&all.text, " tests=\"%d\" failures=\"%d\" errors=\"0\" skipped=\"%d\">\n", t.n,
			    t.failed, t.skipped);
		ay_str_addn(&all.text, ay_str_text(&t.text), t.text.len);
		ay_str_add(&all.text, " </testsuite>\n");
		all.n += t.n;
		all.failed += t.failed;
		all.skipped += t.skipped;
		ay_str_release(&t.text);
	}
	errors = add_errors(&all.text, s);
	ay_str_addf(b,
		    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"assay\" tests=\"%d\" "
		    "failures=\"%d\" "
		    "errors=\"%d\" skipped=\"%d\">\n",
		    all.n + errors, all.failed, errors, all.skipped);
	ay_str_addn(b, ay_str_text(&all.text), all.text.len);
	ay_str_add(b, "</testsuites>\n");
	ay_str_release(&all.text);
	ay_xfree(first);
	ay_xfree(next);
}
