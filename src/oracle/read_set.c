/* SPDX-License-Identifier: Apache-2.0 */
#include "oracle/read_set.h"

#include <string.h>

static const struct ay_byte_range none = { UINT64_MAX, 0 }, all = { 0, UINT64_MAX };

/* Adds the element at position `at`, counted from element 0. */
static void add(struct ay_byte_range *s, const struct ay_view *v, int64_t at)
{
	const uint64_t item = (uint64_t)ay_dt_info(v->dt)->bytes, from = (uint64_t)(v->offset + at) * item;

	s->lo = from < s->lo ? from : s->lo;
	s->hi = from + item > s->hi ? from + item : s->hi;
}

static void add_elements(struct ay_byte_range *s, const struct ay_view *v, int64_t lo, int64_t hi)
{
	for (int64_t i = lo; i < hi; i++)
		add(s, v, ay_view_at(v, i));
}

static void add_fibres(struct ay_byte_range *s, const struct ay_view *v, int axis, int64_t lo, int64_t hi)
{
	for (int64_t row = lo; row < hi && v->shape[axis]; row++) {
		const int64_t at = ay_fibre_at(v, axis, row);

		add(s, v, at);
		add(s, v, at + (v->shape[axis] - 1) * v->stride[axis]);
	}
}

static bool has_shape_of(const struct ay_view *v, const struct ay_view *like)
{
	return v->ndim == like->ndim && !memcmp(v->shape, like->shape, sizeof *v->shape * (size_t)v->ndim);
}

/* Stores the row map of the results. Returns false unless all results have equally many rows along
 * one axis. */
static bool map_rows(const struct ay_op *op, const struct ay_call *c, struct ay_rowmap *m)
{
	for (int k = 0; k < c->nout; k++) {
		const struct ay_view *v = &c->out[k]->view;
		struct ay_rowmap one = { ay_numel_of(v), 1, AY_FLAT };

		if (op->rows)
			op->rows(c, k, &one);
		if (one.axis == AY_WHOLE || (k && (!has_shape_of(v, &c->out[0]->view) || one.axis != m->axis)))
			return false;
		*m = one;
	}
	return c->nout > 0;
}

/* Adds what is broadcast to the results' shape, element by element. */
static bool by_elements(const struct ay_call *c, int64_t lo, int64_t hi, struct ay_byte_range *need)
{
	const struct ay_view *out = &c->out[0]->view;

	for (int i = 0; i < c->noperand; i++) {
		struct ay_err err = { 0 };
		struct ay_view v;

		if (ay_view_expand(&c->operand[i]->view, out->ndim, out->shape, &v, &err))
			return false;
		add_elements(&need[i], &v, lo, hi);
	}
	return true;
}

static void by_rows(const struct ay_call *c, int axis, int64_t lo, int64_t hi, struct ay_byte_range *need)
{
	for (int i = 0; i < c->noperand; i++) {
		if (has_shape_of(&c->operand[i]->view, &c->out[0]->view))
			add_fibres(&need[i], &c->operand[i]->view, axis, lo, hi);
		else
			need[i] = all;
	}
}

/* Adds the runs of the first operand. All elements of a run lie between its first and its last one,
 * because strides are not negative. */
static bool by_runs(const struct ay_call *c, const struct ay_op *op, int64_t lo, int64_t hi,
		    struct ay_byte_range *need)
{
	int64_t n, left, last = 0;
	const struct ay_view w = op->runs(c, &n);

	left = n;
	for (int d = w.ndim - 1; d >= 0 && left > 1; left /= w.shape[d--])
		last += (w.shape[d] - 1) * w.stride[d];
	for (int i = 1; i < c->noperand; i++) {
		need[i] = all;
		if (c->operand[i] == c->out[0]) {
			need[i] = none;
			add_elements(&need[i], &c->out[0]->view, lo, hi);
		}
	}
	for (int64_t i = lo; i < hi && n; i++) {
		const int64_t at = ay_view_at(&w, i * n);

		add(&need[0], &w, at);
		add(&need[0], &w, at + last);
	}
	return c->nout == 1 && c->operand[0]->role == AY_IN;
}

static bool by_factors(const struct ay_call *c, const struct ay_op *op, const struct ay_rowmap *m, int64_t lo,
		       int64_t hi, struct ay_byte_range *need)
{
	struct ay_factors f;

	if (!op->factors(c, &f) || m->axis < 0 || c->nout != 1 || f.a == f.b)
		return false;
	for (int i = 0; i < c->noperand; i++) {
		const struct ay_operand *o = c->operand[i];

		if (o == f.a)
			add_fibres(&need[i], &f.left, f.left.ndim - 1, lo, hi);
		else if (o == c->out[0])
			add_fibres(&need[i], &o->view, m->axis, lo, hi);
		else
			need[i] = all;
	}
	return true;
}

bool ay_oracle_read_set(const struct ay_entry_op *e, const struct ay_call *c, int64_t lo, int64_t hi,
			struct ay_byte_range *need)
{
	const struct ay_op *op = e->op[ay_call_num_type(c)];
	struct ay_rowmap m = { 0 };

	for (int i = 0; i < c->noperand; i++)
		need[i] = none;
	if (!op->reference || !map_rows(op, c, &m))
		return false;
	if (op->factors)
		return by_factors(c, op, &m, lo, hi, need);
	if (op->prepare)
		return false;
	if (op->runs && m.axis == AY_FLAT)
		return by_runs(c, op, lo, hi, need);
	if (op->flags & AY_ALIAS_SAFE && m.axis == AY_FLAT)
		return by_elements(c, lo, hi, need);
	if (!(op->flags & AY_BY_ROWS) || m.axis < 0)
		return false;
	by_rows(c, m.axis, lo, hi, need);
	return true;
}
