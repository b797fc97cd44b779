/* SPDX-License-Identifier: Apache-2.0
 *
 * comparison_print - prints a comparison. Changes of one kind and overload are grouped. Of their
 * cases the first few are named; JSON names all.
 */
#include "report/comparison.h"
#include "store/export.h"

#include <string.h>

enum { CASES_SHOWN = 3, LINE_SHOWN = 2000 };

static const struct {
	const char *name, *meaning;
} kinds[] = {
#define C(name, text, regression, meaning) { text, meaning },
	AY_CHANGES(C)
#undef C
};

/* Returns the case's line. It is borrowed from *rec, which the caller must decref. */
static const char *line_of(const struct ay_comparison *c, const struct ay_change *x, json_t **rec)
{
	const struct ay_summary *s = x->is ? c->b : c->a;
	const struct ay_sum_case *k = x->is ? x->is : x->was;
	const char *line;

	*rec = k ? ay_summary_record(s, k->offset, k->len) : NULL;
	line = ay_record_str(*rec, AY_FIELD_LINE);
	return line ? line : "";
}

static bool is_time(const struct ay_change *x)
{
	return x->kind == AY_CHANGE_SLOWER || x->kind == AY_CHANGE_FASTER;
}

static void add_interval(struct ay_str *b, const struct ay_case_time *t)
{
	ay_time_print(b, t->ns);
	ay_str_add(b, " [");
	ay_time_print(b, t->ns_lo);
	ay_str_add(b, ", ");
	ay_time_print(b, t->ns_hi);
	ay_str_addc(b, ']');
}

/* Appends "PASS -> MISMATCH", or "1.25x the time: 800 ns [790 ns, 810 ns] -> 1 us [...]". */
static void add_what(struct ay_str *b, const struct ay_change *x)
{
	if (!is_time(x)) {
		ay_str_addf(b, "%s -> %s", ay_sum_verdict_name(x->was_verdict),
			    ay_sum_verdict_name(x->is_verdict));
		return;
	}
	ay_str_addf(b, "%.3gx the time: ", x->is->time.ns / x->was->time.ns);
	add_interval(b, &x->was->time);
	ay_str_add(b, " -> ");
	add_interval(b, &x->is->time);
}

/* Returns how many changes from i on have the kind and overload of change i. */
static int group_at(const struct ay_comparison *c, int i)
{
	int n = 1;

	while (i + n < c->n && c->change[i + n].kind == c->change[i].kind &&
	       !strcmp(c->change[i + n].overload, c->change[i].overload))
		n++;
	return n;
}

/* --- totals ----------------------------------------------------------------------------------- */

/* Prints the totals. mark: the beginning of each line. */
static void add_totals(struct ay_str *b, const struct ay_comparison *c, const char *mark)
{
	ay_str_add(b, mark);
	for (int i = 0; i < AY_CHANGE_COUNT; i++)
		ay_str_addf(b, "%s%d %s", i ? ", " : "", c->count[i], kinds[i].name);
	ay_str_addf(b, "\n%s%d cases unchanged, %d still failing\n%s", mark, c->same, c->failing, mark);
	if (c->no_times)
		ay_str_addf(b, "times were not compared: %s\n", c->no_times);
	else
		ay_str_addf(b, "%d pairs of times were compared\n", c->times);
	ay_str_addf(b, "%sper operator: %d of %d pass -> %d of %d\n%sper overload: %d of %d pass -> %d of %d\n",
		    mark, c->a->operators.passed, c->a->operators.of, c->b->operators.passed, c->b->operators.of,
		    mark, c->a->overloads.passed, c->a->overloads.of, c->b->overloads.passed, c->b->overloads.of);
}

/* --- text ------------------------------------------------------------------------------------- */

static void add_paint(struct ay_str *b, const struct ay_screen *screen, const char *code)
{
	if (screen->colour)
		ay_str_add(b, code);
}

static void print_group(struct ay_str *b, const struct ay_comparison *c, int i, int n,
			const struct ay_screen *screen)
{
	const struct ay_change *x = &c->change[i];
	int shown = 0;

	add_paint(b, screen, x->kind <= AY_CHANGE_MISSING ? "\033[31m" : "\033[32m");
	ay_str_addf(b, "%-8s", kinds[x->kind].name);
	add_paint(b, screen, "\033[0m");
	ay_str_addc(b, ' ');
	ay_term_text(b, x->overload, LINE_SHOWN);
	ay_str_add(b, "  ");
	if (x->was || x->is)
		ay_str_addf(b, "%d cases\n", n);
	else
		add_what(b, x), ay_str_addc(b, '\n');
	for (; shown < n && shown < CASES_SHOWN && (x[shown].was || x[shown].is); shown++) {
		json_t *rec;
		const char *line = line_of(c, &x[shown], &rec);

		ay_str_add(b, "           ");
		add_what(b, &x[shown]);
		ay_str_add(b, "  ");
		ay_term_text(b, line, LINE_SHOWN);
		ay_str_addc(b, '\n');
		json_decref(rec);
	}
	if (shown && shown < n)
		ay_str_addf(b, "           and %d more\n", n - shown);
}

static void print_text(struct ay_str *b, const struct ay_comparison *c, const struct ay_screen *screen)
{
	for (int i = 0, n; i < c->n; i += n) {
		n = group_at(c, i);
		print_group(b, c, i, n, screen);
	}
	add_totals(b, c, "");
}

/* --- Markdown --------------------------------------------------------------------------------- */

static void print_md(struct ay_str *b, const struct ay_comparison *c)
{
	ay_str_add(b, "# assay: what changed\n\n");
	add_totals(b, c, "- ");
	if (!c->n)
		return;
	ay_str_add(b, "\n| change | overload | cases | first of them |\n|---|---|---|---|\n");
	for (int i = 0, n; i < c->n; i += n) {
		const struct ay_change *x = &c->change[i];
		struct ay_str what = { 0 };
		json_t *rec;
		const char *line = line_of(c, x, &rec);

		n = group_at(c, i);
		add_what(&what, x);
		ay_str_addf(b, "| %s | ", kinds[x->kind].name);
		ay_md_text(b, x->overload, LINE_SHOWN);
		ay_str_addf(b, " | %d | ", x->was || x->is ? n : 0);
		ay_md_text(b, ay_str_text(&what), LINE_SHOWN);
		if (*line)
			ay_str_add(b, ": ");
		ay_md_text(b, line, LINE_SHOWN);
		ay_str_add(b, " |\n");
		json_decref(rec);
		ay_str_release(&what);
	}
}

/* --- JSON ------------------------------------------------------------------------------------- */

static json_t *time_json(const struct ay_case_time *t)
{
	return json_pack("{s:f, s:f, s:f, s:i}", "ns", t->ns, "ns_lo", t->ns_lo, "ns_hi", t->ns_hi, "threads",
			 t->threads);
}

static json_t *change_json(const struct ay_comparison *c, const struct ay_change *x)
{
	json_t *j = json_object(), *rec;
	const char *line = line_of(c, x, &rec);

	json_object_set_new(j, "change", json_string(kinds[x->kind].name));
	json_object_set_new(j, "overload", ay_json_text(x->overload, strlen(x->overload), LINE_SHOWN));
	json_object_set_new(j, "was", json_string(ay_sum_verdict_name(x->was_verdict)));
	json_object_set_new(j, "is", json_string(ay_sum_verdict_name(x->is_verdict)));
	if (*line)
		json_object_set_new(j, "line", json_string(line));
	if (is_time(x)) {
		json_object_set_new(j, "was_time", time_json(&x->was->time));
		json_object_set_new(j, "is_time", time_json(&x->is->time));
	}
	json_decref(rec);
	return j;
}

static void print_json(struct ay_str *b, const struct ay_comparison *c)
{
	json_t *j = json_object(), *list = json_array(), *counts = json_object();

	for (int i = 0; i < AY_CHANGE_COUNT; i++)
		json_object_set_new(counts, kinds[i].name, json_integer(c->count[i]));
	for (int i = 0; i < c->n; i++)
		json_array_append_new(list, change_json(c, &c->change[i]));
	json_object_set_new(j, "regressions", json_integer(ay_regressions(c)));
	json_object_set_new(j, "counts", counts);
	json_object_set_new(j, "unchanged", json_integer(c->same));
	json_object_set_new(j, "still_failing", json_integer(c->failing));
	json_object_set_new(j, "times_compared", json_integer(c->times));
	if (c->no_times)
		json_object_set_new(j, "times_not_compared", json_string(c->no_times));
	json_object_set_new(j, "changes", list);
	if (json_dump_callback(j, ay_dump_to, b, JSON_INDENT(1) | JSON_ENSURE_ASCII))
		AY_BUG("a comparison could not be printed");
	ay_str_addc(b, '\n');
	json_decref(j);
}

void ay_comparison_print(struct ay_str *out, const struct ay_comparison *c, enum ay_format f,
			 const struct ay_screen *screen)
{
	if (f == AY_FORMAT_JSON)
		print_json(out, c);
	else if (f == AY_FORMAT_MD)
		print_md(out, c);
	else
		print_text(out, c, screen);
}
