/* SPDX-License-Identifier: Apache-2.0
 *
 * Access to a bound call: its arguments by name, its line, and descriptions of the usual kinds
 * of results.
 */
#include "op/call.h"
#include "op/op.h"
#include "tensor/promote.h"

#include <assay/kernel.h>
#include <stdarg.h>
#include <string.h>

/* --- the call as a line ----------------------------------------------------------------------- */

static void write_out(struct ay_arena *a, const struct ay_call *c, struct ay_value *v)
{
	if (v->kind == AY_V_LIST) {
		struct ay_value *old = v->list.v;

		v->list.v = AY_NEW_N(a, struct ay_value, v->list.n + 1);
		for (int i = 0; i < v->list.n; i++) {
			v->list.v[i] = old[i];
			write_out(a, c, &v->list.v[i]);
		}
	}
	if (v->kind != AY_V_TENSOR)
		return;
	for (int i = 0; i < c->noperand; i++) {
		const struct ay_operand *o = c->operand[i];

		if (o->desc != v->t || o->data)
			continue;
		v->t = AY_NEW(a, struct ay_tdesc);
		*v->t = *o->desc;
		v->t->fill = o->fill;
		return;
	}
}

struct ay_case *ay_call_line(struct ay_arena *a, const struct ay_call *c)
{
	struct ay_case *l = AY_NEW(a, struct ay_case);

	*l = *c->line;
	l->ns = c->s->ns;
	l->base = c->s->base;
	l->overload = c->s->overload;
	l->has_seed = true;
	l->seed = c->seed;
	l->arg = AY_NEW_N(a, struct ay_value, l->narg + 1);
	l->kw = AY_NEW_N(a, struct ay_kw, l->nkw + 1);
	for (int i = 0; i < l->narg; i++) {
		l->arg[i] = c->line->arg[i];
		write_out(a, c, &l->arg[i]);
	}
	for (int i = 0; i < l->nkw; i++) {
		l->kw[i] = c->line->kw[i];
		write_out(a, c, &l->kw[i].v);
	}
	return l;
}

/* --- arguments by name ------------------------------------------------------------------------ */

static const struct ay_barg *find_arg(const struct ay_call *c, const char *name)
{
	for (int i = 0; i < c->s->narg; i++)
		if (!strcmp(c->arg[i].s->name, name))
			return &c->arg[i];
	return NULL;
}

static const struct ay_barg *get_arg(const struct ay_call *c, const char *name)
{
	const struct ay_barg *arg = find_arg(c, name);

	if (!arg)
		AY_BUG("%s.%s has no argument '%s'", c->s->base, c->s->overload, name);
	return arg;
}

bool ay_has_arg(const struct ay_call *c, const char *name)
{
	return find_arg(c, name) != NULL;
}

bool ay_is_none(const struct ay_call *c, const char *name)
{
	const struct ay_barg *arg = get_arg(c, name);

	if (ay_stype_is_tensor(&arg->s->type))
		return !arg->t || (!arg->s->type.list && !arg->t[0]);
	return arg->v.kind == AY_V_NONE;
}

const struct ay_operand *ay_operand(const struct ay_call *c, const char *name)
{
	const struct ay_barg *arg = get_arg(c, name);

	return arg->n ? arg->t[0] : NULL;
}

/* Returns what a reference reads: the content before the call, if the call writes there. */
static const struct ay_view *readable(const struct ay_operand *o)
{
	return !o ? NULL : o->role == AY_INOUT ? &o->old : &o->view;
}

const struct ay_view *ay_t(const struct ay_call *c, const char *name)
{
	const struct ay_barg *arg = get_arg(c, name);

	if (ay_stype_is_tensor(&arg->s->type))
		return arg->n ? readable(arg->t[0]) : NULL;
	return arg->v.kind == AY_V_NONE ? NULL : &arg->scalar;
}

const struct ay_view *ay_t_at(const struct ay_call *c, const char *name, int i)
{
	const struct ay_barg *arg = get_arg(c, name);

	return i < arg->n ? readable(arg->t[i]) : NULL;
}

int ay_t_count(const struct ay_call *c, const char *name)
{
	return get_arg(c, name)->n;
}

int64_t ay_int(const struct ay_call *c, const char *name)
{
	return get_arg(c, name)->v.i;
}

double ay_float(const struct ay_call *c, const char *name)
{
	const struct ay_value *v = &get_arg(c, name)->v;

	return v->kind == AY_V_INT ? (double)v->i : v->kind == AY_V_BOOL ? v->b : v->f;
}

bool ay_flag(const struct ay_call *c, const char *name)
{
	const struct ay_value *v = &get_arg(c, name)->v;

	return v->kind == AY_V_BOOL && v->b;
}

bool ay_is_number(const struct ay_call *c, const char *name)
{
	for (int i = 0; i < c->noperand; i++)
		if (!strcmp(c->operand[i]->name, name))
			return c->operand[i]->wrapped;
	return true;
}

const char *ay_text(const struct ay_call *c, const char *name)
{
	return get_arg(c, name)->v.s;
}

int64_t ay_int_at(const struct ay_call *c, const char *name, int i)
{
	return get_arg(c, name)->v.list.v[i].i;
}

int ay_list_count(const struct ay_call *c, const char *name)
{
	const struct ay_value *v = &get_arg(c, name)->v;

	return v->kind == AY_V_LIST ? v->list.n : 0;
}

enum ay_dt ay_dtype_or(const struct ay_call *c, const char *name, enum ay_dt dt)
{
	const struct ay_value *v = &get_arg(c, name)->v;

	return v->kind == AY_V_DTYPE ? v->dt : dt;
}

int ay_dim(const struct ay_call *c, const char *name, const struct ay_view *v, struct ay_err *err)
{
	return ay_dim_wrap(ay_int(c, name), v->ndim, err);
}

/* --- results of the usual kinds --------------------------------------------------------------- */

static void promote_arg(struct ay_promotion *p, const struct ay_barg *arg)
{
	if (!ay_stype_is_tensor(&arg->s->type)) {
		if (arg->v.kind >= AY_V_BOOL && arg->v.kind <= AY_V_COMPLEX)
			ay_promote_number(p, (enum ay_class)(arg->v.kind - AY_V_BOOL));
		return;
	}
	for (int i = 0; i < arg->n; i++) {
		const struct ay_operand *o = arg->t[i];

		if (o && o->wrapped)
			ay_promote_number(p, ay_dt_info(o->view.dt)->cls);
		else if (o)
			ay_promote_tensor(p, o->view.dt, o->view.ndim);
	}
}

int ay_result_broadcast(const struct ay_call *c, struct ay_meta *m, struct ay_err *err, ...)
{
	struct ay_promotion p = AY_PROMOTE_INIT;
	const char *name;
	va_list ap;
	int rc = 0;

	va_start(ap, err);
	while (!rc && (name = va_arg(ap, const char *))) {
		const struct ay_barg *arg = get_arg(c, name);

		promote_arg(&p, arg);
		for (int i = 0; i < arg->n && !rc; i++)
			if (arg->t[i])
				rc = ay_broadcast_shapes(m->ndim, m->shape, arg->t[i]->view.ndim,
							 arg->t[i]->view.shape, &m->ndim, m->shape, err);
	}
	va_end(ap);
	m->dt = ay_promote_result(&p);
	if (!rc && m->dt == AY_DT_NONE)
		rc = ay_fail(err, AY_ERR_BIND, "the dtypes of these arguments do not promote to one");
	return rc;
}

int ay_result_dtype(const struct ay_call *c, struct ay_meta *m, struct ay_err *err, const char *name)
{
	struct ay_promotion p = AY_PROMOTE_INIT;

	promote_arg(&p, get_arg(c, name));
	m->dt = ay_promote_result(&p);
	return m->dt == AY_DT_NONE ? ay_fail(err, AY_ERR_BIND, "the dtypes of '%s' do not promote to one", name)
				   : 0;
}

/* Stores the strides of NHWC or NDHWC: dimension 1 is the fastest, then the others from last
 * to first. */
static void channels_last(const struct ay_view *v, int64_t *stride)
{
	int64_t step = v->shape[1];

	stride[1] = 1;
	for (int d = v->ndim - 1; d >= 0; d--) {
		if (d == 1)
			continue;
		stride[d] = step;
		step *= v->shape[d];
	}
}

/* Returns true if v's elements fill their memory without gaps, in some order of the dimensions. */
static bool is_packed(const struct ay_view *v)
{
	int64_t step = 1;

	for (int n = 0; n < v->ndim; n++) {
		int d = 0;

		while (d < v->ndim && v->stride[d] != step)
			d++;
		if (d == v->ndim)
			return false;
		step *= v->shape[d];
	}
	return true;
}

void ay_result_format(const struct ay_call *c, const struct ay_view *v, struct ay_meta *m)
{
	if (ay_is_none(c, "memory_format"))
		return;
	for (int d = 0; d < v->ndim; d++)
		if (v->shape[d] < 2)
			return;
	m->has_stride = true;
	switch (ay_int(c, "memory_format")) {
	case AY_CONTIGUOUS_FORMAT: ay_strides_dense(v->ndim, v->shape, m->stride); break;
	case AY_PRESERVE_FORMAT:
		m->has_stride = is_packed(v);
		memcpy(m->stride, v->stride, sizeof m->stride);
		break;
	default: channels_last(v, m->stride);
	}
}

int ay_result_like_first(const struct ay_call *c, int k, struct ay_meta *m, struct ay_err *err)
{
	(void)k;
	for (int i = 0; i < c->noperand; i++) {
		const struct ay_view *v = &c->operand[i]->view;

		if (c->operand[i]->role != AY_IN)
			continue;
		m->dt = v->dt;
		m->ndim = v->ndim;
		memcpy(m->shape, v->shape, sizeof m->shape);
		return 0;
	}
	return ay_fail(err, AY_ERR_BIND, "%s has no tensor argument to take a shape from", c->s->base);
}

int ay_result_float(const struct ay_call *c, int k, struct ay_meta *m, struct ay_err *err)
{
	if (ay_result_like_first(c, k, m, err))
		return -1;
	if (ay_dt_is_integral(m->dt))
		m->dt = AY_DT_F32;
	return 0;
}

int ay_accepts_float(const struct ay_call *c, bool complex_too, struct ay_err *err)
{
	const struct ay_dt_info *d = ay_dt_info(ay_t(c, "self")->dt);
	struct ay_meta m = { .dt = AY_DT_NONE };

	if ((d->cls == AY_CLASS_COMPLEX && !complex_too) || (d->cls == AY_CLASS_FLOAT && d->bytes == 1))
		return ay_fail(err, AY_ERR_BIND, "%s has no meaning for %s", c->s->base, d->name);
	if (ay_result_float(c, 0, &m, err))
		return -1;
	if (ay_has_arg(c, "out") && ay_t(c, "out")->dt != m.dt)
		return ay_fail(err, AY_ERR_BIND, "out must be %s: what is rounded twice is not judged",
			       ay_dt_info(m.dt)->name);
	return 0;
}

struct ay_barg *ay_call_copy_args(struct ay_arena *a, const struct ay_call *c, int more)
{
	const int n = c->s->narg;
	struct ay_barg *arg = AY_NEW_N(a, struct ay_barg, n + more + 1);

	memcpy(arg, c->arg, sizeof *arg * (size_t)n);
	for (int i = 0; i < n; i++)
		if (arg[i].scalar.data) /* it points into the argument itself */
			arg[i].scalar.data = arg[i].scalar_store;
	return arg;
}
