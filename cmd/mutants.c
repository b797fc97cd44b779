/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd.h"
#include "mutants.h"
#include "base/json.h"
#include "base/str.h"
#include "base/wrap.h"

#include <stdio.h>
#include <string.h>

/* no name of an operator is longer */
enum { NAME_WIDTH = 38 };

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
	if (!markdown) {
		fprintf(out, "%-*s %5s %13s %6s %5s %6s\n", NAME_WIDTH, "operator", "cases", "killed", "equiv",
			"null", "all");
		return;
	}
	fprintf(out, "| operator | cases ");
	for (int k = 0; k < AY_MUTANT_COUNT; k++)
		fprintf(out, "| %s ", ay_mutant_table[k].word);
	fprintf(out, "| equivalent | null | all |\n|---|");
	for (int k = 0; k < AY_MUTANT_COUNT + 4; k++)
		fprintf(out, k + 1 < AY_MUTANT_COUNT + 4 ? "---|" : "---|\n");
}

/* Prints killed / planted of each kind, where one was planted. */
static void print_kinds(const struct ay_mutation *m)
{
	struct ay_str all = { 0 }, lines = { 0 };

	for (int k = 0; k < AY_MUTANT_COUNT; k++)
		if (m->planted[k])
			ay_str_addf(&all, "%s%s %d/%d", all.len ? ", " : "", ay_mutant_table[k].word, m->killed[k],
				    m->planted[k]);
	ay_wrap(&lines, ay_str_text(&all), 2, 2, AY_WIDTH);
	if (all.len)
		printf("  %s\n", ay_str_text(&lines));
	ay_str_release(&all);
	ay_str_release(&lines);
}

static void print_row(FILE *out, const char *name, const struct ay_mutation *m)
{
	const struct total t = add_up(m);
	char killed[32];

	snprintf(killed, sizeof killed, "%d/%d", t.killed, t.planted);
	fprintf(out, "%-*s %5d %13s %6d", NAME_WIDTH, name, m->cases, killed, t.equivalent);
	if (t.planted)
		fprintf(out, " %4.0f%% %5.1f%%\n", percent(t.nulls_killed, t.nulls), percent(t.killed, t.planted));
	else /* no wrong answer was planted, so there is no score */
		fprintf(out, " %5s %6s\n", "-", "-");
}

void mutants_row(FILE *out, const char *name, const struct ay_mutation *m, bool markdown)
{
	const struct total t = add_up(m);

	if (!markdown) {
		print_row(out, name, m);
		return;
	}
	fprintf(out, "| %s | %d ", name, m->cases);
	for (int k = 0; k < AY_MUTANT_COUNT; k++) {
		char cell[32] = "-";

		if (m->planted[k])
			snprintf(cell, sizeof cell, "%d/%d", m->killed[k], m->planted[k]);
		fprintf(out, "| %s ", cell);
	}
	if (t.planted)
		fprintf(out, "| %d | %.0f %% | %.1f %% |\n", t.equivalent, percent(t.nulls_killed, t.nulls),
			percent(t.killed, t.planted));
	else /* no wrong answer was planted, so there is no score */
		fprintf(out, "| %d | - | - |\n", t.equivalent);
}

void mutants_class_head(FILE *out, bool markdown)
{
	if (!markdown) {
		fprintf(out, "\n%-*s %7s %13s %13s\n", NAME_WIDTH, "wrong on a class of calls", "mutants",
			"listed cases", "with drawn");
		return;
	}
	fprintf(out,
		"\n## Kernels that are wrong on a class of calls\n\n"
		"A mutant is an overload and a property of a call: a kernel that is wrong in every call with that "
		"property.\n"
		"Refused by the listed quick cases / with the cases that a quick run draws, in the mean of %d "
		"seeds / "
		"planted.\n\n",
		AY_CALL_CLASS_SEEDS);
	for (int k = 0; k < AY_CALL_CLASS_COUNT; k++)
		fprintf(out, "- %s: %s\n", ay_call_class_table[k].word, ay_call_class_table[k].text);
	fprintf(out, "\n| operator ");
	for (int k = 0; k < AY_CALL_CLASS_COUNT; k++)
		fprintf(out, "| %s ", ay_call_class_table[k].word);
	fprintf(out, "| listed | with drawn |\n|---|");
	for (int k = 0; k < AY_CALL_CLASS_COUNT + 2; k++)
		fprintf(out, k + 1 < AY_CALL_CLASS_COUNT + 2 ? "---|" : "---|\n");
}

static void print_class_row(FILE *out, const char *name, int planted, int listed, int drawn)
{
	if (planted)
		fprintf(out, "%-*s %7d %12.1f%% %12.1f%%\n", NAME_WIDTH, name, planted, percent(listed, planted),
			percent(drawn, planted * AY_CALL_CLASS_SEEDS));
	else
		fprintf(out, "%-*s %7s %13s %13s\n", NAME_WIDTH, name, "-", "-", "-");
}

void mutants_class_row(FILE *out, const char *name, const struct ay_call_class_score *s, bool markdown)
{
	int planted = 0, listed = 0, drawn = 0;

	for (int k = 0; k < AY_CALL_CLASS_COUNT; k++) {
		planted += s->planted[k];
		listed += s->listed[k];
		drawn += s->drawn[k];
	}
	if (!markdown) {
		print_class_row(out, name, planted, listed, drawn);
		return;
	}
	fprintf(out, "| %s ", name);
	for (int k = 0; k < AY_CALL_CLASS_COUNT; k++) {
		char cell[48] = "-";

		if (s->planted[k])
			snprintf(cell, sizeof cell, "%d/%.4g/%d", s->listed[k],
				 (double)s->drawn[k] / AY_CALL_CLASS_SEEDS, s->planted[k]);
		fprintf(out, "| %s ", cell);
	}
	if (planted)
		fprintf(out, "| %.1f %% | %.1f %% |\n", percent(listed, planted),
			percent(drawn, planted * AY_CALL_CLASS_SEEDS));
	else
		fprintf(out, "| - | - |\n");
}

/* Prints a row for each class. */
static void print_classes(const struct ay_call_class_score *s)
{
	for (int k = 0; k < AY_CALL_CLASS_COUNT; k++)
		if (s->planted[k])
			print_class_row(stdout, ay_call_class_table[k].word, s->planted[k], s->listed[k],
					s->drawn[k]);
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
	if (o->only && !o->json && !o->markdown)
		print_kinds(&m);
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
		if (o->only && !o->markdown)
			print_classes(&score);
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
