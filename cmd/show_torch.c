/* SPDX-License-Identifier: Apache-2.0
 *
 * show_torch - shows operators that the catalogue lacks and torch knows.
 */
#include "judge/torch_schemas.h"
#include "op/proto.h"
#include "show.h"

#include <stdio.h>
#include <string.h>

bool show_is_torchs(const struct ay_entry_op *e)
{
	return e->op[0]->flags & AY_UNCATALOGUED && !(e->op[0]->flags & AY_OWN);
}

const struct ay_entry_op *show_find(struct app *app, const char *name, const char *python,
				    const struct ay_schema **s, bool *exact, struct ay_err *err)
{
	const struct ay_entry_op *e = ay_registry_find(app->registry, name, s, exact, err);
	struct ay_python p = { .wish = python };
	struct ay_err why = { 0 };

	if (e)
		return e;
	if (ay_torch_schemas_load(app->registry, &p, NULL, &why)) {
		struct ay_err first = *err;

		ay_err_clear(err);
		ay_fail(err, AY_ERR_USAGE, "%s; other operators are asked of torch: %s", first.msg, why.msg);
		return NULL;
	}
	ay_err_clear(err);
	return ay_registry_find(app->registry, name, s, exact, err);
}

/* --- a line to begin with --------------------------------------------------------------------- */

/* Returns an example value of the argument's type. The operator may not accept it. */
static const char *some_value(const struct ay_stype *t)
{
	static const struct {
		enum ay_type base;
		const char *one, *list;
	} table[] = { { AY_TYPE_TENSOR, "T([2, 3], f32)", "[T([2, 3], f32)]" },
		      { AY_TYPE_INT, "1", "[3]" },
		      { AY_TYPE_SYMINT, "1", "[3]" },
		      { AY_TYPE_FLOAT, "0.5", "[0.5]" },
		      { AY_TYPE_SCALAR, "2", "[2]" },
		      { AY_TYPE_BOOL, "True", "[True]" },
		      { AY_TYPE_STR, "'none'", "['none']" },
		      { AY_TYPE_DTYPE, "torch.float32", NULL },
		      { AY_TYPE_LAYOUT, "torch.strided", NULL },
		      { AY_TYPE_FORMAT, "torch.contiguous_format", NULL } };

	if (t->optional || t->elem_optional)
		return t->list && t->elem_optional && !t->optional ? "[T([2, 3], f32)]" : "None";
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		if (table[i].base == t->base && (table[i].one || table[i].list))
			return t->list ? table[i].list : table[i].one;
	return NULL;
}

/* Appends "aten::NAME((...), {...})" with every argument without default. Returns false if a type
 * has no value in a case line. */
static bool add_line(struct ay_str *b, const struct ay_schema *s)
{
	bool keyword = false;
	int n = 0;

	ay_schema_name(b, s);
	ay_str_add(b, "((");
	for (int i = 0; i < s->narg; i++) {
		const struct ay_sarg *g = &s->arg[i];
		const char *value = some_value(&g->type);

		if (g->def || g->type.base == AY_TYPE_GENERATOR)
			continue;
		if (!value)
			return false;
		if (g->kwonly && !keyword) {
			ay_str_add(b, n == 1 ? ",), {" : "), {");
			keyword = true;
			n = 0;
		}
		ay_str_addf(b, "%s", n++ ? ", " : "");
		if (g->kwonly)
			ay_str_addf(b, "'%s': ", g->name);
		ay_str_add(b, value);
	}
	ay_str_add(b, keyword ? "})" : n == 1 ? ",), {})" : "), {})");
	return true;
}

/* --- the page --------------------------------------------------------------------------------- */

static void print_protos(struct app *app, const struct ay_entry_op *e)
{
	printf("\nC prototypes (#include <assay/kernel.h>; docs/kernel-abi.md)\n");
	for (int k = 0; k < e->nschema; k++) {
		struct ay_err none = { 0 };
		struct ay_str b = { 0 };
		struct ay_proto *p;

		if (ay_proto_make(app->arena, e->schema[k], &p, &none))
			ay_str_addf(&b, "(%s)", none.msg);
		else
			ay_proto_print(&b, p);
		printf("  %s\n", ay_str_text(&b));
		ay_str_release(&b);
	}
	printf("\nPython, and Triton launched from it (docs/python.md)\n");
	for (int k = 0; k < e->nschema; k++) {
		struct ay_str b = { 0 };

		ay_proto_python(&b, e->schema[k]);
		printf("  %s\n", ay_str_text(&b));
		ay_str_release(&b);
	}
}

static void print_how(const struct ay_entry_op *e)
{
	const char *base = e->schema[0]->base;
	struct ay_str b = { 0 };

	printf("\nHow it is judged\n");
	if (e->why) {
		printf("  It cannot be: %s. Its cases are SKIPPED.\n", e->why);
		return;
	}
	show_wrapped(
		"By ATen's own answer, computed in double on the same inputs, within a bound that docs/oracle.md "
		"tells. There is no list of its cases here: they come from you, from PyTorch's samples, or from "
		"a model.",
		2);
	if (add_line(&b, e->schema[0])) {
		printf("\n  assay check FILE --case \"%s\"\n", ay_str_text(&b));
		show_wrapped("a line of this form (docs/case-lines.md): the shapes and numbers are to be chosen "
			     "so that "
			     "torch takes them.",
			     6);
	} else {
		printf("\n  assay check FILE --case LINE        (docs/case-lines.md)\n");
	}
	printf("\n  assay eval --suite opinfo --ops %s --kernels DIR\n", base);
	show_wrapped("PyTorch's own samples of it, where it has some; `assay eval --suite opinfo --ops ... "
		     "--backend aten` "
		     "counts them.",
		     6);
	printf("\n  assay trace -- python model.py\n");
	show_wrapped("the calls of a model of yours as a suite (docs/traces.md).", 6);
	ay_str_release(&b);
}

int show_torch_page(struct app *app, const struct ay_entry_op *e, struct ay_err *err)
{
	(void)err;
	printf("%s (not in the catalogue; torch knows it)\n\nOverloads\n", e->name);
	for (int k = 0; k < e->nschema; k++) {
		struct ay_str b = { 0 };

		ay_schema_print(&b, e->schema[k]);
		printf("  %s\n", ay_str_text(&b));
		ay_str_release(&b);
	}
	print_protos(app, e);
	print_how(e);
	return 0;
}
