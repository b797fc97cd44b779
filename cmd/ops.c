/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd.h"
#include "base/json.h"
#include "op/original_coverage.h"
#include "op/suite.h"
#include "screen.h"

#include <stdio.h>
#include <string.h>

static const struct usage usage = {
	"assay ops [NAME] [options]",
	"Lists the operators, or those whose name contains NAME.",
	"  assay ops\n"
	"  assay ops gemm\n"
	"  assay ops --source aten --json\n"
	"  assay ops --markdown > docs/catalogue.md\n",
	.most = 1,
};

struct counts {
	int n[AY_PERF + 1];
	int grid; /* AY_FULL cases that represent the original's grid: lines without duplicates */
};

static int count_cases(struct app *app, const struct ay_entry_op *e, struct counts *c, struct ay_err *err)
{
	struct ay_suite s = { 0 };

	if (ay_suite_add_op(&s, app->arena, app->registry, e, AY_PERF, err))
		return -1;
	*c = (struct counts){ 0 };
	for (int i = 0; i < s.n; i++)
		c->n[s.c[i].tier]++, c->grid += s.c[i].tier == AY_FULL && !s.c[i].derived;
	if (!e->op[0]->cases[0].line) /* in-place: all its lines come from the functional form */
		c->grid = c->n[AY_FULL];
	ay_suite_release(&s);
	return 0;
}

static const char *set_of(const struct ay_entry_op *e)
{
	return e->op[0]->flags & AY_EXTRA ? "extra" : "kernelgenbench";
}

enum { NAME, SET, OVERLOADS, QUICK, FULL, PERF, DOC, COLUMNS };

/* A narrow screen shows words rather than numbers; assay show has all numbers. */
static const struct ay_column columns[COLUMNS] = {
	[NAME] = { "operator", false, 20, AY_CUT_NAME, 0 },    [SET] = { "set", false, 0, AY_CUT_END, 1 },
	[OVERLOADS] = { "overloads", true, 0, AY_CUT_END, 3 }, [QUICK] = { "quick", true, 0, AY_CUT_END, 4 },
	[FULL] = { "full", true, 0, AY_CUT_END, 4 },           [PERF] = { "perf", true, 0, AY_CUT_END, 2 },
	[DOC] = { "what it does", false, 36, AY_CUT_WORD, 0 },
};

static void add_row(struct ay_table *t, const struct ay_entry_op *e, const struct counts *c)
{
	const char *doc = e->op[0]->doc;
	const char *cell[COLUMNS] = { [NAME] = e->name, [SET] = set_of(e) };

	cell[OVERLOADS] = ay_sprintf(&t->arena, "%d", e->nschema);
	for (int tier = AY_QUICK; tier <= AY_PERF; tier++)
		cell[QUICK + tier - AY_QUICK] = ay_sprintf(&t->arena, "%d", c->n[tier]);
	cell[DOC] = ay_strndup(&t->arena, doc, strcspn(doc, "."));
	ay_table_row(t, cell, -1, AY_PAINT_NONE);
}

static void print_table(struct ay_table *t, int in_set)
{
	const struct ay_screen screen = screen_find();
	struct ay_str b = { 0 };

	ay_table_print(&b, t, &screen);
	printf("%s", ay_str_text(&b));
	if (ay_table_width(t) > screen.width)
		printf("set and numbers of cases: on a wider screen (COLUMNS=150 assay ops), or --json\n");
	printf("%d operators, %d of the %d of KernelGenBench\n", t->nrow, in_set,
	       ay_suite_promised("kernelgenbench", NULL));
	ay_str_release(&b);
}

static void print_json(const struct ay_entry_op *e, const struct counts *c)
{
	json_t *j = json_object(), *s = json_array();

	for (int k = 0; k < e->nschema; k++)
		json_array_append_new(s, json_string(e->op[0]->schemas[k]));
	json_object_set_new(j, "name", json_string(e->name));
	json_object_set_new(j, "set", json_string(set_of(e)));
	json_object_set_new(j, "source", json_string(ay_entry_source(e)));
	json_object_set_new(j, "file", json_string(e->path));
	json_object_set_new(j, "schemas", s);
	json_object_set_new(j, "cases_quick", json_integer(c->n[AY_QUICK]));
	json_object_set_new(j, "cases_full", json_integer(c->n[AY_FULL]));
	json_object_set_new(j, "cases_perf", json_integer(c->n[AY_PERF]));
	json_object_set_new(j, "doc", json_string(e->op[0]->doc));
	ay_json_line(stdout, j);
	json_decref(j);
}

/* --- the page --------------------------------------------------------------------------------- */

static int omitted_of(const char *name, int omit)
{
	int n = 0;

	for (const struct ay_omitted *o = ay_omissions; o->name; o++)
		if ((!name || !strcmp(o->name, name)) && (omit < 0 || (int)o->omit == omit))
			n += ay_omitted_count(o);
	return n;
}

static void page_intro(const struct ay_registry *r)
{
	int ops = 0, kernels = 0;

	for (int i = 0; i < r->n; i++)
		if (ay_original_coverage_find(r->op[i].name))
			ops++, kernels += r->op[i].nschema;
	printf("# The catalogue\n\n"
	       "Made by `assay ops --markdown`; a test compares this page with what the program prints.\n\n"
	       "ATen: %d operators with %d overloads. %d are tensor kernels, and are judged: each schema is that "
	       "of "
	       "PyTorch 2.13,\n"
	       "letter by letter (`catalogue_schemas_are_those_of_torch`). %d are not:\n\n",
	       ops, kernels + omitted_of(NULL, -1), kernels, omitted_of(NULL, -1));
	for (int o = 0; o < AY_OMIT_COUNT; o++)
		printf("- %s: %d, %s\n", ay_omit_word(o), omitted_of(NULL, o), ay_omit_text(o));
	printf("\nIn-place forms are operators of their own in PyTorch; those of the set are here (`add_`, "
	       "`zero_`), "
	       "the others (`sin_`)\n"
	       "are no part of it.\n\n"
	       "## Cases\n\n"
	       "`quick`, `full` and `perf` are the cases there are here, the derived `out=` and in-place ones "
	       "included. `original` is what\n"
	       "the test of KernelGenBench (commit b1966bc) runs, `grid` what of `full` has its place, and the "
	       "last "
	       "column says why the\n"
	       "two differ and, in bold, what that test cannot tell. What the original tests missed is in each "
	       "operator's file.\n\n"
	       "| operator | kernels | not kernels | quick | full | perf | original | grid | why |\n"
	       "|---|---|---|---|---|---|---|---|---|\n");
}

static void page_row(const struct ay_entry_op *e, const struct counts *c)
{
	const struct ay_original_coverage *o = ay_original_coverage_find(e->name);
	const char *between = "";

	printf("| [%s](../%s) | %d | ", e->name, e->path, e->nschema);
	for (int k = 0; k < AY_OMIT_COUNT; k++)
		if (omitted_of(e->name, k)) {
			printf("%s%d %s", between, omitted_of(e->name, k), ay_omit_word(k));
			between = ", ";
		}
	printf("%s| %d | %d | %d | ", *between ? " " : "", c->n[AY_QUICK], c->n[AY_FULL], c->n[AY_PERF]);
	if (o)
		printf("%d | %d |%s%s%s%s%s |\n", o->cases, c->grid, o->broken ? " **" : "",
		       o->broken ? o->broken : "", o->broken ? "**" : "", o->why ? o->broken ? "; " : " " : "",
		       o->why ? o->why : "");
	else
		printf("| %d | |\n", c->grid);
}

/* Prints the rows of operators with an original, or of the others; after the former also a sum. */
static int page_rows(struct app *app, bool has_original, struct ay_err *err)
{
	struct counts sum = { 0 }, c;
	int original = 0;

	for (int i = 0; i < app->registry->n; i++) {
		const struct ay_entry_op *e = &app->registry->op[i];
		const struct ay_original_coverage *o = ay_original_coverage_find(e->name);

		if (has_original != !!o)
			continue;
		if (count_cases(app, e, &c, err))
			return -1;
		page_row(e, &c);
		for (int t = 0; t <= AY_PERF; t++)
			sum.n[t] += c.n[t];
		sum.grid += c.grid;
		original += o ? o->cases : 0;
	}
	if (has_original)
		printf("| together | | | %d | %d | %d | %d | %d | |\n", sum.n[AY_QUICK], sum.n[AY_FULL],
		       sum.n[AY_PERF], original, sum.grid);
	return 0;
}

/* A reason why torch's own function may differ, and in how many quick cases of an operator it
 * applies. */
struct differ {
	const char *why;
	int cpu, cuda;
};
enum { DIFFERS = 16 };

static void note_differ(struct differ *d, const char *why, int cpu, int cuda)
{
	int k = 0;

	while (why && k < DIFFERS && d[k].why && strcmp(d[k].why, why) != 0)
		k++;
	if (!why || k == DIFFERS)
		return;
	d[k].why = why;
	d[k].cpu += cpu;
	d[k].cuda += cuda;
}

static int find_differs(struct app *app, const struct ay_entry_op *e, struct differ *d, struct ay_err *err)
{
	const struct ay_op *op = e->op[0];
	struct ay_arena a = { 0 };
	struct ay_suite s = { 0 };
	int rc = ay_suite_add_op(&s, app->arena, app->registry, e, AY_QUICK, err);

	for (int i = 0; i < s.n && !rc; i++) {
		struct ay_call *c;

		ay_arena_clear(&a);
		rc = ay_call_bind(&a, op, s.c[i].schema, s.c[i].line, &c, err);
		if (!rc && op->aten_differs)
			note_differ(d, op->aten_differs(c), 1, 0);
		if (!rc && op->cuda_differs)
			note_differ(d, op->cuda_differs(c), 0, 1);
	}
	ay_suite_release(&s);
	ay_arena_release(&a);
	return rc;
}

static int page_differs(struct app *app, struct ay_err *err)
{
	printf("\n## What ATen does otherwise\n\n"
	       "Where torch's own functions are known not to give what is described here: their wrong answers to "
	       "these "
	       "cases are SKIPPED,\n"
	       "with this reason. Kernels are held to the description. The numbers are quick cases that it may "
	       "concern.\n\n"
	       "| operator | CPU | CUDA | what |\n|---|---|---|---|\n");
	for (int i = 0; i < app->registry->n; i++) {
		const struct ay_entry_op *e = &app->registry->op[i];
		struct differ d[DIFFERS] = { 0 };

		if ((e->op[0]->aten_differs || e->op[0]->cuda_differs) && find_differs(app, e, d, err))
			return -1;
		for (int k = 0; k < DIFFERS && d[k].why; k++) {
			printf("| %s | ", e->name);
			printf(d[k].cpu ? "%d | " : "| ", d[k].cpu);
			printf(d[k].cuda ? "%d | " : "| ", d[k].cuda);
			printf("%s |\n", d[k].why);
		}
	}
	return 0;
}

static int print_page(struct app *app, struct ay_err *err)
{
	page_intro(app->registry);
	if (page_rows(app, true, err) || page_rows(app, false, err))
		return -1;
	if (page_differs(app, err))
		return -1;
	printf("\n## Overloads that are no tensor kernels\n\n| operator | overloads | |\n|---|---|---|\n");
	for (const struct ay_omitted *o = ay_omissions; o->name; o++)
		printf("| %s | %s | %s |\n", o->name, o->overloads, ay_omit_word(o->omit));
	return 0;
}

static bool is_asked(const struct ay_entry_op *e, const char *name, const char *source)
{
	return (!name || strstr(e->name, name)) && (!source || !strcmp(ay_entry_source(e), source));
}

/* Returns the number of operators, -1 for an error. */
static int list(struct app *app, const char *name, const char *source, bool json, struct ay_err *err)
{
	struct ay_table t = { .col = columns, .ncol = COLUMNS };
	int shown = 0, in_set = 0;

	for (int i = 0; i < app->registry->n; i++) {
		const struct ay_entry_op *e = &app->registry->op[i];
		struct counts c;

		if (!is_asked(e, name, source))
			continue;
		if (count_cases(app, e, &c, err)) {
			shown = -1;
			break;
		}
		shown++;
		in_set += !(e->op[0]->flags & AY_EXTRA);
		if (json)
			print_json(e, &c);
		else
			add_row(&t, e, &c);
	}
	if (shown > 0 && !json)
		print_table(&t, in_set);
	ay_table_release(&t);
	return shown;
}

int cmd_ops(struct app *app, int argc, const char **argv, struct ay_err *err)
{
	const char *source = NULL, *name;
	bool json = false, markdown = false;
	const struct opt opts[] = {
		{ "source", OPT_TEXT, &source, "S", "only aten, vllm, cublas or extra" },
		{ "json", OPT_FLAG, &json, NULL, "one JSON object a line" },
		{ "markdown", OPT_FLAG, &markdown, NULL, "the catalogue as a page, beside what it was made from" },
		{ 0 },
	};
	int n = opt_parse(argc, argv, opts, &usage, err);

	if (n < 0)
		return opt_status(n);
	if (json && markdown)
		return ay_fail(err, AY_ERR_USAGE, "--json and --markdown: choose one"), EXIT_FAILED;
	if (source && strcmp(source, "aten") && strcmp(source, "vllm") && strcmp(source, "cublas") &&
	    strcmp(source, "extra"))
		return ay_fail(err, AY_ERR_USAGE, "--source is aten, vllm, cublas or extra, not '%s'", source),
		       EXIT_FAILED;
	if (markdown)
		return print_page(app, err) ? EXIT_FAILED : EXIT_PASSED;
	name = n ? argv[0] : NULL;
	n = list(app, name, source, json, err);
	if (!n)
		return ay_fail(err, AY_ERR_USAGE, "no operator's name contains '%s'%s%s (see: assay ops)",
			       name ? name : "", source ? " in source " : "", source ? source : "");
	return n < 0 ? EXIT_FAILED : EXIT_PASSED;
}
