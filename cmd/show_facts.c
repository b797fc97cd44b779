/* SPDX-License-Identifier: Apache-2.0 */
#include "show.h"
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
_Static_assert(sizeof layouts / sizeof *layouts <= FACT_LAYOUTS, "layouts are counted in struct facts");

const char *layout_word(int k)
{
	return k < LAYOUTS ? layouts[k].word : NULL;
}

static void add_text(struct ay_arena *a, struct texts *t, const char *text)
{
	for (int i = 0; i < t->n; i++)
		if (!strcmp(t->text[i], text))
			return;
	if (t->n < FACT_TEXTS)
		t->text[t->n++] = ay_strdup(a, text);
}

static struct arg_facts *find_arg(struct facts *f, const char *name)
{
	for (int i = 0; i < f->narg; i++)
		if (!strcmp(f->arg[i].name, name))
			return &f->arg[i];
	if (f->narg == FACT_ARGS)
		return NULL;
	f->arg[f->narg].name = name;
	return &f->arg[f->narg++];
}

static void note_operand(struct ay_arena *a, struct facts *f, const struct ay_operand *o)
{
	struct arg_facts *arg = find_arg(f, o->name);
	struct ay_str b = { 0 };

	if (o->role != AY_IN)
		f->results |= 1ull << o->view.dt;
	if (!arg || o->wrapped)
		return;
	arg->dtypes |= 1ull << o->view.dt;
	arg->most = ay_numel_of(&o->view) > arg->most ? ay_numel_of(&o->view) : arg->most;
	for (int d = 0; d < o->view.ndim; d++)
		ay_str_addf(&b, "%s%lld", d ? ", " : "", (long long)o->view.shape[d]);
	add_text(a, &arg->value, ay_sprintf(a, "[%s]", ay_str_text(&b)));
	ay_str_release(&b);
	if (o->role == AY_IN || o->role == AY_INOUT)
		add_text(a, &f->fills, o->data ? "data=" : o->fill.name);
}

static void note_call(struct ay_arena *a, struct facts *f, const struct ay_call *c)
{
	bool has[LAYOUTS] = { false };
	const char *why = c->op->aten_differs ? c->op->aten_differs(c) : NULL;
	int k = 0;

	for (int i = 0; i < c->s->narg; i++) {
		struct ay_str b = { 0 };
		struct arg_facts *arg = find_arg(f, c->s->arg[i].name);

		if (arg && !ay_stype_is_tensor(&c->s->arg[i].type) &&
		    c->s->arg[i].type.base != AY_TYPE_GENERATOR) {
			ay_value_print(&b, &c->arg[i].v);
			add_text(a, &arg->value, ay_str_text(&b));
		}
		ay_str_release(&b);
	}
	for (int i = 0; i < c->noperand; i++) {
		note_operand(a, f, c->operand[i]);
		for (int l = 0; l < LAYOUTS && c->operand[i]->role != AY_RESULT; l++)
			has[l] |= !c->operand[i]->wrapped && layouts[l].is(&c->operand[i]->view);
	}
	for (int l = 0; l < LAYOUTS; l++)
		f->layout[l] += has[l];
	while (why && k < f->ndiffer && strcmp(f->differ[k].why, why) != 0)
		k++;
	if (why && k < FACT_DIFFERS) {
		f->ndiffer += k == f->ndiffer;
		f->differ[k].why = why;
		f->differ[k].cases++;
	}
}

bool has_bound(const struct ay_op *op)
{
	return op->reference && !op->scalar && !(op->flags & (AY_EXACT | AY_META | AY_RANDOM));
}

/* The largest quick case of each dtype, of ordinary numbers, whose reference takes no time. */
static void choose_bound(struct facts *f, const struct ay_suite_case *sc, const struct ay_call *c)
{
	enum { MOST = 1 << 15 };
	struct bound_facts *b;
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
	b = &f->bound[c->out[0]->view.dt];
	if (n <= MOST && n > b->elements)
		b->elements = n, b->line = sc->line;
}

static int by_size(const void *x, const void *y)
{
	const double a = *(const double *)x, b = *(const double *)y;

	return (a > b) - (a < b);
}

/* The result is huge everywhere: each row's first element is wrong, and the oracle says by what bound. */
static int look_at_bound(struct app *app, const struct ay_entry_op *e, struct bound_facts *b, struct ay_err *err)
{
	enum { ROWS = 128, HUGE_BYTE = 0x7b }; /* finite in every dtype */
	struct ay_case line = *b->line;
	struct ay_arena a = { 0 };
	const struct ay_schema *s;
	struct ay_call *c;
	struct ay_diff *d;
	double *ulps;
	int64_t rows;

	line.has_seed = true;
	line.seed = 1;
	if (!ay_registry_find_case(app->registry, &line, &s, err) || ay_call_bind(&a, e->op[0], s, &line, &c, err))
		return ay_arena_release(&a), -1;
	ay_fill_call(&a, c);
	memset(c->out[0]->view.data, HUGE_BYTE,
	       (size_t)ay_numel_of(&c->out[0]->view) * (size_t)ay_dt_info(c->out[0]->view.dt)->bytes);
	d = AY_NEW_N(&a, struct ay_diff, c->nout);
	ulps = AY_NEW_N(&a, double, ROWS + 1);
	rows = ay_oracle_rows(e, c);
	for (int64_t r = 0; r < rows && b->seen < ROWS; r++) {
		struct ay_compare q = { .op = e, .call = c, .threads = 1, .row_lo = r, .row_hi = r + 1 };

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

static bool is_double(const struct ay_case *line)
{
	const enum ay_dt dt = ay_case_dtype(line);

	return dt == AY_DT_F64 || dt == AY_DT_C128;
}

/* The first timed cases of different cost, and the most expensive one as the last. */
static void note_floor(struct facts *f, const struct ay_call *c, const struct ay_case *line)
{
	struct floor_facts new = { .line = line };
	struct ay_floor k;

	ay_floor_cost(c, &k);
	new.bytes = k.bytes, new.flops = k.flops;
	if (f->measured) { /* a pool that no cache holds, as the timing's own */
		ay_floor(c, &f->ceilings, 1, INFINITY, 0, &k);
		new.ns_one = k.ns;
		ay_floor(c, &f->ceilings, f->ceilings.cpus, INFINITY, 0, &k);
		new.ns_all = k.ns;
		new.ns_flops = k.flops / ay_ceiling_flops(&f->ceilings, f->ceilings.cpus, is_double(line)) * 1e9;
	}
	for (int i = 0; i < f->nfloor; i++)
		if (f->floor[i].bytes == new.bytes && f->floor[i].flops == new.flops)
			return;
	if (f->nfloor < FACT_FLOORS)
		f->floor[f->nfloor++] = new;
	else if (new.bytes > f->floor[FACT_FLOORS - 1].bytes)
		f->floor[FACT_FLOORS - 1] = new;
}

int facts_gather(struct app *app, const struct ay_entry_op *e, struct facts *f, struct ay_err *err)
{
	struct ay_err ignored = { 0 };

	*f = (struct facts){ 0 };
	if (ay_ceilings_load(&f->ceilings, &f->measured, &ignored))
		f->measured = false;
	if (ay_suite_add_op(&f->suite, app->arena, app->registry, e, AY_PERF, err))
		return -1;
	for (int i = 0; i < f->suite.n; i++) {
		const struct ay_suite_case *sc = &f->suite.c[i];
		struct ay_call *c;

		f->tier[sc->tier]++;
		f->derived += sc->derived;
		if (ay_call_bind(app->arena, e->op[0], sc->schema, sc->line, &c, err))
			return -1;
		note_call(app->arena, f, c);
		choose_bound(f, sc, c);
		if (sc->tier == AY_PERF && !(e->op[0]->flags & AY_META))
			note_floor(f, c, sc->line);
	}
	for (int dt = 0; dt < AY_DT_COUNT && has_bound(e->op[0]); dt++)
		if (f->bound[dt].line && look_at_bound(app, e, &f->bound[dt], err))
			return -1;
	return 0;
}

void facts_release(struct facts *f)
{
	ay_suite_release(&f->suite);
}
