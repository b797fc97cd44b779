/* SPDX-License-Identifier: Apache-2.0 */
#include "show.h"
#include "op/op.h"
#include "timing/floor.h"

#include <math.h>
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

		if (arg && !ay_stype_is_tensor(&c->s->arg[i].type)) {
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
		if (sc->tier == AY_PERF && !(e->op[0]->flags & AY_META))
			note_floor(f, c, sc->line);
	}
	return 0;
}

void facts_release(struct facts *f)
{
	ay_suite_release(&f->suite);
}
