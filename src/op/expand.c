/* SPDX-License-Identifier: Apache-2.0
 *
 * Expansion of templates. Everything is copied, including values from the grid. So a case owns all
 * that it points to and has no columns of other texts.
 */
#include "op/expr.h"
#include "op/parse.h"

#include <string.h>

void ay_expand_init(struct ay_expand *e, struct ay_arena *a, const struct ay_scope *s, struct ay_err *err)
{
	/* about as many values as a line may have bytes, so that the expanded line can be
	 * parsed again */
	*e = (struct ay_expand){ .a = a, .s = s, .err = err, .budget = AY_LINE_MAX };
}

int ay_expand_spend(struct ay_expand *e, int64_t n, int col)
{
	e->budget -= n;
	return e->budget < 0 ? ay_parse_fail(e->err, col, "the expanded case is too large") : 0;
}

static int expand_items(struct ay_expand *e, const struct ay_value *v, int n, int col, struct ay_value **out)
{
	*out = n ? AY_NEW_N(e->a, struct ay_value, n) : NULL;
	if (e->depth++ == AY_MAX_DEPTH)
		return ay_parse_fail(e->err, col, "the expanded case is nested deeper than %d", AY_MAX_DEPTH);
	for (int i = 0; i < n; i++)
		if (ay_expand_value(e, &v[i], &(*out)[i]))
			return -1;
	e->depth--;
	return 0;
}

static int expand_shape(struct ay_expand *e, const struct ay_tdesc *t, struct ay_tdesc *out)
{
	struct ay_value v;

	if (t->shape_x)
		return ay_eval(e, t->shape_x, &v)
			       ? -1
			       : ay_tdesc_ints(&v, "shape", out->shape, NULL, &out->ndim, e->err);
	for (int i = 0; i < t->ndim; i++) {
		if (!t->dim_x[i])
			continue;
		if (ay_eval(e, t->dim_x[i], &v))
			return -1;
		if (v.kind != AY_V_INT || v.i < 0)
			return ay_parse_fail(e->err, v.col, "a size must be an int >= 0");
		out->shape[i] = v.i;
	}
	return 0;
}

static int expand_stride(struct ay_expand *e, const struct ay_tdesc *t, struct ay_tdesc *out)
{
	struct ay_value v;
	int n;

	if (t->stride_x) {
		if (ay_eval(e, t->stride_x, &v))
			return -1;
		if (v.kind == AY_V_NONE)
			return 0;
		out->has_stride = true;
		return ay_tdesc_ints(&v, "stride", out->stride, NULL, &n, e->err) ||
				       ay_tdesc_nstride(out, n, v.col, e->err)
			       ? -1
			       : 0;
	}
	for (int i = 0; i < t->ndim && t->has_stride; i++) {
		if (!t->stride_xs[i])
			continue;
		if (ay_eval(e, t->stride_xs[i], &v))
			return -1;
		if (v.kind != AY_V_INT || v.i < 0)
			return ay_parse_fail(e->err, v.col, "a stride must be an int >= 0");
		out->stride[i] = v.i;
	}
	return 0;
}

static int expand_dtype(struct ay_expand *e, const struct ay_tdesc *t, struct ay_tdesc *out)
{
	struct ay_value v;

	if (!t->dt_x)
		return 0;
	if (ay_eval(e, t->dt_x, &v))
		return -1;
	if (v.kind != AY_V_DTYPE)
		return ay_parse_fail(e->err, v.col, "expected a dtype, found %s", ay_kind_name(v.kind));
	out->dt = v.dt;
	return 0;
}

/* conj= and neg=. */
static int expand_lazy(struct ay_expand *e, const struct ay_expr *x, bool *out)
{
	struct ay_value v;

	if (!x)
		return 0;
	if (ay_eval(e, x, &v))
		return -1;
	if (v.kind != AY_V_BOOL)
		return ay_parse_fail(e->err, v.col, "conj= and neg= are True or False");
	*out = v.b;
	return 0;
}

/* Returns the variable that fill=NAME names, if any: a string is the fill, so that a grid can vary it,
 * and None the operator's default. */
static const struct ay_value *fill_variable(const struct ay_expand *e, const struct ay_fill *f)
{
	for (int i = 0; e->s && !f->n && i < e->s->n; i++) {
		const struct ay_value *v = &e->s->values[i];

		if (!strcmp(e->s->names[i], f->name) && (v->kind == AY_V_STR || v->kind == AY_V_NONE))
			return v;
	}
	return NULL;
}

int ay_expand_fill(struct ay_expand *e, const struct ay_fill *f, struct ay_fill *out)
{
	const struct ay_value *v;
	struct ay_lex l;
	struct ay_fill inner;

	*out = (struct ay_fill){ 0 };
	if (!f->name)
		return 0;
	v = fill_variable(e, f);
	if (v && v->kind == AY_V_NONE)
		return 0;
	if (v) {
		if (ay_lex_init(&l, e->a, v->s, strlen(v->s), e->err) || ay_parse_fill(&l, &inner))
			return -1;
		if (!ay_lex_at_end(&l))
			return ay_lex_expected(&l, "the end after a fill");
		f = &inner;
	}
	out->name = f->name;
	out->n = f->n;
	return expand_items(e, f->arg, f->n, 0, &out->arg);
}

static int expand_data(struct ay_expand *e, const struct ay_tdesc *t, struct ay_tdesc *out)
{
	if (!t->data)
		return 0;
	out->data = AY_NEW(e->a, struct ay_value);
	if (ay_expand_value(e, t->data, out->data))
		return -1;
	out->data->col = t->data->col; /* for the message of ay_tdesc_data */
	return ay_tdesc_data(out->data, e->err);
}

static int expand_tensor(struct ay_expand *e, const struct ay_tdesc *t, int col, struct ay_value *out)
{
	struct ay_tdesc *d = AY_NEW(e->a, struct ay_tdesc);
	struct ay_value v;

	*d = *t;
	d->shape_x = d->dt_x = d->offset_x = d->stride_x = d->conj_x = d->neg_x = NULL;
	memset(d->dim_x, 0, sizeof d->dim_x);
	memset(d->stride_xs, 0, sizeof d->stride_xs);
	out->t = d;
	if (e->depth++ + 2 > AY_MAX_DEPTH) /* two levels: T( and the [ of its shape */
		return ay_parse_fail(e->err, col, "the expanded case is nested deeper than %d", AY_MAX_DEPTH);
	if (expand_shape(e, t, d) || expand_dtype(e, t, d) || expand_stride(e, t, d) ||
	    ay_expand_fill(e, &t->fill, &d->fill) || expand_data(e, t, d) || expand_lazy(e, t->conj_x, &d->conj) ||
	    expand_lazy(e, t->neg_x, &d->neg))
		return -1;
	if (t->offset_x && (ay_eval(e, t->offset_x, &v) || ay_tdesc_offset(&v, &d->offset, e->err)))
		return -1;
	e->depth--;
	if (ay_tdesc_check(d, e->err))
		return -1;
	if (d->data)
		d->data->col = 0;
	return 0;
}

/* Returns how much a value counts. Strings count by their length, because a few names can stand
 * for megabytes. */
static int64_t weight(const struct ay_value *v)
{
	size_t n = 1;

	if (v->kind == AY_V_STR || v->kind == AY_V_SYM)
		n += strlen(v->s);
	if (v->kind == AY_V_TENSOR && v->t->device)
		n += strlen(v->t->device);
	if (v->kind == AY_V_TENSOR && v->t->fill.name)
		n += strlen(v->t->fill.name);
	return (int64_t)n;
}

int ay_expand_value(struct ay_expand *e, const struct ay_value *v, struct ay_value *out)
{
	struct ay_value x;

	int outer = e->at, col, rc = 0;

	if (v->kind == AY_V_EXPR) {
		if (ay_eval(e, v->x, &x))
			return -1;
		e->at = x.col;
		v = &x;
	}
	col = e->at ? e->at : v->col;
	*out = *v;
	out->col = 0;
	if (ay_expand_spend(e, weight(v), col))
		return -1;
	switch (v->kind) {
	case AY_V_LIST: rc = expand_items(e, v->list.v, v->list.n, col, &out->list.v); break;
	case AY_V_TENSOR: rc = expand_tensor(e, v->t, col, out); break;
	case AY_V_EXPR: return ay_parse_fail(e->err, col, "a scope's value holds an expression");
	default: break;
	}
	e->at = outer;
	return rc;
}
