/* SPDX-License-Identifier: Apache-2.0
 *
 * selection - counts the cases that a filter selects, by operator and verdict. A kernel without
 * cases (BUILD, LOAD) counts as one. It has no dtype.
 */
#include "report/report_internal.h"

#include <string.h>

enum { OPERATOR, CASES, VERDICTS, KERNEL, COLUMNS };

static const struct ay_column columns[COLUMNS] = {
	[OPERATOR] = { "operator", false, 16, AY_CUT_NAME, 0 },
	[CASES] = { "cases", true, 0, AY_CUT_END, 0 },
	[VERDICTS] = { "verdicts", false, 16, AY_CUT_WORD, 0 },
	[KERNEL] = { "kernel", false, 14, AY_CUT_NAME, 1 },
};

/* What the filter selects of one operator. */
struct chosen {
	int64_t cases, count[AY_VERDICT_COUNT];
	int kernels; /* kernels without cases */
};

static bool takes_record(const struct ay_row_filter *f, const struct ay_summary *s, uint64_t offset, uint32_t len)
{
	json_t *rec = f->dtypes ? ay_summary_record(s, offset, len) : NULL;
	const bool yes = !f->dtypes || ay_row_filter_takes_dtype(f, rec);

	json_decref(rec);
	return yes;
}

static void choose(const struct ay_summary *s, const struct ay_row_filter *f, struct chosen *chosen)
{
	for (int i = 0; i < s->ncase; i++) {
		const struct ay_sum_case *c = &s->cases[i];
		const struct ay_sum_overload *o = &s->overload[s->row[c->row].overload];

		if (!ay_row_filter_takes_name(f, o->name) || !ay_row_filter_takes_verdict(f, c->verdict) ||
		    !takes_record(f, s, c->offset, c->len))
			continue;
		chosen[o->op].cases++;
		chosen[o->op].count[c->verdict]++;
	}
	for (int i = 0; i < s->nkernel && !f->dtypes; i++) {
		const struct ay_sum_kernel *k = &s->kernel[i];

		if (k->has_rows || !ay_row_filter_takes_name(f, k->overload ? k->overload : s->op[k->op].name) ||
		    !ay_row_filter_takes_verdict(f, k->verdict))
			continue;
		chosen[k->op].kernels++;
		chosen[k->op].count[k->verdict]++;
	}
}

static void add_row(struct ay_table *t, const struct ay_summary *s, int op, const struct chosen *x)
{
	const char *cell[COLUMNS] = { [OPERATOR] = s->op[op].name, [KERNEL] = ay_report_basename(s->op[op].file) };
	struct ay_str b = { 0 };

	for (int v = 0; v < AY_VERDICT_COUNT; v++)
		if (x->count[v])
			ay_str_addf(&b, "%s%lld %s", b.len ? ", " : "", (long long)x->count[v],
				    ay_verdict_name((enum ay_verdict)v));
	if (!b.len)
		ay_str_add(&b, ay_sum_verdict_name(AY_VERDICT_NONE));
	cell[CASES] = ay_sprintf(&t->arena, "%lld", (long long)x->cases);
	cell[VERDICTS] = ay_str_text(&b);
	ay_table_row(t, cell, -1, AY_PAINT_NONE);
	ay_str_release(&b);
}

/* Returns true for an operator without a verdict if the filter names MISSING. */
static bool is_missing(const struct ay_summary *s, const struct ay_row_filter *f, int op)
{
	return s->op[op].verdict == AY_VERDICT_NONE && f->verdicts && !f->dtypes &&
	       ay_row_filter_takes_verdict(f, AY_VERDICT_NONE) && ay_row_filter_takes_operator(f, s, op);
}

void ay_report_selection(struct ay_str *b, const struct ay_summary *s, const struct ay_row_filter *f,
			 const struct ay_screen *screen)
{
	struct chosen *chosen = ay_xrealloc(NULL, sizeof *chosen * (size_t)(s->noperator + 1));
	struct ay_table t = { .col = columns, .ncol = COLUMNS };
	struct ay_str line = { 0 };
	int64_t cases = 0;
	int kernels = 0;

	memset(chosen, 0, sizeof *chosen * (size_t)(s->noperator + 1));
	choose(s, f, chosen);
	for (int i = 0; i < s->noperator; i++) {
		if (!chosen[i].cases && !chosen[i].kernels && !is_missing(s, f, i))
			continue;
		add_row(&t, s, i, &chosen[i]);
		cases += chosen[i].cases;
		kernels += chosen[i].kernels;
	}
	if (t.nrow)
		ay_table_print(b, &t, screen);
	ay_str_addf(&line, "%lld of %d cases", (long long)cases, s->ncase);
	if (kernels)
		ay_str_addf(&line, " and %d kernels that never got to a case", kernels);
	ay_str_addf(&line, ", of %d of %d operators", t.nrow, s->noperator);
	if (cases || kernels)
		ay_str_add(&line, "; with --failures: each of them");
	ay_report_line(b, ay_str_text(&line), screen);
	ay_str_release(&line);
	ay_table_release(&t);
	ay_xfree(chosen);
}
