/* SPDX-License-Identifier: Apache-2.0
 *
 * read_set - tests of the inputs that suffice for some rows of a result. All other inputs are
 * wiped, and the rows must be judged as before. Runs for every operator with such a description,
 * and its cases.
 */
#include "oracle/read_set.h"
#include "helpers.h"
#include "op/fill.h"
#include "op/suite.h"
#include "oracle/oracle.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

enum { WIPED = 0xff, CASES = 300 }; /* of one operator */

/* A call with content, and copies of its operands. */
struct filled {
	struct ay_arena a;
	const struct ay_entry_op *op;
	struct ay_call *c;
	uint8_t **mem, **copy; /* storage of each operand; for INOUT its old content */
};

static uint8_t *start(const struct ay_view *v)
{
	return (uint8_t *)v->data - v->offset * ay_dt_info(v->dt)->bytes;
}

static void fill(struct filled *f)
{
	const struct ay_view **out = AY_NEW_N(&f->a, const struct ay_view *, f->c->nout + 1);
	struct ay_compare q = { .op = f->op, .call = f->c, .threads = 1 };

	ay_fill_call(&f->a, f->c);
	for (int k = 0; k < f->c->nout; k++)
		out[k] = &f->c->out[k]->view;
	ay_oracle_produce(&q, out);
	f->mem = AY_NEW_N(&f->a, uint8_t *, 2 * f->c->noperand + 1);
	f->copy = AY_NEW_N(&f->a, uint8_t *, 2 * f->c->noperand + 1);
	for (int i = 0; i < 2 * f->c->noperand; i++) {
		const struct ay_operand *o = f->c->operand[i / 2];

		if (i % 2 && o->role != AY_INOUT)
			continue;
		f->mem[i] = start(i % 2 ? &o->old : &o->view);
		f->copy[i] = ay_alloc(&f->a, ay_operand_bytes(o) + 1);
		memcpy(f->copy[i], f->mem[i], ay_operand_bytes(o));
	}
}

/* Wipes all but the needed bytes; NULL: needs all. Returns the number of wiped bytes. */
static uint64_t leave(struct filled *f, const struct ay_byte_range *need)
{
	uint64_t gone = 0;

	for (int i = 0; i < 2 * f->c->noperand; i++) {
		const uint64_t n = ay_operand_bytes(f->c->operand[i / 2]);
		const struct ay_byte_range part = need ? need[i / 2] : (struct ay_byte_range){ 0, n };
		const uint64_t hi = part.hi < n ? part.hi : n, lo = part.lo < hi ? part.lo : hi;

		if (!f->mem[i])
			continue;
		memset(f->mem[i], WIPED, n);
		memcpy(f->mem[i] + lo, f->copy[i] + lo, hi - lo);
		gone += n - (hi - lo);
	}
	return gone;
}

/* Returns how many elements of rows [lo, hi) are wrong; *n is their total. */
static int64_t judge(const struct filled *f, int64_t lo, int64_t hi, int64_t *n)
{
	struct ay_compare q = { .op = f->op, .call = f->c, .threads = 1, .row_lo = lo, .row_hi = hi };
	struct ay_diff d[16];
	int64_t bad = 0;

	ay_oracle_compare(&q, d);
	*n = 0;
	for (int k = 0; k < f->c->nout; k++) {
		bad += d[k].bad;
		*n += d[k].n;
	}
	return bad;
}

/* Returns the number of bytes that were not needed. */
static uint64_t check_rows(struct filled *f, int64_t rows)
{
	struct ay_byte_range *need = AY_NEW_N(&f->a, struct ay_byte_range, f->c->noperand + 1);
	const int64_t lo = (int64_t)ay_secret_below((uint64_t)rows),
		      hi = lo + 1 + (int64_t)ay_secret_below((uint64_t)(rows - lo < 9 ? rows - lo : 9));
	int64_t n, bad = judge(f, lo, hi, &n);
	uint64_t gone = 0;

	CHECKF(!bad && n > 0, "%s: %lld of %lld wrong", f->op->name, (long long)bad, (long long)n);
	if (!ay_oracle_read_set(f->op, f->c, lo, hi, need))
		return 0;
	gone = leave(f, need);
	bad = judge(f, lo, hi, &n);
	CHECKF(!bad, "%s: of rows %lld to %lld %lld elements are read elsewhere", f->op->name, (long long)lo,
	       (long long)hi, (long long)bad);
	leave(f, NULL);
	return gone;
}

static bool tells(const struct ay_entry_op *e)
{
	return e->op[0]->factors || e->op[0]->runs || e->op[0]->flags & (AY_ALIAS_SAFE | AY_BY_ROWS);
}

static uint64_t check_case(const struct ay_entry_op *e, const struct ay_suite_case *sc)
{
	struct filled f = { .op = e };
	struct ay_err err = { 0 };
	struct ay_case line = *sc->line;
	uint64_t gone = 0;
	int64_t rows;

	line.has_seed = true;
	line.seed = 5;
	CHECKF(!ay_call_bind(&f.a, e->op[0], sc->schema, &line, &f.c, &err), "%s", err.msg);
	rows = ay_oracle_rows(e, f.c);
	if (rows && f.c->nout <= 16) {
		fill(&f);
		for (int t = 0; t < 4; t++)
			gone += check_rows(&f, rows);
	}
	ay_arena_release(&f.a);
	return gone;
}

/* Lists the operators that describe what rows of their result depend on. */
static void list_telling(test_add_value_fn add)
{
	const struct ay_registry *r = help_registry();

	for (int i = 0; i < r->n; i++)
		if (tells(&r->op[i]) && help_is_meant(&r->op[i]))
			add(r->op[i].name);
}

TEST_EACH(read_set_is_all_that_references_read, list_telling)
{
	struct ay_suite s = { 0 };
	struct ay_arena a = { 0 };
	struct ay_err err = { 0 };
	const struct ay_entry_op *e = help_operator(test_arg(), &err);
	uint64_t gone = 0;

	CHECKF(e && !ay_suite_add_op(&s, &a, help_registry(), e, AY_QUICK, &err), "%s", err.msg);
	for (int k = 0; k < s.n; k += 1 + s.n / CASES)
		gone += check_case(e, &s.c[k]);
	CHECKF(gone > 0, "%s: everything is needed everywhere", test_arg());
	ay_suite_release(&s);
	ay_arena_release(&a);
}

static int ntelling;

static void count_telling(const char *name)
{
	(void)name;
	ntelling++;
}

TEST(read_set_is_told_by_many_operators)
{
	list_telling(count_telling);
	CHECKF(getenv("ASSAY_OP") || ntelling > 25, "%d operators tell", ntelling);
}

/* The needed bytes of some calls. */
TEST(read_set_of_some_calls)
{
	static const struct {
		const char *line;
		int64_t lo, hi;
		bool known;
		struct ay_byte_range need[4];
	} due[] = {
		{ "aten::relu((T([1000], f32),), {})", 10, 20, true, { { 40, 80 }, { 40, 80 } } },
		{ "aten::relu((T([10, 100], f16, stride=(200, 1), offset=7),), {})",
		  100,
		  200,
		  true,
		  { { 414, 614 }, { 200, 400 } } },
		{ "aten::add.Tensor((T([30, 40], bf16), T([40], f32)), {})",
		  0,
		  10,
		  true,
		  { { 0, 20 }, { 0, 40 }, { 0, 40 } } },
		{ "aten::_softmax((T([16, 100], f32), 1, False), {})",
		  3,
		  5,
		  true,
		  { { 1200, 2000 }, { 1200, 2000 } } },
		{ "aten::_softmax((T([16, 100], f32), 0, False), {})",
		  3,
		  5,
		  true,
		  { { 12, 6020 }, { 12, 6020 } } },
		{ "aten::mm((T([8, 16], f16), T([16, 32], f16)), {})",
		  2,
		  3,
		  true,
		  { { 64, 96 }, { 0, UINT64_MAX }, { 128, 192 } } },
		{ "aten::sum((T([64, 64], f32),), {})", 0, 1, true, { { 0, 16384 }, { 0, 4 } } },
		{ "aten::sum.dim_IntList((T([64, 32, 8], f32), [2, 1]), {})",
		  3,
		  5,
		  true,
		  { { 3072, 5120 }, { 12, 20 } } },
		{ "aten::amin((T([64, 32], f16), [0]), {})", 3, 5, true, { { 6, 4042 }, { 6, 10 } } },
		{ "aten::sort((T([8, 100], f32), -1), {})", 0, 1, false, { { 0, 0 } } },
		{ "aten::embedding((T([50, 8], f32), T([300], i64, fill=index(50))), {})",
		  0,
		  1,
		  false,
		  { { 0, 0 } } },
	};

	for (size_t t = 0; t < sizeof due / sizeof *due; t++) {
		struct ay_byte_range need[8];
		struct filled f = { 0 };
		struct ay_err err = { 0 };
		const struct ay_schema *schema;
		struct ay_case *line;
		bool known;

		CHECKF(!ay_case_parse(&f.a, due[t].line, strlen(due[t].line), &line, &err), "%s", err.msg);
		f.op = ay_registry_find_case(help_registry(), line, &schema, &err);
		CHECKF(f.op && !ay_call_bind(&f.a, f.op->op[0], schema, line, &f.c, &err), "%s", err.msg);
		known = ay_oracle_read_set(f.op, f.c, due[t].lo, due[t].hi, need);
		CHECKF(known == due[t].known, "%s", due[t].line);
		for (int i = 0; known && i < f.c->noperand; i++)
			CHECKF(need[i].lo == due[t].need[i].lo && need[i].hi == due[t].need[i].hi,
			       "%s: operand %d, %llu to %llu", due[t].line, i, (unsigned long long)need[i].lo,
			       (unsigned long long)need[i].hi);
		ay_arena_release(&f.a);
	}
}
