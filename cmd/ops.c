/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd.h"
#include "base/json.h"
#include "op/suite.h"

#include <stdio.h>
#include <string.h>

static const struct usage usage = {
	"assay ops [NAME] [options]",
	"Lists the operators, or those whose name contains NAME.",
	"  assay ops\n"
	"  assay ops gemm\n"
	"  assay ops --source aten --json\n",
};

struct counts {
	int n[AY_PERF + 1];
};

static int count_cases(struct app *app, const struct ay_entry_op *e, struct counts *c, struct ay_err *err)
{
	struct ay_suite s = { 0 };

	if (ay_suite_add_op(&s, app->arena, app->registry, e, AY_PERF, err))
		return -1;
	*c = (struct counts){ 0 };
	for (int i = 0; i < s.n; i++)
		c->n[s.c[i].tier]++;
	ay_suite_release(&s);
	return 0;
}

static const char *set_of(const struct ay_entry_op *e)
{
	return e->op[0]->flags & AY_EXTRA ? "extra" : "kernelgenbench";
}

static void print_row(const struct ay_entry_op *e, const struct counts *c)
{
	size_t n = strcspn(e->op[0]->doc, ".");

	printf("%-28s %-15s %9d %6d %5d %5d  %.*s\n", e->name, set_of(e), e->nschema, c->n[AY_QUICK],
	       c->n[AY_FULL], c->n[AY_PERF], (int)(n < 60 ? n : 60), e->op[0]->doc);
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

int cmd_ops(struct app *app, int argc, const char **argv, struct ay_err *err)
{
	const char *source = NULL;
	bool json = false;
	const struct opt opts[] = {
		{ "source", OPT_TEXT, &source, "S", "only aten, vllm, cublas or extra" },
		{ "json", OPT_FLAG, &json, NULL, "one JSON object a line" },
		{ 0 },
	};
	int n = opt_parse(argc, argv, opts, &usage, err), shown = 0, in_set = 0;

	if (n < 0)
		return opt_status(n);
	for (int i = 0; i < app->registry->n; i++) {
		const struct ay_entry_op *e = &app->registry->op[i];
		struct counts c;

		if ((n && !strstr(e->name, argv[0])) || (source && strcmp(ay_entry_source(e), source)))
			continue;
		if (count_cases(app, e, &c, err))
			return EXIT_FAILED;
		if (!shown++ && !json)
			printf("%-28s %-15s %9s %6s %5s %5s  %s\n", "operator", "set", "overloads", "quick",
			       "full", "perf", "what it does");
		in_set += !(e->op[0]->flags & AY_EXTRA);
		if (json)
			print_json(e, &c);
		else
			print_row(e, &c);
	}
	if (!shown)
		return ay_fail(err, AY_ERR_USAGE, "no operator's name contains '%s'%s%s (see: assay ops)",
			       n ? argv[0] : "", source ? " in source " : "", source ? source : "");
	if (!json)
		printf("%d operators, %d of the 210 of KernelGenBench\n", shown, in_set);
	return EXIT_PASSED;
}
