/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd.h"
#include "op/fill.h"
#include "op/original.h"
#include "op/proto.h"
#include "show.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct usage usage = {
	"assay show OP [options]\n       assay show --case LINE",
	"Describes an operator, so that a kernel can be written from the page: what it means, its overloads, the "
	"prototypes,\n"
	"how it is judged, what it is tested with, the cases, the floor on this machine. Nothing is timed.\n"
	"With --case: a line as it will be run, with every fill written out, and its tensors.",
	"  assay show aten::add\n"
	"  assay show aten::add.Tensor --lang c          only the prototype, ready to paste\n"
	"  assay show --case \"aten::relu((T([3], f32),), {}) seed=7\"\n",
};

static const char *const tiers[] = { "quick", "full", "perf" };

/* Triton kernels are called as Python ones are. */
static bool is_python(const char *lang)
{
	return !strcmp(lang, "python") || !strcmp(lang, "triton");
}

static int print_proto(struct app *app, const struct ay_schema *s, const char *lang, struct ay_err *err)
{
	struct ay_str b = { 0 };
	struct ay_proto *p;
	int rc = 0;

	if (is_python(lang))
		ay_proto_python(&b, s);
	else if (strcmp(lang, "c") != 0)
		rc = ay_fail(err, AY_ERR_USAGE, "--lang is c, python or triton, not '%s'", lang);
	else if (!(rc = ay_proto_make(app->arena, s, &p, err)))
		ay_proto_print(&b, p);
	printf("%s\n", ay_str_text(&b));
	ay_str_release(&b);
	return rc;
}

/* Lines of at most 100 columns, behind `indent` blanks. */
static void print_wrapped(const char *text, int indent)
{
	int col = 0;

	while (*text) {
		int n = (int)strcspn(text, " ");

		if (col && col + 1 + n > 100 - indent) {
			putchar('\n');
			col = 0;
		}
		if (!col)
			printf("%*s", indent, "");
		col += printf("%s%.*s", col ? " " : "", n, text);
		text += n + (text[n] == ' ');
	}
	putchar('\n');
}

/* The bound in words, and what it comes to in each dtype. */
static void print_bound(const struct ay_op *op, const struct facts *f)
{
	const double k = op->k_out ? op->k_out : 1;
	bool exact = false;

	printf("  |got - want| <= %g ulp(want) + %g u mag on every element; see docs/error-bound.md.\n", k,
	       AY_K_ACC);
	print_wrapped(k == AY_K_SAME
			      ? "One number is right: the one nearest to the exact value, but where the text "
				"above allows two."
			      : "ulp: from a number of the result's dtype to the next one. u: the rounding of the "
				"accumulator, 2^-24, for f64 2^-53. mag: how large what is rounded on the way is, "
				"and how often; the oracle knows it for every element. What that comes to:",
		      2);
	for (int dt = 0; dt < AY_DT_COUNT; dt++) {
		const struct bound_facts *b = &f->bound[dt];
		struct ay_str line = { 0 };

		exact |= f->results & 1ull << dt && ay_dt_is_integral(dt);
		if (!b->seen)
			continue;
		ay_case_print(&line, b->line);
		printf("    %-4s an ulp is up to %.1e of the value; ", ay_dt_info(dt)->name,
		       ldexp(1, 1 - ay_dt_info(dt)->mant));
		if (b->median > 0)
			printf("at least %.3g, median %.3g ulps in %s\n", b->least, b->median, ay_str_text(&line));
		else
			printf("exactly in %s\n", ay_str_text(&line));
		ay_str_release(&line);
	}
	if (exact)
		printf("    integers and bools: %s\n",
		       op->flags & AY_ROUNDED ? "as said above" : "exactly, wrapping as two's complement");
}

static void print_judgement(struct app *app, const struct ay_op *op, const struct facts *f)
{
	static const struct {
		unsigned flag;
		const char *text;
	} rules[] = {
		{ AY_EXACT, "Results must be bit-equal: they are copies or choices of inputs, or constants." },
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
	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
		if (op->flags & rules[i].flag)
			print_wrapped(rules[i].text, 2);
	if (has_bound(op))
		print_bound(op, f);
	if (op->rounds)
		print_wrapped(ay_sprintf(app->arena, "Rounded on the way: %s", op->rounds), 2);
	if (op->promises)
		print_wrapped(ay_sprintf(app->arena, "Not promised: %s", op->promises), 2);
	for (int i = 0; i < f->ndiffer; i++)
		print_wrapped(ay_sprintf(app->arena, "Where ATen on the CPU may differ, in %d cases: %s.",
					 f->differ[i].cases, f->differ[i].why),
			      2);
}

static void print_texts(const struct texts *t, int most, const char *between)
{
	for (int i = 0; i < t->n && i < most; i++)
		printf("%s%s", i ? between : "", t->text[i]);
	if (t->n > most)
		printf("%s... (%d in all)", between, t->n);
}

static void print_tested(const struct facts *f)
{
	const char *between = "";

	printf("\nWhat it is tested with\n");
	for (int i = 0; i < f->narg; i++) {
		const struct arg_facts *g = &f->arg[i];

		if (!g->value.n) /* a generator */
			continue;
		printf("  %-14s", g->name);
		for (int dt = 0; dt < AY_DT_COUNT; dt++)
			if (g->dtypes & 1ull << dt)
				printf(" %s", ay_dt_info(dt)->name);
		printf(g->dtypes ? "\n  %-14s " : " ", "");
		print_texts(&g->value, 8, g->dtypes ? " " : ", ");
		if (g->dtypes)
			printf("; up to %lld elements", (long long)g->most);
		printf("\n");
	}
	printf("  %-14s ", "layouts");
	for (int k = 0; layout_word(k); k++)
		if (f->layout[k]) {
			printf("%s%s %d", between, layout_word(k), f->layout[k]);
			between = ", ";
		}
	printf("%s\n", *between ? " (cases with such a tensor)" : "dense");
	if (f->fills.n) {
		printf("  %-14s ", "values");
		print_texts(&f->fills, 24, ", ");
		printf("\n");
	}
}

static void print_cases(const struct facts *f)
{
	struct ay_str b = { 0 };

	printf("\nCases (of which %d are made from others, as their out= or in-place forms)\n", f->derived);
	for (int t = 0; t <= AY_PERF; t++) {
		printf("  %-6s %d\n", tiers[t], f->tier[t]);
		for (int i = 0, k = 0; i < f->suite.n; i++) {
			if ((int)f->suite.c[i].tier != t)
				continue;
			/* the first, one from the middle, the last: neighbours are alike */
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

static void print_floors(const struct facts *f)
{
	struct ay_str b = { 0 };

	printf("\nThe floor on this machine\n");
	if (!f->nfloor)
		printf("  There is nothing to time.\n");
	else if (!f->measured)
		printf("  Bytes that must be touched and FLOPs of the usual algorithm; speeds are not measured "
		       "yet "
		       "(assay doctor --calibrate).\n");
	else
		printf("  Bytes that must be touched, at the highest speed that memory has shown; FLOPs are told, "
		       "but are no floor.\n");
	for (int i = 0; i < f->nfloor; i++) {
		const struct floor_facts *k = &f->floor[i];

		ay_str_clear(&b);
		ay_case_print(&b, k->line);
		printf("  %s\n    %.0f bytes", ay_str_text(&b), k->bytes);
		if (f->measured)
			printf(" in %.1f us by one thread, %.1f us by %d", k->ns_one / 1e3, k->ns_all / 1e3,
			       f->ceilings.cpus);
		if (k->flops > 0)
			printf("; %.0f FLOPs", k->flops);
		if (f->measured && k->flops > 0)
			printf(" in %.1f us by %d", k->ns_flops / 1e3, f->ceilings.cpus);
		printf("\n");
	}
	ay_str_release(&b);
}

/* What the benchmark that it was taken from has of it. */
static void print_original(struct app *app, const struct ay_entry_op *e)
{
	const struct ay_original *o = ay_original_find(e->name);

	if (!o)
		return;
	printf("\nThe original test (KernelGenBench; what it missed: %s)\n", e->path);
	print_wrapped(ay_sprintf(app->arena, "%d cases.%s%s%s%s%s%s", o->cases,
				 o->broken ? " What is wrong with it: " : "", o->broken ? o->broken : "",
				 o->broken ? ". The cases here are real ones." : "",
				 o->why ? " Why the count differs: " : "", o->why ? o->why : "",
				 o->why ? "." : ""),
		      2);
}

static int print_page(struct app *app, const struct ay_entry_op *e, struct ay_err *err)
{
	struct facts *f = AY_NEW(app->arena, struct facts);

	if (facts_gather(app, e, f, err))
		return -1;
	printf("%s (%s, %s)\n\n", e->name, ay_entry_source(e), e->path);
	print_wrapped(e->op[0]->doc, 0);
	printf("\nOverloads\n");
	for (int k = 0; k < e->nschema; k++)
		printf("  %s\n", e->op[0]->schemas[k]);
	for (const struct ay_omitted *o = ay_omissions; o->name; o++)
		if (!strcmp(o->name, e->name))
			print_wrapped(ay_sprintf(app->arena, "No tensor kernels: %s (%s).", o->overloads,
						 ay_omit_text(o->omit)),
				      2);
	printf("\nC prototypes (#include <assay/kernel.h>; docs/kernel-abi.md)\n");
	for (int k = 0; k < e->nschema; k++) {
		printf("  ");
		if (print_proto(app, e->schema[k], "c", err))
			return -1;
	}
	printf("\nPython, and Triton launched from it (docs/python.md)\n");
	for (int k = 0; k < e->nschema; k++) {
		printf("  ");
		if (print_proto(app, e->schema[k], "python", err))
			return -1;
	}
	print_judgement(app, e->op[0], f);
	print_tested(f);
	print_cases(f);
	print_floors(f);
	print_original(app, e);
	facts_release(f);
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
		{ "lang", OPT_TEXT, &lang, "L", "only the prototypes, for c, python or triton" },
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
		return show_json(app, e, err) ? EXIT_FAILED : EXIT_PASSED;
	if (!lang)
		return print_page(app, e, err) ? EXIT_FAILED : EXIT_PASSED;
	if (!strcmp(lang, "c"))
		printf("#include <assay/kernel.h>\n");
	for (int k = 0; k < e->nschema; k++)
		if ((!exact || e->schema[k] == s) && print_proto(app, e->schema[k], lang, err))
			return EXIT_FAILED;
	return EXIT_PASSED;
}
