/* SPDX-License-Identifier: Apache-2.0 */
#include "op/suite_internal.h"
#include "op/grid.h"

#include <string.h>

/* For how many points of a functional line the out= and in-place cases are derived too. */
enum { TWINS_PER_LINE = 4 };

struct adder {
	struct ay_suite *suite;
	struct ay_arena *a;
	const struct ay_registry *r;
	const struct ay_entry_op *e;
	struct ay_err *err;
	const struct ay_cases *row;
	const struct ay_template *t;
	/* for derived cases: the wanted form, and how many cases of a line there may be */
	struct ay_twin twin;
	const struct ay_schema *functional;
	const struct ay_entry_op *from;
	int limit;
};

void ay_suite_push(struct ay_suite *s, const struct ay_suite_case *c)
{
	if (s->n == s->cap) {
		s->cap = s->cap ? s->cap * 2 : 64;
		s->c = ay_xrealloc(s->c, sizeof *s->c * (size_t)s->cap);
	}
	s->c[s->n++] = *c;
}

static void push(struct adder *d, const struct ay_schema *s, const struct ay_case *line, bool derived)
{
	ay_suite_push(d->suite, &(struct ay_suite_case){ d->e, s, line, d->row->tier, derived, 0 });
}

/* Expands the case at one point and finds its schema. */
static int expand(struct adder *d, const struct ay_scope *scope, const struct ay_entry_op *owner,
		  struct ay_case **line, const struct ay_schema **s)
{
	if (ay_template_expand(d->a, d->t, scope, line, d->err))
		return -1;
	if (!(*line)->base) {
		*s = owner->schema[0];
		(*line)->ns = (*s)->ns;
		(*line)->base = (*s)->base;
		(*line)->overload = (*s)->overload;
		return 0;
	}
	return ay_registry_find_case(d->r, *line, s, d->err) ? 0 : -1;
}

static int add_point(void *user, const struct ay_scope *scope)
{
	struct adder *d = user;
	const struct ay_schema *s;
	struct ay_case *line;

	if (expand(d, scope, d->e, &line, &s))
		return -1;
	push(d, s, line, false);
	return 0;
}

/* --- derived cases ---------------------------------------------------------------------------- */

static bool takes(const struct ay_schema *s, const char *name)
{
	for (int i = 0; i < s->narg; i++)
		if (!strcmp(s->arg[i].name, name))
			return true;
	return false;
}

/* Makes an out= argument for a result: dense and with gaps between the elements, by turns. */
static struct ay_value out_tensor(struct ay_arena *a, bool gaps, const struct ay_view *v)
{
	struct ay_tdesc *t = AY_NEW(a, struct ay_tdesc);

	t->dt = v->dt;
	t->ndim = v->ndim;
	memcpy(t->shape, v->shape, sizeof t->shape);
	if (gaps) {
		ay_strides_dense(t->ndim, t->shape, t->stride);
		for (int i = 0; i < t->ndim; i++)
			t->stride[i] *= 2;
		t->has_stride = t->ndim > 0;
		t->offset = 1;
	}
	return (struct ay_value){ .kind = AY_V_TENSOR, .t = t };
}

/* Makes a list argument out of all results from *k on. */
static struct ay_value out_list(struct ay_arena *a, bool gaps, const struct ay_call *c, int *k)
{
	struct ay_value list = { .kind = AY_V_LIST };

	list.list.v = AY_NEW_N(a, struct ay_value, c->nout + 1);
	while (*k < c->nout)
		list.list.v[list.list.n++] = out_tensor(a, gaps, &c->out[(*k)++]->view);
	return list;
}

static bool same_meta(const struct ay_view *a, const struct ay_view *b)
{
	return a->dt == b->dt && a->ndim == b->ndim &&
	       !memcmp(a->shape, b->shape, sizeof *a->shape * (size_t)a->ndim);
}

struct ay_case *ay_twin_line(struct ay_arena *a, const struct ay_twin *twin, const struct ay_case *line,
			     const struct ay_call *c)
{
	struct ay_case *t = AY_NEW(a, struct ay_case);
	const bool gaps = twin->made % 2;
	int first = -1;

	*t = *line;
	t->base = twin->form->base;
	t->overload = twin->form->overload;
	t->nkw = 0;
	t->kw = AY_NEW_N(a, struct ay_kw, line->nkw + c->nout + 1);
	for (int i = 0; i < line->nkw; i++)
		if (takes(twin->form, line->kw[i].name))
			t->kw[t->nkw++] = line->kw[i];
	for (int i = 0, k = 0; i < twin->form->narg; i++) {
		const struct ay_sarg *arg = &twin->form->arg[i];

		if (!ay_stype_written(&arg->type))
			continue;
		if (!arg->kwonly) {
			first = i;
			continue;
		}
		if (k >= c->nout && !arg->type.list)
			return NULL;
		t->kw[t->nkw++] = (struct ay_kw){ .name = arg->name,
						  .v = arg->type.list ? out_list(a, gaps, c, &k)
								      : out_tensor(a, gaps, &c->out[k++]->view) };
	}
	if (first < 0)
		return t;
	/* in place: the result must fit into self, and self must be a tensor without
	 * overlapping elements */
	if (first != 0 || c->nout != 1 || !c->arg[0].n || !c->arg[0].t[0] || c->arg[0].t[0]->wrapped ||
	    !same_meta(&c->arg[0].t[0]->view, &c->out[0]->view) || ay_view_overlaps(&c->arg[0].t[0]->view))
		return NULL;
	return t;
}

static int add_twin(void *user, const struct ay_scope *scope)
{
	struct adder *d = user;
	const struct ay_schema *s;
	struct ay_case *line;
	struct ay_call *c;

	if (d->twin.made >= d->limit)
		return 0;
	if (expand(d, scope, d->from, &line, &s))
		return -1;
	if (s != d->functional)
		return 0;
	if (ay_call_bind(d->a, d->from->op[0], s, line, &c, d->err))
		return -1;
	line = ay_twin_line(d->a, &d->twin, line, c);
	if (!line)
		return 0;
	d->twin.made++;
	/* cases from another operator's lines are all that this operator has: not marked as derived */
	push(d, d->twin.form, line, d->from == d->e);
	return 0;
}

static int each_row(struct adder *d, const struct ay_entry_op *from, enum ay_tier max,
		    int (*each)(void *, const struct ay_scope *))
{
	for (const struct ay_cases *row = from->op[0]->cases; row < from->op[0]->cases + AY_MAX_CASES && row->line;
	     row++) {
		struct ay_template *t;

		if (row->tier > max)
			continue;
		d->row = row;
		d->twin.made = 0;
		if (ay_template_parse(d->a, row->line, &t, d->err) ||
		    (d->t = t, ay_grid_each(d->a, row->grid, each, d, d->err))) {
			ay_err_prefix(d->err, "%s, case row %d", from->path, (int)(row - from->op[0]->cases) + 1);
			return -1;
		}
	}
	return 0;
}

static bool has_own_cases(const struct ay_suite *s, int from, const struct ay_schema *schema)
{
	for (int i = from; i < s->n; i++)
		if (s->c[i].schema == schema)
			return true;
	return false;
}

int ay_suite_add_op(struct ay_suite *s, struct ay_arena *a, const struct ay_registry *r,
		    const struct ay_entry_op *e, enum ay_tier max, struct ay_err *err)
{
	struct adder d = { .suite = s, .a = a, .r = r, .e = e, .err = err };
	int from = s->n, own;

	if (each_row(&d, e, max, add_point))
		return -1;
	own = s->n;
	for (int k = 0; k < e->nschema; k++) {
		if (has_own_cases(s, from, e->schema[k]))
			continue;
		d.twin.form = e->schema[k];
		d.functional = ay_registry_functional(r, d.twin.form, &d.from);
		if (!d.functional)
			continue;
		/* an operator without lines of its own (add_) gets all lines of its
		 * functional form */
		d.limit = own == from || e->op[0]->flags & AY_TWINS ? 1 << 30 : TWINS_PER_LINE;
		if (each_row(&d, d.from, max, add_twin))
			return -1;
	}
	return 0;
}

void ay_suite_release(struct ay_suite *s)
{
	ay_xfree(s->c);
	*s = (struct ay_suite){ 0 };
}
