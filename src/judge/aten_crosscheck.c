/* SPDX-License-Identifier: Apache-2.0 */
#include "judge/aten_crosscheck.h"

#include "op/fill.h"

#include <math.h>
#include <string.h>

/* Fractions of an error weight by which two answers may differ: if the results are double, single,
 * or half precision. For halves it is larger, because CUDA's hardswish uses a sixth in single
 * precision, whatever precision is requested. */
static const double slack_double = 0x1p-51, slack_single = 0x1p-40, slack_half = 0x1p-34;
/* factor by which error weights may differ; beyond it, torch has another error there */
static const double looser = 4;

/* --- answers --------------------------------------------------------------------------------------------- */

bool ay_aten_crosscheck_agree(const struct ay_expected *x, const struct ay_expected *y)
{
	bool same = x->n == y->n;

	for (int i = 0; same && i < x->n; i++) {
		const struct ay_meta *p = &x->answer[i].meta, *q = &y->answer[i].meta;

		same = p->dt == q->dt && p->ndim == q->ndim && p->absent == q->absent &&
		       !memcmp(p->shape, q->shape, sizeof *p->shape * (size_t)p->ndim);
	}
	return same;
}

static double slack_of(enum ay_dt part)
{
	switch (ay_dt_info(part)->bytes) {
	case 8: return slack_double;
	case 4: return slack_single;
	default: return slack_half;
	}
}

static bool is_near(double x, double y, double by)
{
	if (isnan(x) || isnan(y))
		return isnan(x) && isnan(y);
	return x == y || fabs(x - y) <= by;
}

static bool concur_on(const struct ay_answer *x, const struct ay_answer *y)
{
	const struct ay_dt_info *dt = ay_dt_info(x->want.dt);
	const int64_t n = ay_numel_of(&x->want), parts = ay_dt_component(x->want.dt) == x->want.dt ? 1 : 2;
	const double slack = slack_of(ay_dt_component(x->meta.dt));
	const double *p = x->want.data, *q = y->want.data;
	/* sums of all weights, because a single element near zero can have any weight */
	double ours = 0, its = 0;

	if (x->want.dt != y->want.dt || !x->mag != !y->mag)
		return false;
	if (!x->mag)
		return !n || !memcmp(p, q, (size_t)(n * dt->bytes));
	for (int64_t i = 0; i < n * parts; i++) {
		if (!is_near(p[i], q[i], slack * x->mag[i / parts]))
			return false;
		ours += fmax(x->mag[i / parts], 0);
		its += fmax(y->mag[i / parts], 0);
	}
	return its <= looser * ours;
}

bool ay_aten_crosscheck_concur(const struct ay_expected *x, const struct ay_expected *y)
{
	bool same = ay_aten_crosscheck_agree(x, y);

	for (int i = 0; same && i < x->n; i++)
		same = x->answer[i].meta.absent || concur_on(&x->answer[i], &y->answer[i]);
	return same;
}

/* --- kinds ----------------------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t h, uint64_t x)
{
	/* the prime of FNV-1a: different kinds get different hashes */
	return (h ^ x) * 0x100000001b3;
}

/* Mixes a value into the hash. Numbers do not matter for the kind, lengths of lists do. */
static uint64_t mix_value(uint64_t h, const struct ay_value *v)
{
	h = mix(h, v->kind);
	if (v->kind == AY_V_BOOL)
		h = mix(h, v->b);
	if (v->kind == AY_V_DTYPE)
		h = mix(h, v->dt);
	for (int i = 0; v->kind == AY_V_LIST && i < v->list.n; i++)
		h = mix_value(h, &v->list.v[i]);
	return h;
}

/* A bias that is None, half types beside float, or a flag may change more than the values of the
 * results. So they belong to the kind. */
uint64_t ay_aten_crosscheck_kind(const struct ay_call *c)
{
	uint64_t h = mix(1, (uintptr_t)c->s);

	for (int i = 0; i < c->s->narg; i++) {
		const struct ay_barg *arg = &c->arg[i];

		if (!ay_stype_is_tensor(&arg->s->type))
			h = mix_value(h, &arg->v);
		for (int k = 0; ay_stype_is_tensor(&arg->s->type) && k < arg->n; k++)
			h = mix(h, arg->t[k] ? (uint64_t)arg->t[k]->view.dt << 8 | (uint64_t)arg->t[k]->view.ndim
					     : UINT64_MAX);
	}
	return h;
}

/* --- smaller calls --------------------------------------------------------------------------------------- */

enum {
	SMALL_SIZE = 16, /* sizes up to this stay unchanged: kernels of 3 by 3, lists of axes */
	LEAST_SIZE = 4,  /* least size that larger ones are reduced to */
	SIZES = 32,      /* most sizes that are collected */
};

struct sizes {
	int64_t size[SIZES];
	int n;
};

static int find(const struct sizes *s, int64_t size)
{
	for (int i = 0; i < s->n; i++)
		if (s->size[i] == size)
			return i;
	return -1;
}

static void add(struct sizes *s, int64_t size)
{
	if (size > SMALL_SIZE && s->n < SIZES && find(s, size) < 0)
		s->size[s->n++] = size;
}

static const struct ay_view *largest_of(const struct ay_call *c)
{
	const struct ay_view *v = NULL;

	for (int i = 0; i < c->noperand; i++)
		if (!v || ay_numel_of(&c->operand[i]->view) > ay_numel_of(v))
			v = &c->operand[i]->view;
	return v;
}

/* Chooses the sizes to reduce by strategy `way`. 0: all sizes. 1: batches and channels only, since
 * heights and widths of two images depend on each other. 2 and above: one size alone, for lists
 * that contain products of the others. */
static void choose_sizes(const struct ay_call *c, int way, struct sizes *s)
{
	const struct ay_view *v = largest_of(c);

	*s = (struct sizes){ .n = 0 };
	if (!v)
		return;
	if (way >= 2) {
		const int d = way < 4 ? way - 2 : v->ndim - 1;

		if (d >= 0 && d < v->ndim)
			add(s, v->shape[d]);
		return;
	}
	for (int i = 0; i < c->noperand; i++)
		for (int d = 0; d < c->operand[i]->view.ndim && (!way || d < 2); d++)
			add(s, c->operand[i]->view.shape[d]);
}

/* Returns the reduced size. Distinct sizes stay distinct, and odd sizes stay odd. */
static int64_t small_size(const struct sizes *s, int64_t size)
{
	const int i = find(s, size);

	return i < 0 ? size : LEAST_SIZE + 2 * i + size % 2;
}

static void shrink_value(struct ay_arena *a, const struct sizes *s, struct ay_value *v)
{
	if (v->kind == AY_V_INT)
		v->i = small_size(s, v->i);
	if (v->kind != AY_V_LIST || !v->list.n)
		return;
	v->list.v = memcpy(AY_NEW_N(a, struct ay_value, v->list.n), v->list.v,
			   sizeof *v->list.v * (size_t)v->list.n);
	for (int i = 0; i < v->list.n; i++)
		shrink_value(a, s, &v->list.v[i]);
}

/* Reduces the sizes of a view. The result is dense, with its dimensions in the same order in
 * memory. */
static void shrink_view(const struct sizes *s, struct ay_view *v)
{
	const struct ay_view was = *v;

	v->offset = 0;
	for (int d = 0; d < v->ndim; d++)
		v->shape[d] = small_size(s, v->shape[d]);
	for (int d = 0; d < v->ndim; d++) {
		v->stride[d] = was.stride[d] != 0;
		for (int k = 0; k < v->ndim && was.stride[d]; k++)
			if (was.stride[k] &&
			    (was.stride[k] < was.stride[d] || (was.stride[k] == was.stride[d] && k > d)))
				v->stride[d] *= v->shape[k] > 1 ? v->shape[k] : 1;
	}
}

static struct ay_operand *shrink_operand(struct ay_arena *a, const struct sizes *s, const struct ay_operand *was)
{
	struct ay_operand *o = AY_NEW(a, struct ay_operand);

	*o = *was;
	if (o->data) /* data given by the line has a fixed shape */
		return o;
	shrink_view(s, &o->view);
	if (o->fill.n) /* arguments of the fill may be bounds of indices into a reduced size */
		o->fill.arg = memcpy(AY_NEW_N(a, struct ay_value, o->fill.n), o->fill.arg,
				     sizeof *o->fill.arg * (size_t)o->fill.n);
	for (int i = 0; i < o->fill.n; i++) {
		struct ay_value *v = &o->fill.arg[i];

		if (v->kind == AY_V_FLOAT && fabs(v->f) < 0x1p53 && (double)(int64_t)v->f == v->f)
			v->f = (double)small_size(s, (int64_t)v->f);
		shrink_value(a, s, v);
	}
	return o;
}

static void shrink_argument(struct ay_arena *a, const struct sizes *s, const struct ay_call *was,
			    struct ay_call *c, struct ay_barg *arg)
{
	if (arg->s->type.base == AY_TYPE_INT || arg->s->type.base == AY_TYPE_SYMINT)
		shrink_value(a, s, &arg->v);
	if (arg->v.kind == AY_V_INT && arg->scalar.data)
		*(int64_t *)arg->scalar.data = arg->v.i;
	if (!arg->n)
		return;
	arg->t = memcpy(AY_NEW_N(a, struct ay_operand *, arg->n), arg->t, sizeof *arg->t * (size_t)arg->n);
	for (int k = 0; k < arg->n; k++)
		for (int i = 0; i < was->noperand; i++)
			if (was->operand[i] == arg->t[k])
				arg->t[k] = c->operand[i];
}

struct ay_call *ay_aten_crosscheck_smaller(struct ay_arena *a, const struct ay_call *was, int way)
{
	struct ay_call *c = AY_NEW(a, struct ay_call);
	struct sizes s;

	AY_ASSERT(!was->given);
	choose_sizes(was, way, &s);
	if (!s.n)
		return NULL;
	*c = *was;
	c->operand = AY_NEW_N(a, struct ay_operand *, was->noperand + 1);
	for (int i = 0; i < was->noperand; i++)
		c->operand[i] = shrink_operand(a, &s, was->operand[i]);
	c->arg = ay_call_copy_args(a, was, 0);
	for (int i = 0; i < was->s->narg; i++)
		shrink_argument(a, &s, was, c, &c->arg[i]);
	for (int i = 0; i < c->noperand; i++) {
		struct ay_err ignored = { 0 };

		if (c->operand[i]->role != AY_OUT && ay_fill_check(c, c->operand[i], &ignored))
			return NULL;
	}
	return c;
}
