/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd.h"
#include "op/original_coverage.h"
#include "op/proto.h"
#include "own.h"
#include "show.h"

#include <stdio.h>
#include <string.h>

static const struct usage usage = {
	"assay show OP [options]\n       assay show --ref FILE [options]\n       assay show --case LINE",
	"Describes an operator, so that a kernel can be written from the page: what it means, its overloads, the "
	"prototypes,\n"
	"how it is judged, what it is tested with, the cases, the floor on this machine. Nothing is timed.\n"
	"With --case: a line as it will be run, with every fill written out, and its tensors.\n"
	"Of an operator that only torch knows: its schemas and prototypes, and how a kernel of it is judged.",
	"  assay show aten::add\n"
	"  assay show aten::add.Tensor --lang c          only the prototype, ready to paste\n"
	"  assay show --ref ref.py                       an operator of your own (docs/oracle.md)\n"
	"  assay show aten::native_layer_norm            not in the catalogue: asked of torch\n"
	"  assay show --case \"aten::relu((T([3], f32),), {}) seed=7\"\n",
	.most = OPERANDS_ANY,
};

static const char *const tiers[] = { "quick", "full", "perf" };

/* Returns true for C and CUDA: the host function of a CUDA kernel has the prototype of a C
 * kernel. */
static bool is_c(const char *lang)
{
	return !strcmp(lang, "c") || !strcmp(lang, "cuda");
}

/* Returns true for Python and Triton, whose functions are called alike. */
static bool is_python(const char *lang)
{
	return !strcmp(lang, "python") || !strcmp(lang, "triton");
}

int show_proto(struct app *app, const struct ay_schema *s, const char *lang, struct ay_err *err)
{
	struct ay_str b = { 0 };
	struct ay_proto *p;
	int rc = 0;

	if (is_python(lang))
		ay_proto_python(&b, s);
	else if (!is_c(lang))
		rc = ay_fail(err, AY_ERR_USAGE, "--lang is c, cuda, python or triton, not '%s'", lang);
	else if (!(rc = ay_proto_make(app->arena, s, &p, err)))
		ay_proto_print(&b, p);
	if (!rc)
		printf("%s\n", ay_str_text(&b));
	ay_str_release(&b);
	return rc;
}

void show_wrapped(const char *text, int indent)
{
	struct ay_str b = { 0 };

	ay_op_doc_wrap(&b, text, indent);
	fputs(ay_str_text(&b), stdout);
	ay_str_release(&b);
}

static void print_section(const char *title,
			  void (*say)(struct ay_str *, const struct ay_op_doc *, enum ay_op_doc_reader),
			  const struct ay_op_doc *p)
{
	struct ay_str b = { 0 };

	say(&b, p, AY_OP_DOC_USER);
	printf("\n%s\n%s", title, ay_str_text(&b));
	ay_str_release(&b);
}

static void print_cases(const struct ay_op_doc *f)
{
	struct ay_str b = { 0 };

	printf("\nCases (of which %d are made from others, as their out= or in-place forms)\n", f->derived);
	for (int t = 0; t <= AY_PERF; t++) {
		printf("  %-6s %d\n", tiers[t], f->tier[t]);
		for (int i = 0, k = 0; i < f->suite.n; i++) {
			if ((int)f->suite.c[i].tier != t)
				continue;
			/* the first, middle and last case, because neighbours are similar */
			if (k == 0 || k == f->tier[t] / 2 || k == f->tier[t] - 1) {
				ay_str_clear(&b);
				ay_case_print(&b, f->suite.c[i].line);
				printf("    %s\n", ay_str_text(&b));
			}
			k++;
		}
	}
	ay_str_release(&b);
}

/* Prints the cases of a user's own list, which have no tiers. */
static void print_own_cases(const struct ay_entry_op *e, const struct ay_op_doc *f)
{
	struct ay_str b = { 0 };

	printf("\nCases (CASES of %s)\n", e->path);
	for (int i = 0; i < f->suite.n; i++) {
		ay_str_clear(&b);
		ay_case_print(&b, f->suite.c[i].line);
		printf("    %s\n", ay_str_text(&b));
	}
	ay_str_release(&b);
}

/* Prints which of the operator's cases its original benchmark has. */
static void print_original(struct app *app, const struct ay_entry_op *e)
{
	const struct ay_original_coverage *o = ay_original_coverage_find(e->name);

	if (!o)
		return;
	printf("\nThe original test (KernelGenBench; what it missed: %s)\n", e->path);
	show_wrapped(ay_sprintf(app->arena, "%d cases.%s%s%s%s%s%s", o->cases,
				o->broken ? " What is wrong with it: " : "", o->broken ? o->broken : "",
				o->broken ? ". The cases here are real ones." : "",
				o->why ? " Why the count differs: " : "", o->why ? o->why : "", o->why ? "." : ""),
		     2);
}

int show_page(struct app *app, const struct ay_entry_op *e, const struct ay_suite *cases, struct ay_op_doc *p,
	      struct ay_err *err)
{
	struct ay_op_doc_spec s = { .registry = app->registry, .op = e, .suite = cases };
	struct ay_err ignored = { 0 };
	struct ay_ceilings c;
	bool found;

	if (!ay_ceilings_load(&c, &found, &ignored) && found)
		s.ceilings = &c;
	return ay_op_doc_make(&s, app->arena, p, err);
}

static int print_page(struct app *app, const struct ay_entry_op *e, const struct ay_suite *cases,
		      struct ay_err *err)
{
	struct ay_op_doc *f = AY_NEW(app->arena, struct ay_op_doc);

	if (show_page(app, e, cases, f, err))
		return -1;
	printf("%s (%s, %s)\n\n", e->name, ay_entry_source(e), e->path);
	show_wrapped(e->op[0]->doc, 0);
	printf("\nOverloads\n");
	for (int k = 0; k < e->nschema; k++)
		printf("  %s\n", e->op[0]->schemas[k]);
	for (const struct ay_omitted *o = ay_omissions; o->name; o++)
		if (!strcmp(o->name, e->name))
			show_wrapped(ay_sprintf(app->arena, "No tensor kernels: %s (%s).", o->overloads,
						ay_omit_text(o->omit)),
				     2);
	printf("\nC prototypes (#include <assay/kernel.h>; docs/kernel-abi.md)\n");
	for (int k = 0; k < e->nschema; k++) {
		printf("  ");
		if (show_proto(app, e->schema[k], "c", err))
			return -1;
	}
	printf("\nPython, and Triton launched from it (docs/python.md)\n");
	for (int k = 0; k < e->nschema; k++) {
		printf("  ");
		if (show_proto(app, e->schema[k], "python", err))
			return -1;
	}
	print_section("How it is judged", ay_op_doc_say_judged, f);
	print_section("What it is tested with", ay_op_doc_say_tested, f);
	if (cases)
		print_own_cases(e, f);
	else
		print_cases(f);
	if (!cases)
		print_section("The floor on this machine", ay_op_doc_say_floors, f);
	print_original(app, e);
	ay_op_doc_release(f);
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

static int print_lang(struct app *app, const struct ay_entry_op *e, const struct ay_schema *only, const char *lang,
		      struct ay_err *err)
{
	if (is_c(lang))
		printf("#include <assay/kernel.h>\n");
	for (int k = 0; k < e->nschema; k++)
		if ((!only || e->schema[k] == only) && show_proto(app, e->schema[k], lang, err))
			return -1;
	return 0;
}

/* What to show, besides the operator. */
struct asked {
	const char *lang, *line;
	bool json;
	struct own_options own;
	struct ay_python python;
};

/* Finds the operator. With --ref its name may be omitted. */
static const struct ay_entry_op *find_op(struct app *app, const struct asked *q, int n, const char **argv,
					 const struct ay_schema **only, struct ay_err *err)
{
	const struct ay_entry_op *e;
	bool exact = false;

	*only = NULL;
	if (n > 1 || (!n && !q->own.file)) {
		ay_fail(err, AY_ERR_USAGE, "show: name one operator (see: assay ops)");
		return NULL;
	}
	e = n ? show_find(app, argv[0], q->python.wish, only, &exact, err) : q->own.ref.op;
	*only = exact ? *only : NULL;
	return e;
}

static int show(struct app *app, struct asked *q, int n, const char **argv, struct ay_err *err)
{
	const struct ay_suite *cases;
	const struct ay_schema *only;
	const struct ay_entry_op *e;

	if (q->line && n)
		return ay_fail(err, AY_ERR_USAGE, "show: a line of --case names its operator: leave '%s' out",
			       argv[0]);
	if (own_load(&q->own, app, &q->python, NULL, err))
		return -1;
	if (q->line)
		return show_case(app, q->line, err);
	e = find_op(app, q, n, argv, &only, err);
	if (!e)
		return -1;
	cases = e == q->own.ref.op ? &q->own.cases : NULL;
	return q->json             ? show_json(app, e, cases, err)
	       : q->lang           ? print_lang(app, e, only, q->lang, err)
	       : show_is_torchs(e) ? show_torch_page(app, e, err)
				   : print_page(app, e, cases, err);
}

int cmd_show(struct app *app, int argc, const char **argv, struct ay_err *err)
{
	struct asked q = { 0 };
	const struct opt opts[] = {
		{ "lang", OPT_TEXT, &q.lang, "L", "only the prototypes, for c, cuda, python or triton" },
		{ "case", OPT_TEXT, &q.line, "LINE", "show a case line instead" },
		{ "json", OPT_FLAG, &q.json, NULL, "as one JSON object" },
		OWN_OPTS(&q.own),
		{ "python", OPT_TEXT, &q.python.wish, "P",
		  "the interpreter that reads the file of --ref, or whose torch knows the operator" },
		{ 0 },
	};
	int n = opt_parse(argc, argv, opts, &usage, err), rc;

	if (n < 0)
		return opt_status(n);
	rc = show(app, &q, n, argv, err);
	own_close(&q.own);
	return rc ? EXIT_FAILED : EXIT_PASSED;
}
