/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"
#include "base/file.h"
#include "op/schema.h"

#include <jansson.h>
#include <string.h>

/* --- helpers ---------------------------------------------------------------------------------- */

static struct ay_schema *parse(struct ay_arena *a, const char *text)
{
	struct ay_err err = { 0 };
	struct ay_schema *s = NULL;

	if (ay_schema_parse(a, text, &s, &err)) {
		CHECKF(false, "%s\n      %s", text, err.msg);
		return NULL;
	}
	return s;
}

static void check_exact(struct ay_arena *a, const char *text)
{
	struct ay_schema *s = parse(a, text);
	struct ay_str b = { 0 };

	if (!s)
		return;
	ay_schema_print(&b, s);
	CHECK_STR(ay_str_text(&b), text);
	ay_str_release(&b);
}

static const char *signature(struct ay_arena *a, const struct ay_schema *s)
{
	struct ay_str b = { 0 };
	const char *text;

	ay_schema_signature(&b, s);
	text = ay_strdup(a, ay_str_text(&b));
	ay_str_release(&b);
	return text;
}

/* Calls fn for each line that is neither blank nor a comment. */
static void each_line(struct ay_arena *a, const char *path, void (*fn)(struct ay_arena *, char *), int *n)
{
	struct ay_err err = { 0 };
	char *text, *line, *save = NULL;
	size_t len;

	if (ay_file_read(a, path, 1 << 20, &text, &len, &err)) {
		CHECKF(false, "%s", err.msg);
		return;
	}
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		if (line[0] != '#') {
			fn(a, line);
			++*n;
		}
}

/* --- own corpus ------------------------------------------------------------------------------- */

static void exact_line(struct ay_arena *a, char *line)
{
	check_exact(a, line);
}

TEST(schema_corpus_prints_back)
{
	struct ay_arena a = { 0 };
	int n = 0;

	each_line(&a, "tests/data/schemas.txt", exact_line, &n);
	CHECKF(n >= 60, "only %d schemas", n);
	ay_arena_release(&a);
}

TEST(schema_parts)
{
	struct ay_arena a = { 0 };
	struct ay_schema *s = parse(
		&a, "ns::f_.out(Tensor?[] xs, int[2]? k=[1, 1], *, float eps=9.9999999999999995e-07, "
		    "Tensor(b!) out, MemoryFormat? m=contiguous_format) -> (Tensor(b!), Tensor y)");

	if (!s)
		return;
	CHECK_STR(s->ns, "ns");
	CHECK_STR(s->base, "f_");
	CHECK_STR(s->overload, "out");
	CHECK(s->narg == 5 && s->nret == 2);
	CHECK(s->arg[0].type.elem_optional && s->arg[0].type.list && s->arg[0].type.list_size == -1);
	CHECK(!s->arg[0].type.optional && !s->arg[0].def && !s->arg[0].kwonly);
	CHECK(s->arg[1].type.list_size == 2 && s->arg[1].type.optional && s->arg[1].def->kind == AY_V_LIST);
	CHECK(s->arg[2].kwonly && s->arg[2].def->kind == AY_V_FLOAT && s->arg[2].def->f == 1e-6);
	CHECK_STR(s->arg[2].def_text, "9.9999999999999995e-07");
	CHECK_STR(s->arg[3].type.alias, "b!");
	CHECK(s->arg[4].def->kind == AY_V_SYM && !strcmp(s->arg[4].def->s, "contiguous_format"));
	CHECK(!s->ret[0].name && !strcmp(s->ret[1].name, "y"));
	CHECK(ay_schema_ret_arg(s, 0) == 3 && ay_schema_ret_arg(s, 1) == -1);
	CHECK(ay_schema_out(s) && !ay_schema_inplace(s) && ay_schema_is_kernel(s));
	CHECK(s->arg[0].col == 12);
	ay_arena_release(&a);
}

TEST(schema_predicates)
{
	static const struct {
		const char *text;
		bool inplace, out, kernel;
	} t[] = {
		{ "aten::add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)", true, false,
		  true },
		{ "aten::__and__.Tensor(Tensor self, Tensor other) -> Tensor", false, false, true },
		{ "aten::abs.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)", false, true, true },
		{ "aten::rms(Tensor(a!) out, Tensor x) -> ()", false, false, true },
		{ "aten::add.int(int a, int b) -> int", false, false, false },
		{ "aten::add.t(t[] a, t[] b) -> t[]", false, false, false },
		{ "aten::cat.names(Tensor[] tensors, str dim) -> Tensor", false, false, false },
		{ "aten::scatter.reduce(Tensor self, int dim, Tensor index, Tensor src, *, str reduce) -> Tensor",
		  false, false, true },
		{ "aten::sort.Tensor(Tensor[](a!) self, bool reverse=False) -> ()", false, false, false },
		{ "aten::split.out(Tensor self, *, Tensor(a!)[] out) -> ()", false, true, true },
		{ "aten::_(Tensor(a!) self) -> ()", false, false, true },
	};
	struct ay_arena a = { 0 };

	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		struct ay_schema *s = parse(&a, t[i].text);

		if (!s)
			continue;
		CHECKF(ay_schema_inplace(s) == t[i].inplace, "inplace: %s", t[i].text);
		CHECKF(ay_schema_out(s) == t[i].out, "out: %s", t[i].text);
		CHECKF(ay_schema_is_kernel(s) == t[i].kernel, "kernel: %s", t[i].text);
	}
	ay_arena_release(&a);
}

TEST(schema_signature_joins_forms)
{
	static const char *const forms[] = {
		"aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
		"aten::add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)",
		"aten::add.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)",
	};
	struct ay_arena a = { 0 };

	for (int i = 0; i < 3; i++)
		CHECK_STR(signature(&a, parse(&a, forms[i])),
			  "aten::add(Tensor self, Tensor other, Scalar alpha)");
	CHECK_STR(signature(&a,
			    parse(&a, "aten::zeros(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, "
				      "Device? device=None, bool? pin_memory=None) -> Tensor")),
		  "aten::zeros(SymInt[] size)");
	ay_arena_release(&a);
}

TEST(schema_broken)
{
	static const struct {
		const char *text;
		int col;
	} t[] = {
		{ "", 1 },
		{ "add(Tensor a) -> Tensor", 1 },
		{ "aten.add(Tensor a) -> Tensor", 1 },
		{ "aten::(Tensor a) -> Tensor", 7 },
		{ "aten::add.(Tensor a) -> Tensor", 11 },
		{ "aten::add Tensor a) -> Tensor", 11 },
		{ "aten::add(Tensr a) -> Tensor", 11 },
		{ "aten::add(Tensor) -> Tensor", 17 },
		{ "aten::add(Tensor a, ) -> Tensor", 21 },
		{ "aten::add(Tensor a Tensor b) -> Tensor", 20 },
		{ "aten::add(Tensor a, *) -> Tensor", 22 },
		{ "aten::add(*, int a, *, int b) -> Tensor", 21 },
		{ "aten::add(Tensor a, int a) -> Tensor", 25 },
		{ "aten::add(Tensor a) Tensor", 21 },
		{ "aten::add(Tensor a) ->", 23 },
		{ "aten::add(Tensor a) -> Tensor,", 30 },
		{ "aten::add(Tensor a) -> (Tensor, ", 33 },
		{ "aten::add(Tensor a) -> (Tensor", 31 },
		{ "aten::add(Tensor(a! self) -> Tensor", 21 },
		{ "aten::add(Tensor() self) -> Tensor", 18 },
		{ "aten::add(Tensor(a)[](b) self) -> Tensor", 23 },
		{ "aten::add(int[0] a) -> Tensor", 15 },
		{ "aten::add(int[x] a) -> Tensor", 15 },
		{ "aten::add(int[][] a) -> Tensor", 16 },
		{ "aten::add(int a=) -> Tensor", 17 },
		{ "aten::add(int a=99999999999999999999) -> Tensor", 17 },
		{ "aten::add(Tensor a=T([2], f32)) -> Tensor", 20 },
		{ "aten::add(str a='x) -> Tensor", 17 },
		{ "aten::add(...) -> Tensor", 11 },
		{ "aten::a(Tensor x) -> Tensor x y", 31 },
	};
	struct ay_arena a = { 0 };

	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		struct ay_err err = { 0 };
		struct ay_schema *s;
		char want[32];

		CHECKF(ay_schema_parse(&a, t[i].text, &s, &err) == -1, "parses: %s", t[i].text);
		CHECKF(err.code == AY_ERR_PARSE && err.col == t[i].col, "want column %d: %s\n      got %s",
		       t[i].col, t[i].text, err.msg);
		snprintf(want, sizeof want, "column %d: ", t[i].col);
		CHECKF(ay_starts(err.msg, want), "%s", err.msg);
	}
	ay_arena_release(&a);
}

/* --- the catalogue ---------------------------------------------------------------------------- */

enum { MAX_SCHEMAS = 1000 };

static int load_catalogue(struct ay_arena *a, struct ay_schema **all)
{
	json_error_t je;
	json_t *root = json_load_file(test_shared("reference/catalogue.json"), 0, &je), *op, *text;
	size_t i, k;
	int n = 0;

	CHECKF(root, "%s", je.text);
	json_array_foreach(json_object_get(root, "operators"), i, op)
	{
		/* "overloads" of the other sources are function names, not schemas */
		json_array_foreach(json_object_get(op, "overloads"), k, text)
		{
			if (n < MAX_SCHEMAS && json_string_value(text) &&
			    (all[n] = parse(a, json_string_value(text))))
				n++;
			check_exact(a, json_string_value(text));
		}
	}
	json_decref(root);
	return n;
}

TEST(schema_catalogue_prints_back)
{
	struct ay_arena a = { 0 };
	struct ay_schema *all[MAX_SCHEMAS];
	int n = load_catalogue(&a, all), tensors = 0, kernels = 0;

	for (int i = 0; i < n; i++) {
		bool tensor = false;

		for (int k = 0; k < all[i]->narg; k++)
			tensor |= ay_stype_is_tensor(&all[i]->arg[k].type);
		for (int k = 0; k < all[i]->nret; k++)
			tensor |= ay_stype_is_tensor(&all[i]->ret[k].type);
		tensors += tensor;
		kernels += ay_schema_is_kernel(all[i]);
	}
	CHECKF(n == 413, "%d schemas", n);
	CHECKF(tensors == 288, "%d with tensors", tensors);
	/* 24 of them name dimensions by strings, and sort.Tensor sorts a TorchScript list */
	CHECKF(kernels == 263, "%d kernels", kernels);
	ay_arena_release(&a);
}

static bool writes(const struct ay_schema *s)
{
	for (int i = 0; i < s->narg; i++)
		if (ay_stype_written(&s->arg[i].type))
			return true;
	return false;
}

/* All 117 out= forms have a form without out= by signature. 116 of these write nothing;
 * rrelu_with_noise writes its noise in every form. */
TEST(schema_catalogue_out_forms_pair)
{
	struct ay_arena a = { 0 };
	struct ay_schema *all[MAX_SCHEMAS];
	const char *sig[MAX_SCHEMAS];
	int n = load_catalogue(&a, all), outs = 0, paired = 0, pure = 0;

	for (int i = 0; i < n; i++)
		sig[i] = signature(&a, all[i]);
	for (int i = 0; i < n; i++) {
		int partner = -1;

		if (!ay_schema_out(all[i]))
			continue;
		outs++;
		for (int k = 0; k < n; k++)
			if (!ay_schema_out(all[k]) && !ay_schema_inplace(all[k]) && !strcmp(sig[i], sig[k]))
				partner = k;
		paired += partner >= 0;
		pure += partner >= 0 && !writes(all[partner]);
	}
	CHECKF(outs == 117, "%d out forms", outs);
	CHECKF(paired == 117, "%d pairs", paired);
	CHECKF(pure == 116, "%d pairs with a function that writes nothing", pure);
	ay_arena_release(&a);
}
