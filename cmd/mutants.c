/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd.h"
#include "mutants.h"
#include "base/json.h"

#include <stdio.h>
#include <string.h>

static const struct usage usage = {
	"assay mutants [OP] [options]",
	"Plants wrong answers in every quick case and counts how many the checkers refuse. Mutants that equal the "
	"right\n"
	"answer of a case are equivalent there and do not count.",
	"  assay mutants\n"
	"  assay mutants aten::sum --survivors\n"
	"  assay mutants --markdown > docs/mutants.md\n",
	.most = 1,
};

struct total {
	int planted, killed, nulls, nulls_killed, equivalent;
};

static struct total add_up(const struct ay_mutation *m)
{
	struct total t = { 0 };

	for (int k = 0; k < AY_MUTANT_COUNT; k++) {
		t.planted += m->planted[k];
		t.killed += m->killed[k];
		t.equivalent += m->equivalent[k];
		if (ay_mutant_table[k].cls == AY_MUTANT_NULL) {
			t.nulls += m->planted[k];
			t.nulls_killed += m->killed[k];
		}
	}
	return t;
}

static double percent(int part, int whole)
{
	return whole ? 100.0 * part / whole : 100;
}

void mutants_head(FILE *out, bool markdown)
{
	if (markdown)
		fprintf(out, "# Mutation scores\n\n"
			     "Made by `assay mutants --markdown`; a test compares this page with what the program "
			     "prints. Killed / planted\n"
			     "over the quick cases; answers that equal the right one are equivalent and left out. "
			     "`half`, `tf32` and `narrow`\n"
			     "count overloads and dtypes (of result and first input), the others cases and "
			     "outputs.\n\n");
	fprintf(out, markdown ? "| operator | cases " : "%-28s %5s", "operator", "cases");
	for (int k = 0; k < AY_MUTANT_COUNT; k++)
		fprintf(out, markdown ? "| %s " : " %9s", ay_mutant_table[k].word);
	fprintf(out, markdown ? "| equivalent | null | all |\n|---|" : " %6s %6s %6s\n", "equiv", "null", "all");
	for (int k = 0; markdown && k < AY_MUTANT_COUNT + 4; k++)
		fprintf(out, k + 1 < AY_MUTANT_COUNT + 4 ? "---|" : "---|\n");
}

void mutants_row(FILE *out, const char *name, const struct ay_mutation *m, bool markdown)
{
	struct total t = add_up(m);

	fprintf(out, markdown ? "| %s | %d " : "%-28s %5d", name, m->cases);
	for (int k = 0; k < AY_MUTANT_COUNT; k++) {
		char cell[32] = "-";

		if (m->planted[k])
			snprintf(cell, sizeof cell, "%d/%d", m->killed[k], m->planted[k]);
		fprintf(out, markdown ? "| %s " : " %9s", cell);
	}
	if (!t.planted) { /* no wrong answer was planted, so there is no score */
		fprintf(out, markdown ? "| %d | - | - |\n" : " %6d %6s %6s\n", t.equivalent, "-", "-");
		return;
	}
	fprintf(out, markdown ? "| %d | %.0f %% | %.1f %% |\n" : " %6d %5.0f%% %5.1f%%\n", t.equivalent,
		percent(t.nulls_killed, t.nulls), percent(t.killed, t.planted));
}

void mutants_class_head(FILE *out, bool markdown)
{
	if (markdown)
		fprintf(out,
			"\n## Kernels that are wrong on a class of calls\n\n"
			"A mutant is an overload and a property of a call: a kernel that is wrong in every call "
			"with "
			"that property.\n"
			"Refused by the listed quick cases / with the cases that a quick run draws, in the mean "
			"of "
			"%d seeds / planted.\n\n",
			AY_CALL_CLASS_SEEDS);
	for (int k = 0; markdown && k < AY_CALL_CLASS_COUNT; k++)
		fprintf(out, "- %s: %s\n", ay_call_class_table[k].word, ay_call_class_table[k].text);
	fprintf(out, markdown ? "\n| operator " : "\n%-28s", "operator");
	for (int k = 0; k < AY_CALL_CLASS_COUNT; k++)
		fprintf(out, markdown ? "| %s " : " %13s", ay_call_class_table[k].word);
	fprintf(out, markdown ? "| listed | with drawn |\n|---|" : " %6s %6s\n", "listed", "drawn");
	for (int k = 0; markdown && k < AY_CALL_CLASS_COUNT + 2; k++)
		fprintf(out, k + 1 < AY_CALL_CLASS_COUNT + 2 ? "---|" : "---|\n");
}

void mutants_class_row(FILE *out, const char *name, const struct ay_call_class_score *s, bool markdown)
{
	int planted = 0, listed = 0, drawn = 0;

	fprintf(out, markdown ? "| %s " : "%-28s", name);
	for (int k = 0; k < AY_CALL_CLASS_COUNT; k++) {
		char cell[48] = "-";

		if (s->planted[k])
			snprintf(cell, sizeof cell, "%d/%.4g/%d", s->listed[k],
				 (double)s->drawn[k] / AY_CALL_CLASS_SEEDS, s->planted[k]);
		fprintf(out, markdown ? "| %s " : " %13s", cell);
		planted += s->planted[k];
		listed += s->listed[k];
		drawn += s->drawn[k];
	}
	if (!planted)
		fprintf(out, markdown ? "| - | - |\n" : " %6s %6s\n", "-", "-");
	else
		fprintf(out, markdown ? "| %.1f %% | %.1f %% |\n" : " %5.1f%% %5.1f%%\n", percent(listed, planted),
			percent(drawn, planted * AY_CALL_CLASS_SEEDS));
}

static void add_class_json(json_t *j, const struct ay_call_class_score *s)
{
	json_t *classes = json_object();

	for (int k = 0; k < AY_CALL_CLASS_COUNT; k++)
		json_object_set_new(classes, ay_call_class_table[k].word,
				    json_pack("{s:i,s:i,s:f}", "planted", s->planted[k], "listed", s->listed[k],
					      "with_drawn", (double)s->drawn[k] / AY_CALL_CLASS_SEEDS));
	json_object_set_new(j, "classes", classes);
}

static void print_json(const char *name, const struct ay_mutation *m, const struct ay_call_class_score *classes)
{
	json_t *j = json_object(), *kinds = json_object();
	struct total t = add_up(m);

	json_object_set_new(j, "operator", json_string(name));
	json_object_set_new(j, "cases", json_integer(m->cases));
	for (int k = 0; k < AY_MUTANT_COUNT; k++)
		json_object_set_new(kinds, ay_mutant_table[k].word,
				    json_pack("{s:i,s:i,s:i}", "planted", m->planted[k], "killed", m->killed[k],
					      "equivalent", m->equivalent[k]));
	json_object_set_new(j, "mutants", kinds);
	json_object_set_new(j, "null_percent", json_real(percent(t.nulls_killed, t.nulls)));
	json_object_set_new(j, "all_percent", json_real(percent(t.killed, t.planted)));
	add_class_json(j, classes);
	ay_json_line(stdout, j);
	json_decref(j);
}

struct mutants_options {
	bool json, markdown, survivors;
	const struct ay_entry_op *only; /* NULL: all */
};

/* Plants the mutants of one operator and prints its row. Returns 1 if enough were refused, 0 if not, or
 * -1. */
static int do_operator(struct app *app, const struct mutants_options *o, const struct ay_entry_op *e,
		       struct ay_err *err)
{
	struct ay_call_class_score classes;
	struct ay_mutation m;
	struct total t;

	if (ay_mutate(app->registry, e, app->arena, &m, err) ||
	    (o->json && ay_call_class_count(app->registry, e, &classes, err)))
		return -1;
	if (o->json)
		print_json(e->name, &m, &classes);
	else
		mutants_row(stdout, e->name, &m, o->markdown);
	for (const struct ay_survivor *v = o->survivors ? m.survivors : NULL; v; v = v->next)
		printf("    %-8s %s\n", ay_mutant_table[v->mutant].word, v->line);
	t = add_up(&m);
	return t.nulls == t.nulls_killed && percent(t.killed, t.planted) >= 95;
}

/* Prints the table of kernels that are wrong on a class of calls. */
static int do_classes(struct app *app, const struct mutants_options *o, struct ay_err *err)
{
	struct ay_call_class_score score;

	mutants_class_head(stdout, o->markdown);
	for (int i = 0; i < app->registry->n; i++) {
		const struct ay_entry_op *e = &app->registry->op[i];

		if (o->only && e != o->only)
			continue;
		if (ay_call_class_count(app->registry, e, &score, err))
			return -1;
		mutants_class_row(stdout, e->name, &score, o->markdown);
	}
	return 0;
}

static int run(struct app *app, const struct mutants_options *o, struct ay_err *err)
{
	bool enough = true;

	if (!o->json)
		mutants_head(stdout, o->markdown);
	for (int i = 0; i < app->registry->n; i++) {
		const struct ay_entry_op *e = &app->registry->op[i];
		const int rc = o->only && e != o->only ? 1 : do_operator(app, o, e, err);

		if (rc < 0)
			return EXIT_FAILED;
		enough &= rc;
	}
	if (!o->json && !o->markdown)
		printf(enough ? "every null kernel is refused, and at least 95 %% of all mutants\n"
			      : "NOT ENOUGH: all null kernels and 95 %% of all mutants must be refused\n");
	if (!o->json && do_classes(app, o, err))
		return EXIT_FAILED;
	return enough ? EXIT_PASSED : EXIT_NOT_PASSED;
}

int cmd_mutants(struct app *app, int argc, const char **argv, struct ay_err *err)
{
	struct mutants_options o = { 0 };
	const struct opt opts[] = {
		{ "survivors", OPT_FLAG, &o.survivors, NULL,
		  "print each mutant that was not refused, with its case" },
		{ "markdown", OPT_FLAG, &o.markdown, NULL, "the table as a page" },
		{ "json", OPT_FLAG, &o.json, NULL, "one JSON object an operator" },
		{ 0 },
	};
	int n = opt_parse(argc, argv, opts, &usage, err);
	const struct ay_schema *s;
	bool exact;

	if (n < 0)
		return opt_status(n);
	if (o.json && o.markdown)
		return ay_fail(err, AY_ERR_USAGE, "--json and --markdown: choose one"), EXIT_FAILED;
	if (n && !(o.only = ay_registry_find(app->registry, argv[0], &s, &exact, err)))
		return EXIT_FAILED;
	return run(app, &o, err);
}
