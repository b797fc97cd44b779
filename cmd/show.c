/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd.h"
#include "base/json.h"
#include "op/fill.h"
#include "op/proto.h"
#include "op/suite.h"

#include <stdio.h>
#include <string.h>

static const struct usage usage = {
	"assay show OP [options]\n       assay show --case LINE",
	"Describes an operator: what it means, its overloads, the prototypes of a kernel, the cases it is judged "
	"on.\n"
	"With --case: a line as it will be run, with every fill written out, and its tensors.",
	"  assay show aten::add\n"
	"  assay show aten::add.Tensor --lang c          only the prototype, ready to paste\n"
	"  assay show --case \"aten::relu((T([3], f32),), {}) seed=7\"\n",
};

static int print_proto(struct app *app, const struct ay_schema *s, const char *lang, struct ay_err *err)
{
	struct ay_str b = { 0 };
	struct ay_proto *p;
	int rc = 0;

	if (!strcmp(lang, "python"))
		ay_proto_python(&b, s);
	else if (strcmp(lang, "c"))
		rc = ay_fail(err, AY_ERR_USAGE, "--lang is c or python, not '%s'", lang);
	else if (!(rc = ay_proto_make(app->arena, s, &p, err)))
		ay_proto_print(&b, p);
	printf("%s\n", ay_str_text(&b));
	ay_str_release(&b);
	return rc;
}

static void print_wrapped(const char *text, int width)
{
	int col = 0;

	while (*text) {
		int n = (int)strcspn(text, " ");

		if (col && col + 1 + n > width) {
			putchar('\n');
			col = 0;
		}
		col += printf("%s%.*s", col ? " " : "", n, text);
		text += n + (text[n] == ' ');
	}
	putchar('\n');
}

static void print_judgement(const struct ay_op *op, const char *path)
{
	static const struct {
		unsigned flag;
		const char *text;
	} rules[] = {
		{ AY_EXACT, "Results must be bit-equal: they are copies or choices of inputs." },
		{ AY_META, "Only shape, dtype and strides are judged." },
		{ AY_RANDOM, "Judged by support and distribution; the same ay_rng must give the same bits, "
			     "another one others." },
		{ AY_ROUNDED,
		  "Integer results may be any integer within half a step of the real value, plus the bound." },
		{ AY_ALIAS_SAFE,
		  "The in-place form calls the functional one with out = self where it is not defined." },
	};

	printf("\nHow it is judged\n");
	if (op->scalar)
		printf("  A number that is returned must have the right kind (bool, int, float, complex) and "
		       "value.\n");
	else if (!(op->flags & (AY_EXACT | AY_META | AY_RANDOM)))
		printf("  |got - want| <= %g ulp(want) + %g u mag on every element; see docs/error-bound.md.\n",
		       op->k_out ? op->k_out : 1.0, AY_K_ACC);
	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
		if (op->flags & rules[i].flag)
			printf("  %s\n", rules[i].text);
	if (op->rounds)
		printf("  Rounded on the way: %s\n", op->rounds);
	if (op->promises)
		printf("  Not promised: %s\n", op->promises);
	if (op->aten_differs)
		printf("  ATen on the CPU is known to differ in places: see %s.\n", path);
}

static int print_cases(struct app *app, const struct ay_entry_op *e, struct ay_err *err)
{
	static const char *const tiers[] = { "quick", "full", "perf" };
	struct ay_suite s = { 0 };
	struct ay_str b = { 0 };

	if (ay_suite_add_op(&s, app->arena, app->registry, e, AY_PERF, err))
		return -1;
	printf("\nCases\n");
	for (int t = 0; t <= AY_PERF; t++) {
		int n = 0;

		for (int i = 0; i < s.n; i++)
			n += (int)s.c[i].tier == t;
		printf("  %-6s %d\n", tiers[t], n);
		for (int i = 0, shown = 0; i < s.n && shown < 3; i++) {
			if ((int)s.c[i].tier != t)
				continue;
			ay_str_clear(&b);
			ay_case_print(&b, s.c[i].line);
			printf("    %s\n", ay_str_text(&b));
			shown++;
		}
	}
	ay_str_release(&b);
	ay_suite_release(&s);
	return 0;
}

static int print_page(struct app *app, const struct ay_entry_op *e, struct ay_err *err)
{
	printf("%s (%s, %s)\n\n", e->name, ay_entry_source(e), e->path);
	print_wrapped(e->op[0]->doc, 100);
	printf("\nOverloads\n");
	for (int k = 0; k < e->nschema; k++)
		printf("  %s\n", e->op[0]->schemas[k]);
	printf("\nC prototypes (#include <assay/kernel.h>; docs/kernel-abi.md)\n");
	for (int k = 0; k < e->nschema; k++) {
		printf("  ");
		if (print_proto(app, e->schema[k], "c", err))
			return -1;
	}
	printf("\nPython\n");
	for (int k = 0; k < e->nschema; k++) {
		printf("  ");
		if (print_proto(app, e->schema[k], "python", err))
			return -1;
	}
	print_judgement(e->op[0], e->path);
	return print_cases(app, e, err);
}

static int print_json(struct app *app, const struct ay_entry_op *e, struct ay_err *err)
{
	json_t *j = json_object(), *list = json_array();
	struct ay_str b = { 0 };

	json_object_set_new(j, "name", json_string(e->name));
	json_object_set_new(j, "file", json_string(e->path));
	json_object_set_new(j, "doc", json_string(e->op[0]->doc));
	for (int k = 0; k < e->nschema; k++) {
		json_t *o = json_object();
		struct ay_proto *p;

		if (ay_proto_make(app->arena, e->schema[k], &p, err))
			return -1;
		json_object_set_new(o, "schema", json_string(e->op[0]->schemas[k]));
		ay_str_clear(&b);
		ay_proto_print(&b, p);
		json_object_set_new(o, "c", json_string(ay_str_text(&b)));
		ay_str_clear(&b);
		ay_proto_python(&b, e->schema[k]);
		json_object_set_new(o, "python", json_string(ay_str_text(&b)));
		json_array_append_new(list, o);
	}
	json_object_set_new(j, "overloads", list);
	ay_json_line(stdout, j);
	json_decref(j);
	ay_str_release(&b);
	return 0;
}

static int show_case(struct app *app, const char *text, struct ay_err *err)
{
	static const char *const roles[] = { "read", "read and written", "written", "result" };
	const struct ay_schema *s;
	const struct ay_entry_op *e;
	struct ay_case *line;
	struct ay_call *c;
	struct ay_str b = { 0 };

	if (ay_case_parse(app->arena, text, strlen(text), &line, err))
		return -1;
	e = ay_registry_find_case(app->registry, line, &s, err);
	if (!e || ay_call_bind(app->arena, e->op[0], s, line, &c, err))
		return -1;
	ay_case_print(&b, ay_call_line(app->arena, c));
	printf("%s\n", ay_str_text(&b));
	ay_str_release(&b);
	for (int i = 0; i < c->noperand; i++) {
		const struct ay_operand *o = c->operand[i];

		printf("  %-14s %-9s %-17s %lld elements, %lld bytes of storage\n", o->name,
		       ay_dt_info(o->view.dt)->name, roles[o->role], (long long)ay_numel_of(&o->view),
		       (long long)(ay_view_extent(&o->view) * ay_dt_info(o->view.dt)->bytes));
	}
	return 0;
}

int cmd_show(struct app *app, int argc, const char **argv, struct ay_err *err)
{
	const char *lang = NULL, *line = NULL;
	bool json = false, exact;
	const struct opt opts[] = {
		{ "lang", OPT_TEXT, &lang, "L", "only the prototypes, for c or python" },
		{ "case", OPT_TEXT, &line, "LINE", "show a case line instead" },
		{ "json", OPT_FLAG, &json, NULL, "as one JSON object" },
		{ 0 },
	};
	int n = opt_parse(argc, argv, opts, &usage, err);
	const struct ay_schema *s;
	const struct ay_entry_op *e;

	if (n < 0)
		return opt_status(n);
	if (line)
		return show_case(app, line, err) ? EXIT_FAILED : EXIT_PASSED;
	if (n != 1)
		return ay_fail(err, AY_ERR_USAGE, "show: name one operator (see: assay ops)"), EXIT_FAILED;
	e = ay_registry_find(app->registry, argv[0], &s, &exact, err);
	if (!e)
		return EXIT_FAILED;
	if (json)
		return print_json(app, e, err) ? EXIT_FAILED : EXIT_PASSED;
	if (!lang)
		return print_page(app, e, err) ? EXIT_FAILED : EXIT_PASSED;
	if (!strcmp(lang, "c"))
		printf("#include <assay/kernel.h>\n");
	for (int k = 0; k < e->nschema; k++)
		if ((!exact || e->schema[k] == s) && print_proto(app, e->schema[k], lang, err))
			return EXIT_FAILED;
	return EXIT_PASSED;
}
