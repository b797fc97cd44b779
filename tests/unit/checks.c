/* SPDX-License-Identifier: Apache-2.0
 *
 * checks - tests of operators with their own check: what it must accept, and what it must refuse at
 * least.
 */
#include "test.h"
#include "helpers.h"
#include "op/fill.h"
#include "oracle/oracle.h"

#include <math.h>
#include <string.h>

static struct ay_arena a;

/* Makes a call with its inputs, and with the reference's answer as outputs. */
static struct ay_call *answered(const char *line, const struct ay_entry_op **e)
{
	struct ay_err err = { 0 };
	struct ay_call *c = help_bind(help_registry(), &a, line, &err);
	const struct ay_view **dst;
	const struct ay_schema *s;
	bool exact;

	*e = c ? ay_registry_find(help_registry(), c->s->base, &s, &exact, &err) : NULL;
	if (!*e) {
		test_fail(__FILE__, __LINE__, "%s: %s", line, err.msg);
		return NULL;
	}
	ay_fill_call(&a, c);
	dst = AY_NEW_N(&a, const struct ay_view *, c->nout);
	for (int k = 0; k < c->nout; k++)
		dst[k] = &c->out[k]->view;
	ay_oracle_produce(&(struct ay_compare){ .op = *e, .call = c, .threads = 1 }, dst);
	return c;
}

/* What the judge would say of the outputs: how many elements are wrong, by the oracle and by the
 * check. */
static int64_t wrong(const struct ay_entry_op *e, const struct ay_call *c, struct ay_finding *f)
{
	const struct ay_view **got = AY_NEW_N(&a, const struct ay_view *, c->nout);
	struct ay_diff *d = AY_NEW_N(&a, struct ay_diff, c->nout);
	int64_t bad = 0;

	*f = (struct ay_finding){ .index = -1 };
	ay_oracle_compare(&(struct ay_compare){ .op = e, .call = c, .threads = 1 }, d);
	for (int k = 0; k < c->nout; k++) {
		got[k] = &c->out[k]->view;
		bad += d[k].bad;
	}
	e->op[ay_call_num_type(c)]->check(c, got, f);
	return bad + f->bad;
}

/* --- a triangle is solved --------------------------------------------------------------------- */

static const char *triangle(int uplo, int trans, int diag, int n)
{
	return ay_sprintf(
		&a, "cublas::cublasStrsv_v2((%d, %d, %d, %d, T([%d, %d], f32), %d, T([%d], f32), 2), {}) seed=5",
		uplo, trans, diag, n, n, n + 1, n + 1, 2 * n - 1);
}

/* Any kernel may have an error of one unit in the last place; none may have one of 300 units,
 * wherever it is. */
TEST(checks_trsv_sees_small_errors_and_admits_rounding)
{
	for (int form = 0; form < 12; form++) {
		const struct ay_entry_op *e;
		struct ay_call *c = answered(triangle(form % 2, form / 4, form / 2 % 2, 41), &e);
		struct ay_finding f;
		float *x = c ? c->out[0]->view.data : NULL;

		CHECKF(c && !wrong(e, c, &f), "form %d: the reference is refused", form);
		for (int i = 0; c && i < 41; i++) {
			const float right = x[2 * i];

			x[2 * i] = right * (1 + 2 * 0x1p-24f);
			CHECKF(!wrong(e, c, &f), "form %d, element %d: rounding is refused", form, i);
			x[2 * i] = right + 300 * 0x1p-23f * fmaxf(fabsf(right), 1); /* b is of size 1 */
			CHECKF(wrong(e, c, &f) && f.index == 2 * i, "form %d, element %d: wrong by 300 ulps", form,
			       i);
			x[2 * i] = right;
		}
		if (c)
			x[1] += 1; /* memory between the vector's elements */
		CHECKF(c && wrong(e, c, &f) == 1, "form %d: a gap was written", form);
	}
}

TEST(checks_trsv_knows_what_is_not_finite)
{
	const struct ay_entry_op *e;
	struct ay_finding f;
	struct ay_call *c = answered(triangle(0, 0, 0, 9), &e);
	float *x = c ? c->out[0]->view.data : NULL;

	if (!c)
		return;
	x[8] = NAN;
	CHECK(wrong(e, c, &f) == 1 && f.index == 8);
	x[8] = INFINITY;
	CHECK(wrong(e, c, &f) == 1 && f.index == 8);
	/* with a pivot of 0 no other answer is accepted */
	c = answered("cublas::cublasStrsv_v2((0, 0, 0, 2, T([2, 2], f32, data=[0.0, 1.0, 0.0, 1.0]), 2, "
		     "T([2], f32, data=[1.0, 1.0]), 1), {})",
		     &e);
	x = c ? c->out[0]->view.data : NULL;
	CHECK(c && x[0] == INFINITY && !wrong(e, c, &f));
	if (c)
		x[0] = -INFINITY;
	CHECK(c && wrong(e, c, &f));
	if (c)
		x[0] = 3;
	CHECK(c && wrong(e, c, &f));
}

/* --- entries are grouped ---------------------------------------------------------------------- */

/* Experts 1, 0, 1, 2, 1 in blocks of 4: [1 5 5 5] [0 2 4 5] [3 5 5 5] and padding. */
static struct ay_call *grouped(const struct ay_entry_op **e)
{
	struct ay_call *c = answered("vllm13::moe_align_block_size((T([5], i32, data=[1, 0, 1, 2, 1]), 3, 4, "
				     "T([14], i32), T([4], i32), T([1], i32)), {})",
				     e);
	static const int32_t sorted[] = { 1, 5, 5, 5, 0, 2, 4, 5, 3, 5, 5, 5, 5, 5 }, experts[] = { 0, 1, 2, 0 };
	struct ay_finding f;

	CHECK(c && !memcmp(c->out[0]->view.data, sorted, sizeof sorted) &&
	      !memcmp(c->out[1]->view.data, experts, sizeof experts) && *(int32_t *)c->out[2]->view.data == 12);
	CHECK(c && !wrong(*e, c, &f));
	return c;
}

TEST(checks_moe_order_is_free_within_a_group_only)
{
	static const struct {
		const char *what;
		int32_t sorted[14];
		int64_t bad, first;
	} t[] = {
		{ "another order", { 1, 5, 5, 5, 4, 0, 2, 5, 3, 5, 5, 5, 5, 5 }, 0, -1 },
		{ "padding first", { 5, 5, 1, 5, 5, 4, 0, 2, 5, 5, 5, 3, 5, 5 }, 0, -1 },
		{ "an entry twice", { 1, 5, 5, 5, 0, 2, 4, 4, 3, 5, 5, 5, 5, 5 }, 1, 7 },
		{ "an entry missing", { 1, 5, 5, 5, 0, 2, 5, 5, 3, 5, 5, 5, 5, 5 }, 1, 7 },
		{ "swapped between groups", { 0, 5, 5, 5, 1, 2, 4, 5, 3, 5, 5, 5, 5, 5 }, 2, 0 },
		{ "negative", { 1, 5, 5, -1, 0, 2, 4, 5, 3, 5, 5, 5, 5, 5 }, 1, 3 },
		{ "beyond the padding value", { 1, 5, 5, 6, 0, 2, 4, 5, 3, 5, 5, 5, 5, 5 }, 1, 3 },
		{ "far beyond", { 1, 5, 5, INT32_MAX, 0, 2, 4, INT32_MIN, 3, 5, 5, 5, 5, 5 }, 2, 3 },
		{ "an entry behind the groups", { 1, 5, 5, 5, 0, 2, 4, 5, 3, 5, 5, 5, 5, 3 }, 1, -1 },
	};

	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		const struct ay_entry_op *e;
		struct ay_call *c = grouped(&e);
		struct ay_finding f;

		if (!c)
			return;
		memcpy(c->out[0]->view.data, t[i].sorted, sizeof t[i].sorted);
		CHECKF(wrong(e, c, &f) == t[i].bad && f.index == t[i].first, "%s: %lld at %lld: %s", t[i].what,
		       (long long)wrong(e, c, &f), (long long)f.index, f.text);
	}
}

/* Experts 1 and 3 are on another device (seed 2: the odd ones); 0 and 2 have numbers 0 and 1
 * here. */
TEST(checks_moe_map_leaves_experts_out)
{
	static const int32_t sorted[] = { 1, 6, 3, 5, 6, 6, 6 };
	const struct ay_entry_op *e;
	struct ay_call *c = answered("vllm13::moe_align_block_size((T([6], i32, data=[1, 0, 1, 2, 3, 2]), 4, 2, "
				     "T([10], i32), T([5], i32), T([1], i32), T([4], i32)), {}) seed=2",
				     &e);
	struct ay_finding f;

	CHECK(c && !memcmp(c->out[0]->view.data, sorted, sizeof sorted) && *(int32_t *)c->out[2]->view.data == 4);
	CHECK(c && !wrong(e, c, &f));
	if (c)
		((int32_t *)c->out[0]->view.data)[1] = 0; /* an entry is missing */
	CHECK(c && wrong(e, c, &f) == 1 && f.index == 1);
}
