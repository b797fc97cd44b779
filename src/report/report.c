/* SPDX-License-Identifier: Apache-2.0 */
#include "report/report.h"
#include "store/export.h"

#include <string.h>

static const char *const formats[] = {
#define F(name, text) text,
	AY_FORMATS(F)
#undef F
};

enum ay_format ay_format_find(const char *name)
{
	int f = 0;

	while (f < AY_FORMAT_COUNT && strcmp(formats[f], name))
		f++;
	return (enum ay_format)f;
}

/* --- the table ------------------------------------------------------------------------------------------- */

enum { OPERATOR, VERDICT, PASSED, TIME, OF_FLOOR, SPEEDUP, BASELINE, KERNEL, COLUMNS };

static const struct ay_column columns[COLUMNS] = {
	[OPERATOR] = { "operator", false, 16 }, [VERDICT] = { "verdict", false, 0 },
	[PASSED] = { "cases", true, 0 },        [TIME] = { "time", true, 0 },
	[OF_FLOOR] = { "of floor", true, 0 },   [SPEEDUP] = { "speed-up", false, 0 },
	[BASELINE] = { "baseline", false, 8 },  [KERNEL] = { "kernel", false, 10 },
};

static enum ay_paint paint_of(enum ay_verdict v)
{
	switch (v) {
	case AY_VERDICT_PASS: return AY_PAINT_GOOD;
	case AY_VERDICT_NONE:
	case AY_VERDICT_SKIPPED:
	case AY_VERDICT_WEAK_CASE:
	case AY_VERDICT_UNSUPPORTED: return AY_PAINT_POOR;
	default: return AY_PAINT_BAD;
	}
}

/* The text of b in the arena; b is empty again. */
static const char *take(struct ay_arena *a, struct ay_str *b)
{
	const char *s = ay_strdup(a, ay_str_text(b));

	ay_str_clear(b);
	return s;
}

static const char *base_name(const char *file)
{
	const char *slash = file ? strrchr(file, '/') : NULL;

	return slash ? slash + 1 : file;
}

/* A row of either kind. */
struct line {
	const char *name, *note;
	const char *label;
	enum ay_verdict verdict;
	const int64_t *count;
	int64_t cases;
	const struct ay_speed *speed; /* NULL: not shown */
	const char *file;             /* NULL: not shown */
	const char *left_out;         /* by the suite, and why; NULL: it was not */
};

static void add_line(struct ay_table *t, const struct ay_summary *s, const struct line *l)
{
	const char *cell[COLUMNS] = { [OPERATOR] = l->name, [KERNEL] = l->file };
	struct ay_str b = { 0 };

	cell[VERDICT] = ay_sprintf(&t->arena, "%s%s", l->left_out ? "LEFT OUT" : l->label, l->note);
	if (l->left_out)
		cell[KERNEL] = l->left_out;
	cell[PASSED] = ay_sprintf(&t->arena, "%lld/%lld", (long long)l->count[AY_VERDICT_PASS],
				  (long long)l->cases);
	if (l->speed) {
		const struct ay_speed_shown shown = ay_speed_shown(l->speed);

		ay_time_print(&b, l->speed->ns);
		cell[TIME] = take(&t->arena, &b);
		if (l->speed->of_floor > 0)
			cell[OF_FLOOR] = ay_sprintf(&t->arena, "%.0f %%", 100 * l->speed->of_floor);
		ay_speed_print(&b, &shown);
		cell[SPEEDUP] = take(&t->arena, &b);
		cell[BASELINE] = ay_sum_baseline(s, l->speed);
	}
	ay_table_row(t, cell, VERDICT, paint_of(l->verdict));
	ay_str_release(&b);
}

/* Where an operator has several kernels, what it shows as a whole is no kernel's: each gets a row of its own. */
static void add_kernels(struct ay_table *t, const struct ay_summary *s, int op)
{
	struct ay_str note = { 0 };

	for (int i = 0; i < s->nrow; i++) {
		const struct ay_sum_row *r = &s->row[i];
		const struct ay_sum_overload *o = &s->overload[r->overload];

		if (o->op != op || r->derived)
			continue;
		if (o->best.row == i && o->best.kernels > 1) {
			ay_str_add(&note, ", ");
			ay_sum_best_print(&note, s, &o->best);
		}
		add_line(t, s,
			 &(struct line){ ay_sprintf(&t->arena, "  %s", o->name), take(&t->arena, &note),
					 ay_sum_verdict_name(r->verdict), r->verdict, r->count, r->cases,
					 &r->speed, base_name(r->file) });
	}
	ay_str_release(&note);
}

static void add_operator(struct ay_table *t, const struct ay_summary *s, int i)
{
	const struct ay_sum_operator *op = &s->op[i];
	const bool several = op->kernels > 1;
	const char *note = s->has_suite && !op->in_suite ? " (not in the suite)" : "";

	if (op->verdict == AY_VERDICT_PASS && !op->passed)
		note = ay_sprintf(&t->arena, " %d/%d%s", op->overloads_passed, op->overloads, note);
	add_line(t, s,
		 &(struct line){ op->name, note, ay_sum_label(op), op->verdict, op->count, op->cases,
				 several ? NULL : &op->speed, several ? NULL : base_name(op->file),
				 op->verdict == AY_VERDICT_NONE ? op->left_out : NULL });
	if (several)
		add_kernels(t, s, i);
}

static void add_speed_total(struct ay_str *b, const char *what, const struct ay_speed_score *x)
{
	const struct ay_speed_shown shown = { x->speedup, x->lo, x->hi, true, 0 };

	ay_str_addf(b, "speed-up over libraries, per %s: ", what);
	ay_speed_print(b, &shown);
	ay_str_addf(b, "%s over %d of %d", x->scored ? ", geometric mean" : "none", x->scored, x->of);
	ay_speed_score_print_notes(b, x);
	ay_str_add(b, "\n  right and faster than p times the library (perf@p): ");
	for (int i = 0; i < AY_PERF_N; i++)
		ay_str_addf(b, "%sp=%g: %d", i ? ", " : "", ay_perf_p[i], x->fast[i]);
	ay_str_addf(b, " of %d; for certain:", x->of);
	for (int i = 0; i < AY_PERF_N; i++)
		ay_str_addf(b, " %d", x->surely[i]);
	ay_str_addc(b, '\n');
}

static void add_totals(struct ay_str *b, const struct ay_summary *s)
{
	const char *backend = json_string_value(json_object_get(s->head, ay_field_name(AY_FIELD_BACKEND)));
	struct ay_str absent = { 0 };

	if (ay_is_package(backend))
		ay_str_addf(&absent, "not implemented by %s", backend);
	else
		ay_str_add(&absent, "without a kernel");
	if (s->operators.partial)
		ay_str_add(
			b,
			"PARTIAL n/m: n of the operator's m overloads pass, the others are not there or fail\n");
	ay_str_add(b, "per operator: ");
	ay_score_print(b, &s->operators, ay_str_text(&absent));
	ay_str_add(b, "\nper overload: ");
	ay_score_print(b, &s->overloads, ay_str_text(&absent));
	ay_str_addc(b, '\n');
	ay_str_release(&absent);
	if (s->timed) {
		add_speed_total(b, "operator", &s->speed_operators);
		add_speed_total(b, "overload", &s->speed_overloads);
	}
	if (s->by_calls.calls) {
		ay_by_calls_print(b, &s->by_calls, s->timed > 0);
		ay_str_addc(b, '\n');
	}
	ay_run_found_print(b, &s->found);
	if (s->errors)
		ay_str_addf(b, "; %lld are errors, not verdicts", (long long)s->errors);
	if (s->devices_lost)
		ay_str_addf(b, "; devices that failed and were taken out: %lld", (long long)s->devices_lost);
	ay_str_addc(b, '\n');
}

static void report_text(struct ay_str *b, const struct ay_summary *s, const struct ay_screen *screen)
{
	struct ay_table t = { .col = columns, .ncol = COLUMNS };

	for (int i = 0; i < s->noperator; i++)
		add_operator(&t, s, i);
	ay_table_print(b, &t, screen);
	add_totals(b, s);
	ay_table_release(&t);
}

/* --- the other formats ----------------------------------------------------------------------------------- */

static void report_md(struct ay_str *b, const struct ay_summary *s)
{
	ay_md_summary(b, s);
	ay_str_add(b, "\n## Failures\n\n");
	if (!ay_report_failures(b, s, NULL, AY_FORMAT_MD))
		ay_str_add(b, "None.\n");
}

static void report_json(struct ay_str *b, const struct ay_summary *s)
{
	json_t *j = ay_results_json(s);

	if (json_dump_callback(j, ay_dump_to, b, JSON_INDENT(1) | JSON_ENSURE_ASCII))
		AY_BUG("a report could not be printed");
	ay_str_addc(b, '\n');
	json_decref(j);
}

void ay_report_run(struct ay_str *b, const struct ay_summary *s, enum ay_format f, const struct ay_screen *screen)
{
	switch (f) {
	case AY_FORMAT_MD: report_md(b, s); return;
	case AY_FORMAT_CSV: ay_csv_summary(b, s); return;
	case AY_FORMAT_JSON: report_json(b, s); return;
	case AY_FORMAT_JUNIT: ay_report_junit(b, s); return;
	default: report_text(b, s, screen);
	}
}
