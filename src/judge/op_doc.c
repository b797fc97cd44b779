/* SPDX-License-Identifier: Apache-2.0 */
#include "judge/op_doc.h"

#include "op/fill.h"
#include "op/op.h"
#include "oracle/oracle.h"
#include "timing/floor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_empty(const struct ay_view *v)
{
	return !ay_numel_of(v);
}

static bool is_zero_dim(const struct ay_view *v)
{
	return !v->ndim;
}

static bool is_expanded(const struct ay_view *v)
{
	for (int d = 0; d < v->ndim; d++)
		if (v->shape[d] > 1 && !v->stride[d])
			return true;
	return false;
}

static bool is_strided(const struct ay_view *v)
{
	return ay_numel_of(v) > 1 && !ay_view_is_dense(v) && !is_expanded(v);
}

static bool has_offset(const struct ay_view *v)
{
	return v->offset > 0;
}

static bool is_lazy(const struct ay_view *v)
{
	return v->conj || v->neg;
}

static const struct {
	const char *word;
	bool (*is)(const struct ay_view *v);
} layouts[] = {
	{ "empty", is_empty },       { "0-dim", is_zero_dim }, { "strided", is_strided },
	{ "expanded", is_expanded }, { "offset", has_offset }, { "conj or neg", is_lazy },
};
enum { LAYOUTS = sizeof layouts / sizeof *layouts };
_Static_assert(sizeof layouts / sizeof *layouts <= AY_OP_DOC_LAYOUTS, "layouts are counted in struct ay_op_doc");

const char *ay_op_doc_layout(int k)
{
	return k < LAYOUTS ? layouts[k].word : NULL;
}

static void add_text(struct ay_arena *a, struct ay_op_doc_texts *t, const char *text)
{
	for (int i = 0; i < t->n; i++)
		if (!strcmp(t->text[i], text))
			return;
	if (t->n < AY_OP_DOC_TEXTS)
		t->text[t->n++] = ay_strdup(a, text);
}

static struct ay_op_doc_arg *find_arg(struct ay_op_doc *p, const char *name)
{
	for (int i = 0; i < p->narg; i++)
		if (!strcmp(p->arg[i].name, name))
			return &p->arg[i];
	if (p->narg == AY_OP_DOC_ARGS)
		return NULL;
	p->arg[p->narg].name = name;
	return &p->arg[p->narg++];
}

static void note_operand(struct ay_arena *a, struct ay_op_doc *p, const struct ay_operand *o)
{
	struct ay_op_doc_arg *arg = find_arg(p, o->name);
	struct ay_str b = { 0 };

	if (o->role != AY_IN)
		p->results |= 1ull << o->view.dt;
	if (!arg || o->wrapped)
		return;
	arg->dtypes |= 1ull << o->view.dt;
	arg->most = ay_numel_of(&o->view) > arg->most ? ay_numel_of(&o->view) : arg->most;
	for (int d = 0; d < o->view.ndim; d++)
		ay_str_addf(&b, "%s%lld", d ? ", " : "", (long long)o->view.shape[d]);
	add_text(a, &arg->value, ay_sprintf(a, "[%s]", ay_str_text(&b)));
	ay_str_release(&b);
	if (o->role == AY_IN || o->role == AY_INOUT)
		add_text(a, &p->fills, o->data ? "data=" : o->fill.name);
}

static void note_call(struct ay_arena *a, struct ay_op_doc *p, const struct ay_call *c)
{
	bool has[LAYOUTS] = { false };
	const char *why = c->op->aten_differs ? c->op->aten_differs(c) : NULL;
	int k = 0;

	for (int i = 0; i < c->s->narg; i++) {
		struct ay_str b = { 0 };
		struct ay_op_doc_arg *arg = find_arg(p, c->s->arg[i].name);

		if (arg && !ay_stype_is_tensor(&c->s->arg[i].type) &&
		    c->s->arg[i].type.base != AY_TYPE_GENERATOR) {
			ay_value_print(&b, &c->arg[i].v);
			add_text(a, &arg->value, ay_str_text(&b));
		}
		ay_str_release(&b);
	}
	for (int i = 0; i < c->noperand; i++) {
		note_operand(a, p, c->operand[i]);
		for (int l = 0; l < LAYOUTS && c->operand[i]->role != AY_RESULT; l++)
			has[l] |= !c->operand[i]->wrapped && layouts[l].is(&c->operand[i]->view);
	}
	for (int l = 0; l < LAYOUTS; l++)
		p->layout[l] += has[l];
	while (why && k < p->ndiffer && strcmp(p->differ[k].why, why) != 0)
		k++;
	if (why && k < AY_OP_DOC_DIFFERS) {
		p->ndiffer += k == p->ndiffer;
		p->differ[k].why = why;
		p->differ[k].cases++;
	}
}

bool ay_op_doc_has_bound(const struct ay_op *op)
{
	return op->reference && !op->scalar && !(op->flags & (AY_EXACT | AY_META | AY_RANDOM | AY_UNCATALOGUED));
}

/* Chooses, for each dtype, the largest quick case of ordinary numbers whose reference takes no
 * time. */
static void choose_bound(struct ay_op_doc *p, const struct ay_suite_case *sc, const struct ay_call *c)
{
	enum { MOST = 1 << 15 };
	struct ay_op_doc_bound *b;
	int64_t n = 0;

	if (sc->tier != AY_QUICK || !c->nout || !ay_view_is_dense(&c->out[0]->view) ||
	    ay_dt_is_integral(c->out[0]->view.dt) || !ay_numel_of(&c->out[0]->view))
		return;
	for (int i = 0; i < c->noperand; i++) {
		n += ay_numel_of(&c->operand[i]->view);
		if (c->operand[i]->role == AY_IN && !c->operand[i]->data &&
		    (!strcmp(c->operand[i]->fill.name, "special") ||
		     !strcmp(c->operand[i]->fill.name, "nonfinite")))
			return;
	}
	b = &p->bound[c->out[0]->view.dt];
	if (n <= MOST && n > b->elements)
		b->elements = n, b->line = sc->line;
}

static int by_size(const void *x, const void *y)
{
	const double a = *(const double *)x, b = *(const double *)y;

	return (a > b) - (a < b);
}

/* Determines the width of the bound on one case. All results are set to a huge value, so each
 * row's first element is wrong, and the oracle reports its bound. */
static int look_at_bound(const struct ay_op_doc_spec *s, struct ay_op_doc_bound *b, struct ay_err *err)
{
	enum { ROWS = 128, HUGE_BYTE = 0x7b }; /* finite in every dtype */
	struct ay_case line = *b->line;
	struct ay_arena a = { 0 };
	const struct ay_schema *schema;
	struct ay_call *c;
	struct ay_diff *d;
	double *ulps;
	int64_t rows;

	line.has_seed = true;
	line.seed = 1;
	if (!ay_registry_find_case(s->registry, &line, &schema, err) ||
	    ay_call_bind(&a, s->op->op[0], schema, &line, &c, err))
		return ay_arena_release(&a), -1;
	ay_fill_call(&a, c);
	memset(c->out[0]->view.data, HUGE_BYTE,
	       (size_t)ay_numel_of(&c->out[0]->view) * (size_t)ay_dt_info(c->out[0]->view.dt)->bytes);
	d = AY_NEW_N(&a, struct ay_diff, c->nout);
	ulps = AY_NEW_N(&a, double, ROWS + 1);
	rows = ay_oracle_rows(s->op, c);
	for (int64_t r = 0; r < rows && b->seen < ROWS; r++) {
		struct ay_compare q = { .op = s->op, .call = c, .threads = 1, .row_lo = r, .row_hi = r + 1 };

		ay_oracle_compare(&q, d);
		ulps[b->seen] = (double)(d[0].bound / ay_dt_ulp(ay_dt_component(c->out[0]->view.dt), d[0].want));
		b->seen += d[0].bad && isfinite(ulps[b->seen]);
	}
	qsort(ulps, (size_t)b->seen, sizeof *ulps, by_size);
	b->least = ulps[0];
	b->median = ulps[b->seen / 2];
	ay_arena_release(&a);
	return 0;
}

/* Adds a floor: keeps the first timed cases of different cost, and the most expensive one as the
 * last. */
static void note_floor(struct ay_op_doc *p, const struct ay_call *c, const struct ay_case *line)
{
	struct ay_op_doc_floor new = { .line = line };
	struct ay_floor k;

	ay_floor_cost(c, &k);
	new.bytes = k.bytes, new.flops = k.flops;
	if (p->measured) { /* for sets that no cache holds, as in timing */
		ay_floor(c, &p->ceilings, 1, INFINITY, 0, &k);
		new.ns_one = k.ns;
		ay_floor(c, &p->ceilings, p->ceilings.cpus, INFINITY, 0, &k);
		new.ns_all = k.ns;
		new.ns_flops = k.flops / ay_ceiling_flops(&p->ceilings, p->ceilings.cpus, ay_case_dtype(line)) *
			       1e9;
	}
	for (int i = 0; i < p->nfloor; i++)
		if (p->floor[i].bytes == new.bytes && p->floor[i].flops == new.flops)
			return;
	if (p->nfloor < AY_OP_DOC_FLOORS)
		p->floor[p->nfloor++] = new;
	else if (new.bytes > p->floor[AY_OP_DOC_FLOORS - 1].bytes)
		p->floor[AY_OP_DOC_FLOORS - 1] = new;
}

/* Keeps the cases of one overload, unless it has none: an in-place form may be judged only by
 * cases of other overloads. */
static void keep_only(struct ay_suite *s, const struct ay_schema *only)
{
	int n = 0;

	for (int i = 0; i < s->n; i++)
		n += s->c[i].schema == only;
	if (!n)
		return;
	n = 0;
	for (int i = 0; i < s->n; i++)
		if (s->c[i].schema == only)
			s->c[n++] = s->c[i];
	s->n = n;
}

static int take_cases(const struct ay_op_doc_spec *s, struct ay_arena *a, struct ay_suite *own, struct ay_err *err)
{
	if (!s->suite && ay_suite_add_op(own, a, s->registry, s->op, AY_PERF, err))
		return -1;
	for (int i = 0; s->suite && i < s->suite->n; i++)
		if (s->suite->c[i].op == s->op)
			ay_suite_push(own, &s->suite->c[i]);
	if (s->only)
		keep_only(own, s->only);
	return 0;
}

static bool has_bound_seen(const struct ay_op_doc *p)
{
	for (int dt = 0; dt < AY_DT_COUNT; dt++)
		if (p->bound[dt].line)
			return true;
	return false;
}

/* Chooses the operator's own cases for the bound, if the suite has no small ones. The bound does
 * not depend on the suite. */
static int choose_own_bound(const struct ay_op_doc_spec *s, struct ay_arena *a, struct ay_op_doc *p,
			    struct ay_err *err)
{
	struct ay_suite own = { 0 };
	int rc = ay_suite_add_op(&own, a, s->registry, s->op, AY_QUICK, err);

	for (int i = 0; i < own.n && !rc; i++) {
		struct ay_call *c;

		rc = ay_call_bind(a, s->op->op[0], own.c[i].schema, own.c[i].line, &c, err);
		if (!rc)
			choose_bound(p, &own.c[i], c);
	}
	ay_suite_release(&own);
	return rc;
}

static int look_at_cases(const struct ay_op_doc_spec *s, struct ay_arena *a, struct ay_op_doc *p,
			 struct ay_err *err)
{
	const struct ay_op *op = s->op->op[0];

	for (int i = 0; i < p->suite.n; i++) {
		const struct ay_suite_case *sc = &p->suite.c[i];
		struct ay_call *c;

		p->tier[sc->tier]++;
		p->derived += sc->derived;
		if (ay_call_bind(a, op, sc->schema, sc->line, &c, err))
			return -1;
		note_call(a, p, c);
		choose_bound(p, sc, c);
		if ((sc->tier == AY_PERF || sc->timed) && !(op->flags & (AY_META | AY_UNCATALOGUED)))
			note_floor(p, c, sc->line);
	}
	return 0;
}

int ay_op_doc_make(const struct ay_op_doc_spec *s, struct ay_arena *a, struct ay_op_doc *p, struct ay_err *err)
{
	const bool has_bound = ay_op_doc_has_bound(s->op->op[0]);

	*p = (struct ay_op_doc){ .op = s->op, .measured = s->ceilings };
	if (s->ceilings)
		p->ceilings = *s->ceilings;
	if (take_cases(s, a, &p->suite, err) || look_at_cases(s, a, p, err))
		return -1;
	if (s->suite && has_bound && !has_bound_seen(p) && choose_own_bound(s, a, p, err))
		return -1;
	for (int dt = 0; dt < AY_DT_COUNT && has_bound; dt++)
		if (p->bound[dt].line && look_at_bound(s, &p->bound[dt], err))
			return -1;
	return 0;
}

void ay_op_doc_release(struct ay_op_doc *p)
{
	ay_suite_release(&p->suite);
}
