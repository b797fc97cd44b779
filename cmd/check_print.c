/* SPDX-License-Identifier: Apache-2.0
 *
 * check_print - prints the results of `assay check`: cases that did not pass, the kernel's output,
 * tallies, times and the verdict.
 */
#include "check.h"
#include "base/file.h"
#include "base/process.h"
#include "interrupt.h"
#include "output.h"
#include "report/run_report.h"

#include <stdio.h>
#include <string.h>

enum { PRINTED_SHOWN = 64 << 10 }; /* most bytes of a kernel's output to show, over all cases */

static void add_report(struct ay_str *b, const struct check *c, const struct ay_report *r)
{
	ay_str_addf(b, "    %s: %s\n", ay_verdict_name(r->verdict),
		    r->detail ? r->detail : ay_verdict_text(r->verdict));
	if (r->at) {
		ay_str_addf(b, "      %s%s: ", r->out, r->at);
		ay_str_add_mismatch(b, r->want, r->got, r->bound);
		ay_str_addc(b, '\n');
	}
	if (r->hint)
		ay_str_addf(b, "      hint: %s\n", r->hint);
	ay_str_addf(b, "      case: %s\n      again: assay check ", r->line);
	ay_shell_word(b, c->task.file);
	ay_str_add(b, " --case ");
	ay_shell_word(b, r->line);
	if (c->o.own.file) {
		ay_str_add(b, " --ref ");
		ay_shell_word(b, c->o.own.file);
	}
	if (c->o.device.wish)
		ay_str_addf(b, " --device %s", c->o.device.wish);
	ay_str_addc(b, '\n');
}

static void add_tally(struct ay_str *b, const struct ay_tally *t)
{
	struct ay_str name = { 0 };

	ay_schema_name(&name, t->schema);
	ay_str_addf(b, "  %-28s", ay_str_text(&name));
	for (int v = AY_VERDICT_COUNT - 1; v >= 0; v--)
		if (t->count[v])
			ay_str_addf(b, " %d %s", t->count[v], ay_verdict_name((enum ay_verdict)v));
	ay_str_add(b, t->derived ? "  (through the functional form)\n" : "\n");
	ay_str_release(&name);
}

/* Appends the results of each overload, and the times. */
static void add_findings(struct ay_str *b, const struct check *c, const struct ay_task_result *r)
{
	for (int i = 0; i < r->ntally; i++)
		add_tally(b, &r->tally[i]);
	if (r->drawn)
		ay_str_addf(b, "  of these %d were drawn (--seed %llu)\n", r->drawn,
			    (unsigned long long)c->task.drawing.seed);
	if (c->skipped[0] && !r->detail)
		ay_str_addf(b, "  skipped: %s\n", c->skipped);
	if (c->timed)
		ay_str_add(b, ay_str_text(&c->times));
	if (c->timed && r->failed)
		ay_str_addf(b, "  only what passed was timed; these dtypes did not pass: %s\n", r->failed);
}

static void show_progress(struct check *c)
{
	int64_t now = ay_now_ns();

	c->done++;
	if (!c->tty || now - c->last < 200000000)
		return;
	c->last = now;
	fprintf(stderr, "\r  %d cases in %.0f s \033[K", c->done, (double)(now - c->begin) / 1e9);
}

/* Computes the result of all cases up to sc, which passed and is being timed. As in the final
 * result, forms that the file does not define do not count against it. */
static struct ay_task_result result_so_far(const struct check *c, const struct ay_suite_case *sc)
{
	struct ay_task_result r = *c->result;
	struct ay_tally *t = AY_NEW_N(c->app->arena, struct ay_tally, r.ntally + 1);

	if (r.ntally)
		memcpy(t, r.tally, sizeof *t * (size_t)r.ntally);
	r.tally = t;
	ay_tally_add(&r, ay_tally_of(&r, sc->schema, false), AY_VERDICT_PASS);
	r.verdict = AY_VERDICT_NONE;
	for (int i = 0; i < r.ntally; i++)
		if (!r.tally[i].derived)
			r.verdict = ay_verdict_merge(r.verdict, r.tally[i].verdict);
	r.wall_s = (double)(ay_now_ns() - c->begin) / 1e9;
	return r;
}

/* Prepares what a signal prints while a case is timed: the results so far. */
static void say_so_far(const struct check *c, const struct ay_suite_case *sc, const char *timed)
{
	const struct ay_task_result r = result_so_far(c, sc);
	struct ay_str b = { 0 };

	if (c->o.json) {
		json_t *j = record_kernel(&c->facts, &r, "summary");

		json_object_set_new(j, "interrupted", json_sprintf("while %s was timed", timed));
		if (json_dump_callback(j, ay_dump_to, &b, JSON_COMPACT))
			AY_BUG("a record could not be written");
		json_decref(j);
	} else {
		ay_str_add(&b, c->tty ? "\r\033[K" : "");
		add_findings(&b, c, &r);
		ay_str_addf(&b, "%s  so far: %d cases judged; timing was interrupted, at %s",
			    ay_verdict_name(r.verdict), r.judged, timed);
	}
	ay_str_addc(&b, '\n');
	interrupt_say(1, ay_str_text(&b));
	ay_str_release(&b);
}

/* Prints the examples of failures, once. This happens before the timing, so an interrupted check
 * has shown them. */
static void tell_examples(struct check *c)
{
	if (c->tty)
		fprintf(stderr, "\r\033[K");
	examples_print(&c->examples);
	examples_release(&c->examples);
}

/* Called before a case is timed. Times are printed last, when all verdicts are known; until then a
 * line shows the progress. */
void check_on_timing(void *user, const struct ay_suite_case *sc)
{
	struct check *c = user;
	struct ay_str b = { 0 };

	clock_label(&b, sc);
	if (!c->o.json)
		tell_examples(c);
	say_so_far(c, sc, ay_str_text(&b));
	if (c->tty)
		fprintf(stderr, "\r  %d cases right; timing %s \033[K", c->done, ay_str_text(&b));
	ay_str_release(&b);
}

static void keep_time(struct check *c, const struct ay_suite_case *sc, const struct ay_timing *t)
{
	struct ay_str b = { 0 };

	c->timed += t->ns > 0 || t->pace != AY_PACE_NONE || t->too_slow || c->o.line;
	if (!c->times.len)
		clock_head(&c->times);
	clock_label(&b, sc);
	clock_row(&c->times, ay_str_text(&b), t);
	ay_str_release(&b);
}

/* Handles a case that did not pass: keeps a few examples for the end, or prints every case at
 * once. */
static void tell_report(struct check *c, const struct ay_tally *y, const struct ay_report *r)
{
	struct ay_str b = { 0 };

	if (r->verdict == AY_VERDICT_CRASH && !y->derived && !c->crash)
		c->crash = ay_strdup(c->app->arena, r->detail ? r->detail : "");
	if (r->verdict == AY_VERDICT_PASS || r->verdict == AY_VERDICT_SKIPPED)
		return;
	if (!c->o.all && !c->o.line && !examples_want(&c->examples, y, r->verdict))
		return;
	add_report(&b, c, r);
	if (c->o.all || c->o.line)
		printf("%s", ay_str_text(&b));
	else
		examples_add(&c->examples, y, r->verdict, ay_str_text(&b));
	ay_str_release(&b);
}

void check_on_built(void *user, const struct ay_task_result *r)
{
	struct check *c = user;

	snprintf(c->facts.kernel_sha256, sizeof c->facts.kernel_sha256, "%s", r->built.sha256);
	c->facts.operator_name = r->op->name;
	if (c->o.json)
		return;
	if (c->task.lang >= AY_LANG_PY) {
		printf("%s  %s  (torch %s)\n", r->op->name, ay_shown(c->app->arena, c->task.file),
		       c->task.policy.python->torch);
		return;
	}
	printf("%s  %s  (%s, ", r->op->name, ay_shown(c->app->arena, c->task.file),
	       c->compiler                  ? ay_file_basename(c->compiler)
	       : c->task.lang >= AY_LANG_PY ? "Python"
					    : "no compiler");
	if (!c->compiler)
		printf("taken as it is)\n");
	else if (r->built.cached)
		printf("built before");
	else
		printf("built in %.2f s", r->built.wall_s);
	if (c->compiler)
		printf("%s%s)\n", c->facts.device ? "; " : "", c->facts.device ? c->facts.device : "");
	if (!r->built.ok)
		printf("%s", r->built.log);
}

/* Prints a kernel's output, escaped and marked so that it cannot be mistaken for assay's. */
static void show_printed(const char *what, const char *text, uint64_t dropped)
{
	printf("    printed by the kernel%s%s:\n", what[0] ? ", " : "", what);
	while (*text) {
		const size_t n = strcspn(text, "\n");

		printf("      | %.*s\n", (int)n, text);
		text += n + (text[n] == '\n');
	}
	if (dropped)
		printf("      (%llu bytes more)\n", (unsigned long long)dropped);
}

static void tell_printed(struct check *c, const struct ay_report *r)
{
	if (!r->printed)
		return;
	if (c->printed_shown > PRINTED_SHOWN) {
		c->printed_left++;
		return;
	}
	c->printed_shown += strlen(r->printed);
	show_printed(c->o.line ? "" : r->line, r->printed, r->printed_dropped);
}

/* Prints the output since the last case, such as that of loading the kernel, and how many cases'
 * output was not shown. */
static void tell_last_printed(struct check *c)
{
	struct ay_str b = { 0 };

	if (c->printed.n) {
		ay_str_add_safe(&b, c->printed.text, c->printed.n, sizeof c->printed.text);
		show_printed("", ay_str_text(&b), c->printed.dropped);
	}
	if (c->printed_left)
		printf("  what it printed in %d more cases is not shown: choose one with --case\n",
		       c->printed_left);
	ay_str_release(&b);
}

int check_on_judged(void *user, const struct ay_suite_case *sc, const struct ay_tally *t,
		    const struct ay_report *rep)
{
	struct check *c = user;

	show_progress(c);
	if (rep->verdict == AY_VERDICT_SKIPPED && !c->skipped[0])
		snprintf(c->skipped, sizeof c->skipped, "%s", rep->detail ? rep->detail : "");
	if (c->o.json) {
		json_t *j = record_case(&c->facts, sc, rep);
		const int rc = output_line(j, c->err);

		json_decref(j);
		return rc;
	} else {
		tell_printed(c, rep);
		tell_report(c, t, rep);
		if (rep->dump)
			printf("      dump: %s says what lies beside it\n", ay_shown(c->app->arena, rep->dump));
		if (rep->timing)
			keep_time(c, sc, rep->timing);
	}
	return 0;
}

/* Returns the text for the final verdict. For a Python exception it comes from the case's detail,
 * "raised ...". */
static const char *verdict_words(const struct check *c, const struct ay_task_result *r)
{
	if (r->detail)
		return r->detail;
	if (r->verdict != AY_VERDICT_CRASH || !c->crash)
		return ay_verdict_text(r->verdict);
	return ay_starts(c->crash, "raised ") ? ay_sprintf(c->app->arena, "the kernel raised an exception: %s",
							   c->crash + strlen("raised "))
					      : "the kernel's process died";
}

void check_print_result(struct check *c, const struct ay_task_result *r)
{
	struct ay_str found = { 0 };

	if (c->tty)
		fprintf(stderr, "\r\033[K");
	tell_last_printed(c);
	tell_examples(c);
	add_findings(&found, c, r);
	printf("%s%s  %s", ay_str_text(&found), ay_verdict_name(r->verdict), verdict_words(c, r));
	if (r->judged)
		printf(": %d cases in %.3f s", r->judged, r->wall_s);
	if (c->o.dtypes)
		printf(", only those about %s", c->o.dtypes);
	if (r->left)
		printf(" (%d more with --full)", r->left);
	printf("\n");
	ay_str_release(&found);
}
