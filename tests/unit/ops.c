/* SPDX-License-Identifier: Apache-2.0
 *
 * ops - tests that every operator must pass. They run for all operators, so a new file is tested
 * automatically.
 */
#include "test.h"
#include "helpers.h"
#include "op/drawn.h"
#include "op/fill.h"
#include "../../cmd/mutants.h"
#include "base/file.h"
#include "oracle/oracle.h"

#include <stdlib.h>
#include <string.h>

static struct ay_arena keep, one;

static const char *text_of(const struct ay_case *line)
{
	struct ay_str b = { 0 };
	const char *s;

	ay_case_print(&b, line);
	s = ay_strdup(&one, ay_str_text(&b));
	ay_str_release(&b);
	return s;
}

/* Returns the operator that this process tests. */
static const struct ay_entry_op *the_operator(void)
{
	struct ay_err err = { 0 };
	const struct ay_entry_op *e = help_operator(test_arg(), &err);

	if (!e)
		test_skip("%s", err.msg);
	return e;
}

typedef void (*each_fn)(const struct ay_entry_op *e, const struct ay_suite_case *sc, struct ay_call *c);

/* Binds case k of the suite with a fixed seed. Fails the test and returns NULL if it does not bind. */
static struct ay_call *bind_case(const struct ay_entry_op *e, const struct ay_suite *s, int k)
{
	struct ay_case *line = AY_NEW(&one, struct ay_case);
	struct ay_err err = { 0 };
	struct ay_call *c;

	*line = *s->c[k].line;
	line->has_seed = true;
	line->seed = (uint64_t)k + 1;
	if (!ay_call_bind(&one, e->op[0], s->c[k].schema, line, &c, &err))
		return c;
	test_fail(__FILE__, __LINE__, "%s\n      %s", text_of(line), err.msg);
	return NULL;
}

/* Calls fn for every case of the operator up to a tier. */
static void each_case(enum ay_tier max, each_fn fn)
{
	const struct ay_entry_op *e = the_operator();
	struct ay_suite s = { 0 };
	struct ay_err err = { 0 };

	if (ay_suite_add_op(&s, &keep, help_registry(), e, max, &err))
		test_fail(__FILE__, __LINE__, "%s: %s", e->name, err.msg);
	CHECKF(s.n > 0, "%s has no cases", e->name);
	for (int k = 0; k < s.n; k++) {
		struct ay_call *c;

		ay_arena_clear(&one);
		c = bind_case(e, &s, k);
		if (c)
			fn(e, &s.c[k], c);
	}
	ay_suite_release(&s);
	ay_arena_release(&keep);
}

TEST_EACH(ops_are_described, help_list_operators)
{
	const struct ay_entry_op *e = the_operator();
	const struct ay_op *op = e->op[0];

	CHECKF(op->doc && strlen(op->doc) > 20, "%s (%s): write its .doc", e->name, e->path);
	CHECKF(op->reference || op->check || op->scalar || op->flags & AY_META,
	       "%s: it has neither reference nor check", e->name);
	CHECKF(op->cost, "%s: say what it costs", e->name);
	CHECKF(!(op->flags & AY_RANDOM) == !op->draw, "%s: .draw is for random operators, and all of them",
	       e->name);
	for (int k = 0; k < e->nschema; k++) {
		const struct ay_schema *s = e->schema[k];

		CHECKF(ay_schema_is_kernel(s), "%s: schema %d is no tensor kernel", e->name, k);
		for (int n = 0; n < s->nret; n++)
			CHECKF(ay_stype_is_tensor(&s->ret[n].type) || op->scalar,
			       "%s returns a number: say which in .scalar", e->name);
	}
}

static void check_cost(const struct ay_entry_op *e, const struct ay_suite_case *sc, struct ay_call *c)
{
	struct ay_cost k = { 0 };

	(void)sc;
	e->op[0]->cost(c, &k);
	CHECKF(k.flops >= 0, "%s: negative cost", e->name);
}

TEST_EACH(ops_all_cases_bind_and_have_a_cost, help_list_operators)
{
	each_case(AY_PERF, check_cost);
}

/* The printed line parses to an equal line, so the line of every report can be pasted. */
static void check_roundtrip(const struct ay_entry_op *e, const struct ay_suite_case *sc, struct ay_call *c)
{
	const char *text = text_of(sc->line);
	struct ay_err err = { 0 };
	struct ay_case *back;

	(void)e, (void)c;
	CHECKF(!ay_case_parse(&one, text, strlen(text), &back, &err) && ay_case_equal(back, sc->line), "%s: %s",
	       text, err.msg);
}

TEST_EACH(ops_case_lines_round_trip, help_list_operators)
{
	each_case(AY_PERF, check_roundtrip);
}

static void produce(const struct ay_entry_op *e, struct ay_call *c, int acc_bits)
{
	struct ay_compare q = { .op = e, .call = c, .threads = 1, .acc_bits = acc_bits };
	const struct ay_view **dst = AY_NEW_N(&one, const struct ay_view *, c->nout + 1);

	for (int k = 0; k < c->nout; k++)
		dst[k] = &c->out[k]->view;
	ay_oracle_produce(&q, dst);
}

/* The reference, rounded, is a right answer; so is one that accumulates in f32 (f64 results: in
 * f64). */
static void check_honest(const struct ay_entry_op *e, const struct ay_suite_case *sc, struct ay_call *c)
{
	const struct ay_op *op = e->op[ay_call_num_type(c)];
	struct ay_compare q = { .op = e, .call = c, .threads = 1 };
	struct ay_diff *d = AY_NEW_N(&one, struct ay_diff, c->nout + 1);
	bool f64 = c->nout && ay_u_acc(c->out[0]->view.dt) < 0x1p-30,
	     integers = c->nout && ay_dt_is_integral(c->out[0]->view.dt);

	if (!op->reference)
		return;
	for (int pass = 0; pass < 2; pass++) {
		const struct ay_view **got = AY_NEW_N(&one, const struct ay_view *, c->nout + 1);
		struct ay_finding f = { .index = -1 };

		ay_fill_call(&one, c);
		produce(e, c, !pass || integers ? 0 : f64 ? 53 : 24);
		ay_oracle_compare(&q, d);
		for (int k = 0; k < c->nout; k++) {
			got[k] = &c->out[k]->view;
			CHECKF(!d[k].bad, "%s\n      pass %d: output %d at %lld: want %Lg, got %Lg, bound %Lg",
			       text_of(c->line), pass, k, (long long)d[k].first, d[k].want, d[k].got, d[k].bound);
			/* a case that proves nothing must not be in a suite; a drawn one may be weak by
			 * chance */
			CHECKF(sc->derived || sc->drawn || e->op[0]->flags & (AY_RANDOM | AY_CONSTANT) ||
				       d[k].n < 32 || (d[k].zeros * 20 < d[k].n * 19 && d[k].least != d[k].most),
			       "%s is a weak case for output %d", text_of(c->line), k);
		}
		if (op->check && !(op->flags & AY_RANDOM)) {
			op->check(c, got, &f);
			CHECKF(!f.text[0], "%s: its own check says: %s", text_of(c->line), f.text);
		}
	}
}

TEST_EACH(ops_honest_answers_pass_and_no_case_is_weak, help_list_operators)
{
	each_case(AY_QUICK, check_honest);
}

/* DRAWN cases of each overload bind and have a cost; the reference passes its own bound on ANSWERED of
 * them. */
TEST_EACH(ops_drawn_cases_bind_and_honest_answers_pass, help_list_operators)
{
	enum { DRAWN = 1000, ANSWERED = 100 };
	const struct ay_entry_op *e = the_operator();
	const struct ay_drawing how = { .seed = 1, .n = DRAWN };
	struct ay_suite s = { 0 };
	struct ay_err err = { 0 };

	CHECKF(!ay_suite_add_drawn(&s, &keep, help_registry(), e, &how, &err), "%s", err.msg);
	CHECKF(s.n >= DRAWN * 9 / 10, "%s: %d drawn cases; its file says in .vary what may vary", e->name, s.n);
	for (int k = 0; k < s.n; k++) {
		struct ay_call *c;

		ay_arena_clear(&one);
		c = bind_case(e, &s, k);
		if (!c)
			continue;
		check_cost(e, &s.c[k], c);
		check_roundtrip(e, &s.c[k], c);
		if (k % (s.n / ANSWERED + 1) == 0)
			check_honest(e, &s.c[k], c);
	}
	ay_suite_release(&s);
	ay_arena_release(&keep);
}

/* BackendBench's H14: one dtype and simple layouts prove little. */
static struct {
	uint64_t dtypes;
	bool floats, read, offset, strided, special;
} met;

static void note_unfriendly(const struct ay_call *c)
{
	for (int i = 0; i < c->noperand; i++) {
		const struct ay_operand *o = c->operand[i];

		if (o->role == AY_RESULT)
			continue;
		met.dtypes |= 1ull << o->view.dt;
		met.floats |= !ay_dt_is_integral(o->view.dt);
		met.read |= o->role != AY_OUT;
		met.offset |= o->view.offset > 0;
		met.strided |= ay_numel_of(&o->view) > 1 && !ay_view_is_dense(&o->view);
	}
}

static void list_torch_operators(test_add_value_fn add)
{
	const struct ay_registry *r = help_registry();

	for (int i = 0; i < r->n; i++)
		if (help_is_torch(&r->op[i]) && help_is_meant(&r->op[i]))
			add(r->op[i].name);
}

TEST_EACH(ops_cases_are_not_friendly, list_torch_operators)
{
	const struct ay_entry_op *e = the_operator();
	const struct ay_op *op = e->op[0];
	struct ay_suite s = { 0 };
	struct ay_err err = { 0 };

	CHECKF(!ay_suite_add_op(&s, &keep, help_registry(), e, AY_FULL, &err), "%s", err.msg);
	for (int k = 0; k < s.n; k++) {
		struct ay_call *c;

		ay_arena_clear(&one);
		if (!ay_call_bind(&one, op, s.c[k].schema, s.c[k].line, &c, &err)) {
			note_unfriendly(c);
			met.special |= !!strstr(text_of(s.c[k].line), "fill=special") ||
				       !!strstr(text_of(s.c[k].line), "fill=nonfinite");
		}
	}
	if (met.dtypes) { /* some operators take no tensor at all */
		CHECKF(__builtin_popcountll(met.dtypes) >= 3, "%s: fewer than three dtypes", e->name);
		CHECKF(met.offset, "%s: no offset", e->name);
		CHECKF(met.strided || op->scalar || op->flags & AY_ONE, "%s: no strides", e->name);
		/* item has them as data=; probabilities, integers and operators that read no values
		 * have none */
		CHECKF(met.special || !met.floats || op->scalar || !met.read || op->flags & (AY_RANDOM | AY_META),
		       "%s: no special values", e->name);
	}
	ay_suite_release(&s);
}

/* H15: an index without meaning tests nothing. What an operand's values count: */
enum counts {
	ALONG_DIM, /* places along the argument dim of the first tensor */
	ROWS,      /* those of its first dimension */
	/* places along the dimension that a list's entry stands for, also from the end; masks
	 * count nothing */
	BY_PLACE,
};

static const struct indexed {
	const char *base, *name;
	enum counts counts;
} indexed[] = {
	{ "gather", "index", ALONG_DIM },
	{ "index_select", "index", ALONG_DIM },
	{ "scatter", "index", ALONG_DIM },
	{ "embedding", "indices", ROWS },
	{ "index", "indices", BY_PLACE },
	{ "index_put_", "indices", BY_PLACE },
	{ "_index_put_impl_", "indices", BY_PLACE },
};

static int64_t range_of(const struct indexed *x, const struct ay_call *c, const struct ay_operand *o)
{
	const struct ay_view *first = &c->operand[0]->view;
	struct ay_err err = { 0 };
	int d = x->counts == ALONG_DIM && first->ndim ? ay_dim_wrap(ay_int(c, "dim"), first->ndim, &err) : 0;

	for (int i = 0; x->counts == BY_PLACE && c->arg[1].t[i] != o; i++) {
		const struct ay_operand *before = c->arg[1].t[i];

		d += before && before->view.dt == AY_DT_B8 ? before->view.ndim : 1;
	}
	return first->ndim ? first->shape[d] : 1;
}

static const struct indexed *find_indexed(const struct ay_entry_op *e, const struct ay_operand *o)
{
	for (size_t i = 0; i < sizeof indexed / sizeof *indexed && o->view.dt != AY_DT_B8; i++)
		if (!strcmp(indexed[i].base, e->schema[0]->base) && !strcmp(indexed[i].name, o->name))
			return &indexed[i];
	return NULL;
}

static int64_t indices_seen;

/* Lists the operators of the table above. */
static void list_indexed(test_add_value_fn add)
{
	const struct ay_registry *r = help_registry();

	for (int i = 0; i < r->n; i++)
		for (size_t k = 0; k < sizeof indexed / sizeof *indexed; k++)
			if (!strcmp(indexed[k].base, r->op[i].schema[0]->base) && help_is_meant(&r->op[i])) {
				add(r->op[i].name);
				break;
			}
}

static void check_indices(const struct ay_entry_op *e, const struct ay_suite_case *sc, struct ay_call *c)
{
	ay_fill_call(&one, c);
	for (int i = 0; i < c->noperand; i++) {
		const struct ay_operand *o = c->operand[i];
		const struct indexed *d = find_indexed(e, o);
		const int64_t range = d ? range_of(d, c, o) : 0, least = d && d->counts == BY_PLACE ? -range : 0;

		for (int64_t k = 0; d && k < ay_numel_of(&o->view); k++) {
			const uint8_t *at = (const uint8_t *)o->view.data +
					    ay_view_at(&o->view, k) * ay_dt_info(o->view.dt)->bytes;
			int64_t x = o->view.dt == AY_DT_I64 ? *(const int64_t *)at : *(const int32_t *)at;

			CHECKF(x >= least && x < range, "%s: index %lld of %lld", text_of(sc->line), (long long)x,
			       (long long)range);
			indices_seen++;
		}
	}
}

TEST_EACH(ops_index_tensors_hold_indices, list_indexed)
{
	each_case(AY_QUICK, check_indices);
	CHECKF(indices_seen > 100, "only %lld", (long long)indices_seen);
}

/* Edges that every operator's quick cases must have, unless its definition forbids them. */
struct edges {
	bool empty, single, odd, strided;
};

static struct edges found;

/* An affine map has at least six numbers, and a place has two. */
static bool can_be_single(const char *name)
{
	return strcmp(name, "aten::affine_grid_generator") != 0;
}

static void note_edges(const struct ay_entry_op *e, const struct ay_suite_case *sc, struct ay_call *c)
{
	(void)e;
	for (int i = 0; i < c->noperand && !sc->derived; i++) {
		int64_t n = ay_numel_of(&c->operand[i]->view);

		found.empty |= n == 0;
		found.single |= n == 1;
		found.odd |= n > 1 && n % 2;
		found.strided |= n > 1 && !ay_view_is_dense(&c->operand[i]->view);
	}
}

TEST_EACH(ops_have_their_edges, help_list_operators)
{
	const struct ay_entry_op *e = the_operator();
	struct ay_suite s = { 0 };
	struct ay_err err = { 0 };

	if (ay_suite_add_op(&s, &keep, help_registry(), e, AY_QUICK, &err))
		test_fail(__FILE__, __LINE__, "%s", err.msg);
	for (int k = 0; k < s.n; k++) {
		struct ay_suite_case sc = s.c[k];
		struct ay_call *c;

		/* an operator without lines of its own uses those of its functional form */
		sc.derived = false;
		if (!ay_call_bind(&one, e->op[0], sc.schema, sc.line, &c, &err))
			note_edges(e, &sc, c);
	}
	CHECKF(found.single || !can_be_single(e->name), "%s: no tensor of one element", e->name);
	/* these two accept no other tensor */
	if (!e->op[0]->scalar && !(e->op[0]->flags & AY_ONE)) {
		CHECKF(found.odd, "%s: no odd size", e->name);
		CHECKF(found.empty || !help_is_torch(e), "%s: no empty tensor", e->name);
		CHECKF(found.strided || e->op[0]->flags & AY_DENSE_ONLY,
		       "%s: no strided tensor (or flag AY_DENSE_ONLY)", e->name);
	}
	ay_suite_release(&s);
}

/* Requires that 100 % of null kernels and at least 95 % of all mutants are refused. */
static void check_scores(const struct ay_entry_op *e, const struct ay_mutation *m)
{
	int planted = 0, killed = 0;

	for (int k = 0; k < AY_MUTANT_COUNT; k++) {
		planted += m->planted[k];
		killed += m->killed[k];
		if (ay_mutant_table[k].cls == AY_MUTANT_NULL)
			CHECKF(m->killed[k] == m->planted[k], "%s: %d null mutants '%s' live", e->name,
			       m->planted[k] - m->killed[k], ay_mutant_table[k].word);
		if (ay_mutant_table[k].cls == AY_MUTANT_PRECISION)
			CHECKF(m->killed[k] == m->planted[k], "%s: '%s' lives on some dtype", e->name,
			       ay_mutant_table[k].word);
	}
	if (e->op[0]->flags & AY_META) /* any content is right */
		CHECKF(!planted && m->cases > 0, "%s: %d mutants planted", e->name, planted);
	else
		CHECKF(planted >= 10 && killed * 100 >= planted * 95, "%s: %d of %d mutants killed", e->name,
		       killed, planted);
}

static const char *mutants_page(void)
{
	struct ay_err err = { 0 };
	char *page = "";
	size_t len;

	CHECKF(!ay_file_read(&keep, "docs/mutants.md", SIZE_MAX, &page, &len, &err), "%s", err.msg);
	return page;
}

/* Returns what `assay mutants --markdown` prints for one operator, or as its head. */
static const char *printed(const struct ay_entry_op *e, const struct ay_mutation *m)
{
	char *made = NULL;
	const char *kept;
	size_t len;
	FILE *f = open_memstream(&made, &len);

	if (m)
		mutants_row(f, e->name, m, true);
	else
		mutants_head(f, true);
	fclose(f);
	kept = ay_strdup(&keep, made);
	free(made);
	return kept;
}

/* Planting mutants takes ten times as long with sanitizers, so only every eighth operator is tested
 * then. */
static void list_mutated(test_add_value_fn add)
{
	const struct ay_registry *r = help_registry();
	const int step = getenv("ASSAY_SANITIZED") && !getenv("ASSAY_OP") ? 8 : 1;

	for (int i = 0; i < r->n; i += step)
		if (help_is_meant(&r->op[i]))
			add(r->op[i].name);
}

TEST_EACH(ops_refuse_their_mutants_as_the_page_says, list_mutated)
{
	const struct ay_entry_op *e = the_operator();
	struct ay_mutation m;
	struct ay_err err = { 0 };

	CHECKF(!ay_mutate(help_registry(), e, &keep, &m, &err), "%s: %s", e->name, err.msg);
	check_scores(e, &m);
	/* the author of a new operator has not made the page yet */
	CHECKF(getenv("ASSAY_OP") || strstr(mutants_page(), printed(e, &m)),
	       "run: assay mutants --markdown > docs/mutants.md\n      %s", printed(e, &m));
	ay_arena_release(&keep);
}

/* Returns what `assay mutants --markdown` prints of an operator in its second table, or as that table's head. */
static const char *printed_classes(const struct ay_entry_op *e, const struct ay_call_class_score *s)
{
	char *made = NULL;
	const char *kept;
	size_t len;
	FILE *f = open_memstream(&made, &len);

	if (s)
		mutants_class_row(f, e->name, s, true);
	else
		mutants_class_head(f, true);
	fclose(f);
	kept = ay_strdup(&keep, made);
	free(made);
	return kept;
}

/* At least 98 % of the kernels that are wrong on a class of calls are refused by a quick run; over all
 * operators it is 99.8 %, as the page shows. */
TEST_EACH(ops_refuse_kernels_that_are_wrong_on_a_class_of_calls, list_mutated)
{
	const struct ay_entry_op *e = the_operator();
	struct ay_call_class_score s;
	struct ay_err err = { 0 };
	int planted = 0, refused = 0;

	CHECKF(!ay_call_class_count(help_registry(), e, &s, &err), "%s: %s", e->name, err.msg);
	for (int k = 0; k < AY_CALL_CLASS_COUNT; k++) {
		planted += s.planted[k] * AY_CALL_CLASS_SEEDS;
		refused += s.drawn[k];
	}
	CHECKF(refused * 100 >= planted * 98, "%s: %d of %d", e->name, refused, planted);
	CHECKF(getenv("ASSAY_OP") || strstr(mutants_page(), printed_classes(e, &s)),
	       "run: assay mutants --markdown > docs/mutants.md\n      %s", printed_classes(e, &s));
	ay_arena_release(&keep);
}

/* Returns the text behind the head and one row for each operator, in the registry's order. */
static const char *skip_rows(const char *at, const char *head)
{
	const struct ay_registry *r = help_registry();

	CHECKF(!strncmp(at, head, strlen(head)), "not the head of a table: %.60s", at);
	at += strlen(head);
	for (int i = 0; i < r->n; i++, at += strcspn(at, "\n") + 1) {
		const char *row = ay_sprintf(&keep, "| %s |", r->op[i].name);

		CHECKF(!strncmp(at, row, strlen(row)), "%s, not: %.60s", row, at);
		if (strncmp(at, row, strlen(row)))
			break;
	}
	return at;
}

/* The page has a row for every operator in each table, and nothing else. */
TEST(ops_mutants_page_has_a_row_of_every_operator)
{
	const char *at = mutants_page();

	if (getenv("ASSAY_OP"))
		test_skip("an operator that is being written has no row yet");
	at = skip_rows(skip_rows(at, printed(NULL, NULL)), printed_classes(NULL, NULL));
	CHECKF(!*at, "behind the last row: %.60s", at);
	ay_arena_release(&keep);
}

/* Returns how many elements are outside the bound if the one at `index` is changed. */
static int64_t bad_with(const char *text, int64_t index)
{
	const struct ay_registry *r = help_registry();
	struct ay_err err = { 0 };
	struct ay_call *c = help_bind(r, &one, text, &err);
	const struct ay_schema *s;
	struct ay_compare q = { .call = c, .threads = 1 };
	struct ay_diff d;

	if (!c || !(q.op = ay_registry_find_case(r, c->line, &s, &err))) {
		test_fail(__FILE__, __LINE__, "%s: %s", text, err.msg);
		return -1;
	}
	ay_fill_call(&one, c);
	produce(q.op, c, 0);
	((float *)c->out[0]->view.data)[index] += 100;
	ay_oracle_compare(&q, &d);
	return d.bad;
}

TEST(ops_a_place_that_is_written_twice_is_not_judged)
{
	static const char *const lines[] = {
		"aten::scatter.src((T([4], f32), 0, T([3], i64, data=[1, 1, 2]), T([3], f32)), {})",
		"aten::index_put_((T([4], f32), [T([3], i64, data=[1, 1, -2])], T([3], f32)), {})",
		"aten::_index_put_impl_((T([4], f32), [T([3], i32, data=[1, -3, 2])], T([3], f32)), {})",
	};

	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		CHECKF(bad_with(lines[i], 1) == 0 && bad_with(lines[i], 2) == 1 && bad_with(lines[i], 3) == 1,
		       "%s", lines[i]);
	/* equal values, and sums, are guaranteed */
	CHECK(bad_with("aten::scatter.value((T([4], f32), 0, T([3], i64, data=[1, 1, 2]), 0.3), {})", 1) == 1);
	CHECK(bad_with("aten::index_put_((T([4], f32), [T([3], i64, data=[1, 1, 2])], T([3], f32), True), {})",
		       1) == 1);
}
