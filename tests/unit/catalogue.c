/* SPDX-License-Identifier: Apache-2.0
 *
 * catalogue - compares the catalogue with its sources: PyTorch's own schemas, and the benchmark
 * that the set of operators comes from.
 */
#include "test.h"
#include "helpers.h"
#include "base/json.h"
#include "exec/python.h"
#include "op/original_coverage.h"

#include <string.h>

static struct ay_arena a;
static struct ay_err err;

/* Returns true if `word` is in the list, which is separated by spaces. */
static bool has_word(const char *list, const char *word)
{
	const size_t n = strlen(word);

	for (const char *p = strstr(list, word); p; p = strstr(p + 1, word))
		if ((p == list || p[-1] == ' ') && (!p[n] || p[n] == ' '))
			return true;
	return false;
}

static const struct ay_omitted *find_omitted(const struct ay_schema *s)
{
	const char *name = ay_sprintf(&a, "%s::%s", s->ns, s->base);

	for (const struct ay_omitted *o = ay_omissions; o->name; o++)
		if (!strcmp(o->name, name) && has_word(o->overloads, *s->overload ? s->overload : "default"))
			return o;
	return NULL;
}

/* Returns the schema in the operator's file, or NULL if no operator has this overload. */
static const char *find_schema(const struct ay_schema *s)
{
	const struct ay_registry *r = help_registry();

	for (int i = 0; i < r->n; i++)
		for (int k = 0; k < r->op[i].nschema; k++) {
			const struct ay_schema *t = r->op[i].schema[k];

			if (!strcmp(t->ns, s->ns) && !strcmp(t->base, s->base) &&
			    !strcmp(t->overload, s->overload))
				return r->op[i].op[0]->schemas[k];
		}
	return NULL;
}

static bool is_number(const struct ay_stype *t)
{
	return !t->list && (t->base == AY_TYPE_INT || t->base == AY_TYPE_FLOAT || t->base == AY_TYPE_BOOL ||
			    t->base == AY_TYPE_COMPLEX || t->base == AY_TYPE_SCALAR);
}

/* Returns true if the schema itself shows the reason for which it is left out. */
static bool reason_holds(enum ay_omit omit, const struct ay_schema *s)
{
	bool numbers = true, gives_tensor = false;

	for (int i = 0; i < s->narg; i++)
		numbers &= is_number(&s->arg[i].type);
	for (int i = 0; i < s->nret; i++) {
		numbers &= is_number(&s->ret[i].type);
		gives_tensor |= ay_stype_is_tensor(&s->ret[i].type);
	}
	switch (omit) {
	case AY_OMIT_NUMBERS: return numbers;
	/* no tensor may come first, because that would be an operator with a kernel */
	case AY_OMIT_LISTS:
		return !numbers && !gives_tensor && (s->arg[0].type.base != AY_TYPE_TENSOR || s->arg[0].type.list);
	case AY_OMIT_TWIN: return strstr(s->overload, "hacked_twin");
	case AY_OMIT_NAMED:
		for (int i = 0; i < s->narg; i++)
			if (s->arg[i].type.base == AY_TYPE_STR &&
			    (!strcmp(s->arg[i].name, "dim") || !strcmp(s->arg[i].name, "names")))
				return true;
		return false;
	case AY_OMIT_COUNT: break;
	}
	return false;
}

/* One overload of an operator of the set: here, letter by letter, or left out for a reason that
 * holds. */
static void check_overload(const char *text, const struct ay_schema *s)
{
	const struct ay_omitted *o = find_omitted(s);
	const char *mine = find_schema(s);

	CHECKF(mine || o, "not in the catalogue: %s", text);
	CHECKF(!mine || !o, "in the catalogue, and left out: %s", text);
	CHECKF(!o || reason_holds(o->omit, s), "left out as '%s': %s", o ? ay_omit_text(o->omit) : "", text);
}

/* The schemas of aten operators as the installed torch prints them. */
struct torch {
	char **line;
	int n;
};

static struct torch load_torch(void)
{
	const char *path, *printed;
	char *text, *save = NULL;
	size_t len;
	struct torch t = { 0 };

	CHECKF(!ay_python_find(&a, help_python(), &path, &err), "%s", err.msg);
	printed = ay_python_output(&a, path, "assay.schemas", NULL, &len, &err);
	CHECKF(printed, "%s", err.msg);
	if (!printed)
		return t;
	text = ay_strndup(&a, printed, len);
	for (size_t i = 0; i < len; i++)
		t.n += text[i] == '\n';
	t.line = AY_NEW_N(&a, char *, t.n + 1);
	t.n = 0;
	for (char *p = strtok_r(text, "\n", &save); p; p = strtok_r(NULL, "\n", &save)) {
		p[strcspn(p, "\t")] = 0;
		t.line[t.n++] = p;
	}
	return t;
}

static bool torch_has(const struct torch *t, const char *schema)
{
	for (int i = 0; i < t->n; i++)
		if (!strcmp(t->line[i], schema))
			return true;
	return false;
}

TEST_SLOW(catalogue_schemas_are_those_of_torch)
{
	const struct ay_registry *r = help_registry();
	const struct torch t = load_torch();
	int same = 0, seen = 0, omitted = 0;

	for (int i = 0; i < r->n; i++)
		for (int k = 0; k < r->op[i].nschema && !strcmp(r->op[i].schema[0]->ns, "aten"); k++, same++)
			CHECKF(torch_has(&t, r->op[i].op[0]->schemas[k]), "torch has not: %s",
			       r->op[i].op[0]->schemas[k]);
	CHECKF(same >= 258, "only %d schemas", same);
	for (int i = 0; i < t.n; i++) {
		struct ay_schema *s;
		const char *name = ay_strndup(&a, t.line[i], strcspn(t.line[i], ".("));

		if (!ay_original_coverage_find(name))
			continue;
		CHECKF(!ay_schema_parse(&a, t.line[i], &s, &err), "%s: %s", t.line[i], err.msg);
		if (err.code)
			return;
		check_overload(t.line[i], s);
		seen += !find_omitted(s);
		omitted += !!find_omitted(s);
	}
	/* 110 operators have these in torch 2.13, without those named here */
	CHECKF(seen == 258 && omitted == 131, "%d kernels, %d that are none", seen, omitted);
}

TEST(catalogue_reasons_can_be_wrong)
{
	static const struct {
		enum ay_omit omit;
		bool holds;
		const char *schema;
	} rows[] = {
		{ AY_OMIT_NUMBERS, true, "aten::sin.int(int a) -> float" },
		{ AY_OMIT_NUMBERS, false, "aten::sin(Tensor self) -> Tensor" },
		{ AY_OMIT_LISTS, true, "aten::sort.Tensor(Tensor[](a!) self, bool reverse=False) -> ()" },
		{ AY_OMIT_LISTS, true, "aten::eq.device(Device a, Device b) -> bool" },
		{ AY_OMIT_LISTS, false, "aten::item(Tensor self) -> Scalar" },
		{ AY_OMIT_LISTS, false, "aten::cat(Tensor[] tensors, int dim=0) -> Tensor" },
		{ AY_OMIT_TWIN, false, "aten::index.Tensor(Tensor self, Tensor?[] indices) -> Tensor" },
		{ AY_OMIT_NAMED, true, "aten::softmax.Dimname(Tensor self, str dim) -> Tensor" },
		{ AY_OMIT_NAMED, false, "aten::div.Tensor_mode(Tensor self, *, str? rounding_mode) -> Tensor" },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct ay_schema *s;

		CHECKF(!ay_schema_parse(&a, rows[i].schema, &s, &err), "%s", err.msg);
		CHECKF(reason_holds(rows[i].omit, s) == rows[i].holds, "%s", rows[i].schema);
	}
	CHECK(has_word("int int_float", "int_float") && !has_word("int_float", "int") && !has_word("", "int"));
}

/* --- the original ----------------------------------------------------------------------------- */

/* What of an operator's full cases has the original's place: as `assay ops --markdown` counts
 * it. */
static int count_grid(const struct ay_entry_op *e)
{
	struct ay_suite s = { 0 };
	int n = 0;

	CHECKF(!ay_suite_add_op(&s, &a, help_registry(), e, AY_FULL, &err), "%s", err.msg);
	for (int i = 0; i < s.n; i++)
		n += s.c[i].tier == AY_FULL && (!s.c[i].derived || !e->op[0]->cases[0].line);
	ay_suite_release(&s);
	return n;
}

TEST(catalogue_differences_have_a_reason)
{
	const struct ay_registry *r = help_registry();
	int rows = 0, found = 0;

	for (const struct ay_original_coverage *o = ay_original_coverages; o->name; o++)
		rows++;
	for (int i = 0; i < r->n; i++) {
		const struct ay_entry_op *e = &r->op[i];
		const struct ay_original_coverage *o = ay_original_coverage_find(e->name);
		int here;

		CHECKF(strcmp(ay_entry_source(e), "aten") || o || e->op[0]->flags & AY_EXTRA,
		       "%s: src/op/original_coverage.c does not know it", e->name);
		if (!o)
			continue;
		found++;
		here = count_grid(e);
		CHECKF((here != o->cases) == !!o->why, "%s: original %d, here %d: %s", e->name, o->cases, here,
		       o->why ? o->why : "no reason given");
	}
	CHECKF(found == 110 && rows == 110, "%d rows, %d of them operators", rows, found);
}

/* The list that the set was taken from is not part of the tree. If it is available, it is
 * compared. */
TEST(catalogue_is_the_original_list)
{
	const char *path = "shared/reference/catalogue.json";
	const char *const places[] = { path, ay_sprintf(&a, "../%s", path) };
	const json_t *ops;
	json_t *all = NULL;
	int overloads = 0;

	for (size_t i = 0; i < 2 && !all; i++)
		all = json_load_file(places[i], 0, NULL);
	if (!all)
		test_skip("there is no shared/reference/catalogue.json");
	ops = json_object_get(all, "operators");
	for (size_t i = 0; i < json_array_size(ops); i++) {
		const json_t *o = json_array_get(ops, i), *list = json_object_get(o, "overloads");
		const char *name = json_string_value(json_object_get(o, "name"));
		const struct ay_original_coverage *mine = ay_original_coverage_find(name);
		const json_t *grid = json_object_get(o, "test_grid");

		if (strcmp(json_string_value(json_object_get(o, "source")), "aten") != 0)
			continue;
		CHECKF(mine && mine->cases == json_integer_value(json_object_get(grid, "total_cases")), "%s",
		       name);
		CHECKF(mine && !!mine->broken ==
				       !!strcmp(json_string_value(json_object_get(o, "test_status_at_head")),
						"ok"),
		       "%s", name);
		for (size_t k = 0; k < json_array_size(list); k++, overloads++) {
			const char *text = json_string_value(json_array_get(list, k));
			struct ay_schema *s;

			CHECKF(!ay_schema_parse(&a, text, &s, &err), "%s: %s", text, err.msg);
			check_overload(text, s);
		}
	}
	CHECKF(overloads == 413, "%d overloads", overloads);
	json_decref(all);
}
