/* SPDX-License-Identifier: Apache-2.0
 *
 * markdown - writes OVERALL_SUMMARY.md.
 *
 * Theory of operation. Untrusted text is written by one of two functions. ay_md_text turns control
 * bytes into \xHH, line ends into spaces, and < > & into entities, and puts a backslash before
 * every character with a meaning in Markdown. So the text cannot become a tag, link, image or table
 * cell. ay_md_block indents lines by four spaces: a code block that no content can close, whereas
 * content can close a fence. Case lines use it because users copy them.
 */
#include "store/export.h"

#include <string.h>

enum { NAME_SHOWN = 200, DETAIL_SHOWN = 500, LINE_SHOWN = 8000, LOG_SHOWN = 2000, MANY = 2000 };

void ay_md_text(struct ay_str *b, const char *s, size_t max)
{
	struct ay_str safe = { 0 };

	ay_str_add_safe(&safe, s, strlen(s), max);
	for (const char *p = ay_str_text(&safe); *p; p++) {
		if (*p == '\n' || *p == '\t')
			ay_str_addc(b, ' ');
		else if (*p == '<' || *p == '>' || *p == '&')
			ay_str_add(b, *p == '<' ? "&lt;" : *p == '>' ? "&gt;" : "&amp;");
		else if (strchr("\\`*_[]#!|~$@", *p) || (*p == ':' && p[1] == '/'))
			ay_str_addf(b, "\\%c", *p);
		else
			ay_str_addc(b, *p);
	}
	ay_str_release(&safe);
}

void ay_md_block(struct ay_str *b, const char *s, size_t max)
{
	struct ay_str safe = { 0 };

	ay_str_add_safe(&safe, s, strlen(s), max);
	ay_str_add(b, "\n    ");
	for (const char *p = ay_str_text(&safe); *p; p++) {
		ay_str_addc(b, *p);
		if (*p == '\n')
			ay_str_add(b, "    ");
	}
	ay_str_add(b, "\n\n");
	ay_str_release(&safe);
}

/* Writes a name as code if it has only characters of a name, so that underscores stay readable. */
static void add_name(struct ay_str *b, const char *s)
{
	size_t n = strlen(s);

	if (n && n <= NAME_SHOWN &&
	    strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:./-") == n)
		ay_str_addf(b, "`%s`", s);
	else
		ay_md_text(b, s, NAME_SHOWN);
}

/* --- facts ------------------------------------------------------------------------------------ */

static void add_fact(struct ay_str *b, const json_t *head, const char *key)
{
	const json_t *v = json_object_get(head, key);
	struct ay_str text = { 0 };

	if (!v)
		return;
	if (json_is_string(v))
		ay_str_add(&text, json_string_value(v));
	else
		json_dump_callback(v, ay_dump_to, &text, JSON_COMPACT | JSON_ENCODE_ANY);
	ay_str_addf(b, "| %s | ", key);
	ay_md_text(b, ay_str_text(&text), DETAIL_SHOWN);
	ay_str_add(b, " |\n");
	ay_str_release(&text);
}

static void add_facts(struct ay_str *b, const struct ay_summary *s, const json_t *head)
{
	static const char *const keys[] = { "command", "argv",  "suite",        "suite_sha256", "backend",
					    "llm",     "seed",  "policy",       "sandbox",      "machine",
					    "start",   "assay", "build_sha256", "run" };
	struct ay_str found = { 0 };

	ay_str_add(b, "| fact | value |\n|---|---|\n");
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		add_fact(b, head, keys[i]);
	ay_run_found_print(&found, &s->found);
	ay_str_add(b, "| records | ");
	ay_md_text(b, ay_str_text(&found), DETAIL_SHOWN);
	if (s->duplicates)
		ay_str_addf(b, "; %lld lines were there twice", (long long)s->duplicates);
	if (s->errors)
		ay_str_addf(b, "; %lld are errors, not verdicts", (long long)s->errors);
	if (s->devices_lost)
		ay_str_addf(b, "; devices that failed and were taken out: %lld", (long long)s->devices_lost);
	ay_str_addf(b, " |\n| judged in | %zu runs by %zu builds of assay |\n", json_object_size(s->runs),
		    json_object_size(s->builds));
	ay_str_release(&found);
}

/* --- scores and table ------------------------------------------------------------------------- */

static void add_score(struct ay_str *b, const char *what, const char *rule, const struct ay_score *x)
{
	ay_str_addf(b, "- **per %s: %d of %d** (%.1f %%): %s. ", what, x->passed, x->of,
		    x->of ? 100.0 * x->passed / x->of : 0.0, rule);
	ay_score_print(b, x, "missing");
	ay_str_add(b, ".\n");
}

/* Adds the rows of operators with a verdict, or of those without. */
static void add_rows(struct ay_str *b, const struct ay_summary *s, bool missing)
{
	int shown = 0, of = 0;

	for (int i = 0; i < s->noperator; i++) {
		const struct ay_sum_operator *op = &s->op[i];

		if ((op->verdict == AY_VERDICT_NONE) != missing || ++of > MANY)
			continue;
		if (!shown++)
			ay_str_add(b,
				   "| operator | verdict | overloads passed | cases | passed | failed | skipped "
				   "| weak | attempts | file "
				   "|\n|---|---|---|---|---|---|---|---|---|---|\n");
		ay_str_add(b, "| ");
		add_name(b, op->name);
		ay_str_addf(b, " | %s%s | %d of %d | %lld | %lld | %lld | %lld | %lld | %d | ", ay_sum_label(op),
			    s->has_suite && !op->in_suite ? " (not in the suite)" : "", op->overloads_passed,
			    op->overloads, (long long)op->cases, (long long)op->count[AY_VERDICT_PASS],
			    (long long)ay_count_failed(op->count), (long long)op->count[AY_VERDICT_SKIPPED],
			    (long long)op->count[AY_VERDICT_WEAK_CASE], op->attempts);
		if (op->kernels > 1)
			ay_str_addf(b, "%d kernels", op->kernels);
		else
			add_name(b, op->file ? op->file : "");
		ay_str_add(b, " |\n");
	}
	if (shown < of)
		ay_str_addf(b, "\n%d more in results.json.\n", of - shown);
}

/* Adds the table. Operators without a verdict are folded away, so that a few results are not lost
 * among a hundred empty rows. */
static void add_table(struct ay_str *b, const struct ay_summary *s)
{
	int missing = 0;

	for (int i = 0; i < s->noperator; i++)
		missing += s->op[i].verdict == AY_VERDICT_NONE;
	add_rows(b, s, false);
	if (!missing)
		return;
	ay_str_addf(b, "\n<details><summary>%d of %d operators are MISSING</summary>\n\n", missing,
		    s->operators.of);
	add_rows(b, s, true);
	ay_str_add(b, "\n</details>\n");
}

/* Lists the best kernel of each overload that has several. */
static void add_best(struct ay_str *b, const struct ay_summary *s)
{
	int shown = 0;

	for (int i = 0; i < s->noverload && shown < MANY; i++) {
		const struct ay_sum_best *x = &s->overload[i].best;

		if (x->row < 0 || x->kernels < 2)
			continue;
		if (!shown++)
			ay_str_add(b, "\n| overload | best kernel | among |\n|---|---|---|\n");
		ay_str_add(b, "| ");
		add_name(b, s->overload[i].name);
		ay_str_add(b, " | ");
		add_name(b, s->row[x->row].file ? s->row[x->row].file : "");
		ay_str_add(b, " | ");
		ay_sum_best_print(b, s, x);
		ay_str_add(b, " |\n");
	}
}

/* --- speed ------------------------------------------------------------------------------------ */

static void add_speed_score(struct ay_str *b, const char *what, const struct ay_speed_score *x)
{
	const struct ay_speed_shown shown = { x->speedup, x->lo, x->hi, true, 0 };

	ay_str_addf(b, "- **speed-up per %s: ", what);
	if (x->scored)
		ay_speed_print(b, &shown);
	else
		ay_str_add(b, "none");
	ay_str_addf(b,
		    "**, the geometric mean over %d of %d: %d passed; of those %d have only overhead-bound cases, "
		    "%d no "
		    "time against a library",
		    x->scored, x->of, x->correct, x->overhead, x->correct - x->scored - x->overhead);
	ay_speed_score_print_notes(b, x);
	ay_str_add(b, ".\n");
}

static void add_share(struct ay_str *b, int n, int of)
{
	ay_str_addf(b, " %d of %d (%.1f %%) |", n, of, of ? 100.0 * n / of : 0.0);
}

static void add_perf(struct ay_str *b, const struct ay_speed_score *op, const struct ay_speed_score *overload)
{
	ay_str_add(b, "\n| perf@p | operators | lower bound above p | overloads | lower bound above p "
		      "|\n|---|---|---|---|---|\n");
	for (int i = 0; i < AY_PERF_N; i++) {
		ay_str_addf(b, "| perf@%g |", ay_perf_p[i]);
		add_share(b, op->fast[i], op->of);
		add_share(b, op->surely[i], op->of);
		add_share(b, overload->fast[i], overload->of);
		add_share(b, overload->surely[i], overload->of);
		ay_str_addc(b, '\n');
	}
}

static void add_speed_row(struct ay_str *b, const struct ay_summary *s, const struct ay_sum_operator *op)
{
	const struct ay_speed_shown shown = ay_speed_shown(&op->speed);

	ay_str_add(b, "| ");
	add_name(b, op->name);
	ay_str_add(b, " | ");
	ay_time_print(b, op->speed.ns);
	ay_str_add(b, " | ");
	if (op->speed.of_floor > 0)
		ay_str_addf(b, "%.0f %%", 100 * op->speed.of_floor);
	ay_str_add(b, " | ");
	ay_speed_print(b, &shown);
	ay_str_add(b, " | ");
	ay_md_text(b, ay_sum_baseline(s, &op->speed), NAME_SHOWN);
	ay_str_addf(b, " | %d | %d | %d |\n", op->speed.timed, op->speed.scored, op->speed.overhead);
}

static void add_speed(struct ay_str *b, const struct ay_summary *s)
{
	int shown = 0;

	ay_str_add(b, "\n## Speed\n\n");
	add_speed_score(b, "operator", &s->speed_operators);
	add_speed_score(b, "overload", &s->speed_overloads);
	add_perf(b, &s->speed_operators, &s->speed_overloads);
	ay_str_add(
		b,
		"\nWhat failed, is missing or was not timed is above no p. Cases that could not be decided count "
		"as their lower bound.\nTimes are geometric means over cases.\n\n"
		"| operator | time | of floor | speed-up | baseline | cases timed | scored | overhead-bound "
		"|\n|---|---|---|---|---|---|---|---|\n");
	for (int i = 0; i < s->noperator && shown < MANY; i++)
		if (s->op[i].speed.timed) {
			add_speed_row(b, s, &s->op[i]);
			shown++;
		}
}

void ay_md_summary(struct ay_str *b, const struct ay_summary *s)
{
	ay_str_add(b, "# assay: summary of a run\n\n");
	add_facts(b, s, s->head);
	ay_str_add(b, "\n## Scores\n\n");
	add_score(b, "operator", "every overload passes", &s->operators);
	add_score(b, "overload", "each is a problem of its own", &s->overloads);
	if (s->by_calls.calls) {
		ay_str_add(b, "- ");
		ay_by_calls_print(b, &s->by_calls, s->timed > 0);
		ay_str_add(b, ". A case counts as often as the traced models made its call.\n");
	}
	if (s->drawn) {
		ay_str_add(b, "- ");
		ay_summary_add_drawn(b, s);
		ay_str_add(b, ".\n");
	}
	ay_str_add(
		b,
		s->has_suite
			? "\nThe denominators are all operators and overloads of the suite; what has no kernel is "
			  "missing and has not passed.\n"
			: "\nNo record lists the suite: the denominators are the operators and overloads that "
			  "were "
			  "seen.\n");
	ay_str_add(b, "Of several attempts at one case the worst verdict counts. Cases SKIPPED or WEAK_CASE are "
		      "not passes.\n"
		      "\n## Operators\n\n");
	add_table(b, s);
	add_best(b, s);
	if (s->timed)
		add_speed(b, s);
}

/* --- failures --------------------------------------------------------------------------------- */

static void add_element(struct ay_str *b, const json_t *rec)
{
	const char *out = ay_record_str(rec, AY_FIELD_OUT), *at = ay_record_str(rec, AY_FIELD_AT);

	if (!at)
		return;
	ay_str_add(b, "\nAt ");
	ay_md_text(b, out ? out : "", NAME_SHOWN);
	ay_md_text(b, at, NAME_SHOWN);
	ay_str_add(b, ": ");
	ay_record_mismatch(b, rec);
	ay_str_add(b, "\n");
}

/* Starts with a word, because text at the start of a line could become a list or a rule. */
static void add_said(struct ay_str *b, const char *label, const char *text)
{
	ay_str_add(b, label);
	ay_md_text(b, text, DETAIL_SHOWN);
	ay_str_addc(b, '\n');
}

void ay_md_failure(struct ay_str *b, const json_t *rec)
{
	const char *name = ay_record_str(rec, AY_FIELD_OVERLOAD), *detail = ay_record_str(rec, AY_FIELD_DETAIL);
	const char *line = ay_record_str(rec, AY_FIELD_LINE), *file = ay_record_str(rec, AY_FIELD_FILE);
	const char *hint = ay_record_str(rec, AY_FIELD_HINT);

	if (!name)
		name = ay_record_str(rec, AY_FIELD_OPERATOR);
	ay_str_add(b, "### ");
	add_name(b, name ? name : "");
	ay_str_addf(b, ": %s", ay_sum_verdict_name(ay_record_verdict(rec)));
	if (file) {
		ay_str_add(b, ", ");
		add_name(b, file);
	}
	ay_str_add(b, "\n\n");
	if (detail && strchr(detail, '\n'))
		ay_md_block(b, detail, LOG_SHOWN);
	else if (detail)
		add_said(b, "Detail: ", detail);
	add_element(b, rec);
	if (hint)
		add_said(b, "\nHint: ", hint);
	ay_str_add(b, "\n");
	if (line)
		ay_md_block(b, line, LINE_SHOWN);
}
