/* SPDX-License-Identifier: Apache-2.0 */
#include "report/report_internal.h"
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

/* --- the table -------------------------------------------------------------------------------- */

enum { OPERATOR, VERDICT, PASSED, TIME, OF_FLOOR, SPEEDUP, BASELINE, KERNEL, COLUMNS };

static const struct ay_column columns[COLUMNS] = {
	[OPERATOR] = { "operator", false, 16, AY_CUT_NAME, 0 },
	[VERDICT] = { "verdict", false, 24, AY_CUT_WORD, 0 },
	[PASSED] = { "cases", true, 0, AY_CUT_END, 0 },
	[TIME] = { "time", true, 0, AY_CUT_END, 0 },
	[OF_FLOOR] = { "of floor", true, 0, AY_CUT_END, 1 },
	[SPEEDUP] = { "speed-up", false, 0, AY_CUT_END, 0 },
	[BASELINE] = { "baseline", false, 8, AY_CUT_WORD, 0 },
	[KERNEL] = { "kernel", false, 14, AY_CUT_NAME, 0 },
};

/* What a table shows. If everything together is too wide for the screen, times get their own
 * table. */
enum { SHOW_VERDICTS = 1, SHOW_TIMES = 2 };

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

/* Moves the text of b into the arena and empties b. */
static const char *take(struct ay_arena *a, struct ay_str *b)
{
	const char *s = ay_strdup(a, ay_str_text(b));

	ay_str_clear(b);
	return s;
}

const char *ay_report_basename(const char *file)
{
	const char *slash = file ? strrchr(file, '/') : NULL;

	return slash ? slash + 1 : file;
}

/* A row for an operator or for a kernel. */
struct report_row {
	const char *name, *note;
	const char *label;
	enum ay_verdict verdict;
	const int64_t *count;
	int64_t cases;
	const struct ay_speed *speed; /* NULL: not shown */
	const char *file;             /* NULL: not shown */
	const char *left_out;         /* why the suite leaves it out; NULL: it does not */
};

static void fill_verdict(struct ay_table *t, const struct report_row *l, const char *cell[COLUMNS])
{
	cell[VERDICT] = ay_sprintf(&t->arena, "%s%s", l->left_out ? "LEFT OUT" : l->label, l->note);
	cell[PASSED] = ay_sprintf(&t->arena, "%lld/%lld", (long long)l->count[AY_VERDICT_PASS],
				  (long long)l->cases);
	cell[KERNEL] = l->left_out ? l->left_out : l->file;
}

static void fill_times(struct ay_table *t, const struct ay_summary *s, const struct ay_speed *speed, unsigned show,
		       const char *cell[COLUMNS])
{
	const struct ay_speed_shown shown = ay_speed_shown(speed);
	struct ay_str b = { 0 };

	ay_time_print(&b, speed->ns);
	cell[TIME] = take(&t->arena, &b);
	if (speed->of_floor > 0)
		cell[OF_FLOOR] = ay_sprintf(&t->arena, "%.0f %%", 100 * speed->of_floor);
	ay_speed_print(&b, &shown);
	cell[SPEEDUP] = take(&t->arena, &b);
	/* else one line below the table gives the baseline */
	if (show & SHOW_VERDICTS || s->nbaseline > 1)
		cell[BASELINE] = ay_sum_baseline(s, speed);
	ay_str_release(&b);
}

static void add_line(struct ay_table *t, const struct ay_summary *s, const struct report_row *l, unsigned show)
{
	const bool timed = show & SHOW_TIMES && l->speed && l->speed->ns > 0;
	const char *cell[COLUMNS] = { [OPERATOR] = l->name };

	if (timed)
		fill_times(t, s, l->speed, show, cell);
	if (show & SHOW_VERDICTS)
		fill_verdict(t, l, cell);
	if (timed || show & SHOW_VERDICTS)
		ay_table_row(t, cell, VERDICT, paint_of(l->verdict));
}

static bool is_best(const struct ay_sum_overload *o, int row)
{
	return o->best.row == row && o->best.kernels > 1;
}

/* Adds a row for each kernel of an operator that has several. */
static void add_kernels(struct ay_table *t, const struct ay_summary *s, int op, unsigned show)
{
	for (int i = 0; i < s->nrow; i++) {
		const struct ay_sum_row *r = &s->row[i];
		const struct ay_sum_overload *o = &s->overload[r->overload];
		const char *name;

		if (o->op != op || r->derived)
			continue;
		/* in a table of times only the file distinguishes the rows */
		name = show & SHOW_VERDICTS || !r->file ? o->name : ay_report_basename(r->file);
		add_line(t, s,
			 &(struct report_row){ ay_sprintf(&t->arena, "  %s", name), is_best(o, i) ? ", best" : "",
					       ay_sum_verdict_name(r->verdict), r->verdict, r->count, r->cases,
					       &r->speed, ay_report_basename(r->file), NULL },
			 show);
	}
}

static void add_operator(struct ay_table *t, const struct ay_summary *s, int i, unsigned show)
{
	const struct ay_sum_operator *op = &s->op[i];
	const bool several = op->kernels > 1;
	const char *note = s->has_suite && !op->in_suite ? " (not in the suite)" : "";

	if (op->verdict == AY_VERDICT_PASS && !op->passed)
		note = ay_sprintf(&t->arena, " %d/%d%s", op->overloads_passed, op->overloads, note);
	add_line(t, s,
		 &(struct report_row){ op->name, note, ay_sum_label(op), op->verdict, op->count, op->cases,
				       several ? NULL : &op->speed, several ? NULL : ay_report_basename(op->file),
				       op->verdict == AY_VERDICT_NONE ? op->left_out : NULL },
		 show);
	if (several)
		add_kernels(t, s, i, show);
}

static void fill_table(struct ay_table *t, const struct ay_summary *s, const struct ay_row_filter *f,
		       unsigned show)
{
	for (int i = 0; i < s->noperator; i++)
		if (ay_row_filter_takes_operator(f, s, i) && (f->missing || s->op[i].verdict != AY_VERDICT_NONE))
			add_operator(t, s, i, show);
}

static void print_tables(struct ay_str *b, const struct ay_summary *s, const struct ay_row_filter *f,
			 const struct ay_screen *screen)
{
	static const unsigned together[] = { SHOW_VERDICTS | SHOW_TIMES, 0 },
			      apart[] = { SHOW_VERDICTS, SHOW_TIMES, 0 };
	struct ay_table all = { .col = columns, .ncol = COLUMNS };
	const unsigned *show = together;

	fill_table(&all, s, f, *show);
	if (s->timed && screen->width && ay_table_width(&all) > screen->width)
		show = apart;
	ay_table_release(&all);
	for (; *show; show++) {
		struct ay_table t = { .col = columns, .ncol = COLUMNS };

		fill_table(&t, s, f, *show);
		if (t.nrow)
			ay_table_print(b, &t, screen);
		if (*show == SHOW_TIMES && s->nbaseline == 1)
			ay_report_line(b, ay_sprintf(&t.arena, "baseline: %s", s->baseline[0]), screen);
		if (*show != together[0])
			ay_str_addc(b, '\n');
		ay_table_release(&t);
	}
}

/* Prints a line for each reason why operators have no verdict. With the rows these add up to the
 * score. */
static void add_folded(struct ay_str *b, const struct ay_summary *s, const struct ay_row_filter *f,
		       const struct ay_screen *screen)
{
	int missing = 0, pending = 0, left_out = 0;
	struct ay_str absent = { 0 }, line = { 0 };

	for (int i = 0; i < s->noperator && !f->missing; i++) {
		const struct ay_sum_operator *op = &s->op[i];

		if (op->verdict != AY_VERDICT_NONE || !ay_row_filter_takes_operator(f, s, i))
			continue;
		*(op->left_out ? &left_out : ay_sum_is_pending(s, op) ? &pending : &missing) += 1;
	}
	ay_report_absent(&absent, s);
	const struct {
		int n;
		const char *how, *why;
	} part[] = { { missing, "MISSING, ", ay_str_text(&absent) },
		     { pending, "MISSING, ", "not judged yet" },
		     { left_out, "LEFT OUT ", "by the suite" } };

	for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
		if (!part[i].n)
			continue;
		ay_str_clear(&line);
		ay_str_addf(&line, "%d of %d operators: %s%s (--missing lists them)", part[i].n, s->operators.of,
			    part[i].how, part[i].why);
		ay_report_line(b, ay_str_text(&line), screen);
	}
	ay_str_release(&absent);
	ay_str_release(&line);
}

/* Explains each "best" of the table. */
static void add_best(struct ay_str *b, const struct ay_summary *s, const struct ay_row_filter *f,
		     const struct ay_screen *screen)
{
	struct ay_str line = { 0 };

	for (int i = 0; i < s->noverload; i++) {
		const struct ay_sum_overload *o = &s->overload[i];

		if (o->best.row < 0 || o->best.kernels < 2 || s->row[o->best.row].derived ||
		    !ay_row_filter_takes_name(f, o->name))
			continue;
		ay_str_clear(&line);
		ay_str_addf(&line, "%s: %s is the ", o->name, ay_report_basename(s->row[o->best.row].file));
		ay_sum_best_print(&line, s, &o->best);
		ay_report_line(b, ay_str_text(&line), screen);
	}
	ay_str_release(&line);
}

static void say_chosen(struct ay_str *b, const struct ay_summary *s, const struct ay_row_filter *f,
		       const struct ay_screen *screen)
{
	struct ay_str line = { 0 };
	int n = 0;

	for (int i = 0; i < s->noperator; i++)
		n += ay_row_filter_takes_operator(f, s, i);
	ay_str_addf(&line, "%d of %d operators are asked for; the scores are of all:", n, s->noperator);
	ay_report_line(b, ay_str_text(&line), screen);
	ay_str_release(&line);
}

void ay_report_text(struct ay_str *b, const struct ay_summary *s, const struct ay_row_filter *f,
		    const struct ay_screen *screen)
{
	if (ay_row_filter_is_by_case(f)) {
		ay_report_selection(b, s, f, screen);
		return;
	}
	print_tables(b, s, f, screen);
	add_best(b, s, f, screen);
	add_folded(b, s, f, screen);
	if (f->ops)
		say_chosen(b, s, f, screen);
	ay_report_totals(b, s, screen);
}

/* --- the other formats ------------------------------------------------------------------------ */

static void report_md(struct ay_str *b, const struct ay_summary *s)
{
	ay_md_summary(b, s);
	ay_str_add(b, "\n## Failures\n\n");
	if (!ay_report_failures(b, s, &(struct ay_row_filter){ 0 }, AY_FORMAT_MD))
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
	default: ay_report_text(b, s, &(struct ay_row_filter){ 0 }, screen);
	}
}
