/* SPDX-License-Identifier: Apache-2.0 */
#include "judge/call_class.h"

#include <stdlib.h>
#include <string.h>

enum {
	POPULATION = 300, /* drawn cases of an overload, in which properties are looked for */
	POPULATION_SEED = 1000,
	MODULUS_MAX = 16,
};

const struct ay_call_class_info ay_call_class_table[] = {
#define C(name, word, text) { word, text },
	AY_CALL_CLASSES(C)
#undef C
};

/* Properties of calls, each as a number: class, overload and detail. */
struct properties {
	int n, cap;
	uint64_t *v;
};

static void add(struct properties *p, enum ay_call_class cls, const struct ay_schema *s, uint64_t detail)
{
	if (p->n == p->cap) {
		p->cap = p->cap ? p->cap * 2 : 256;
		p->v = ay_xrealloc(p->v, sizeof *p->v * (size_t)p->cap);
	}
	/* schemas are aligned and lie in the registry's arena: 40 bits tell them apart */
	p->v[p->n++] = (uint64_t)cls << 60 | ((uint64_t)(uintptr_t)s >> 3 & 0xffffffffff) << 20 |
		       (detail & 0xfffff);
}

static int compare(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Sorts the properties and drops repetitions. */
static void settle(struct properties *p)
{
	int n = 0;

	if (p->n)
		qsort(p->v, (size_t)p->n, sizeof *p->v, compare);
	for (int i = 0; i < p->n; i++)
		if (!n || p->v[n - 1] != p->v[i])
			p->v[n++] = p->v[i];
	p->n = n;
}

static bool has(const struct properties *p, uint64_t v)
{
	return p->n && bsearch(&v, p->v, (size_t)p->n, sizeof *p->v, compare);
}

/* --- the properties of a call ------------------------------------------------------------------- */

static bool has_elements(const struct ay_call *c)
{
	for (int k = 0; k < c->nout; k++)
		if (ay_numel_of(&c->out[k]->view))
			return true;
	return c->nscalar_out > 0;
}

static void add_tensors(struct properties *p, const struct ay_call *c, int64_t largest)
{
	for (int i = 0; i < c->noperand; i++) {
		const struct ay_operand *o = c->operand[i];
		const bool in = o->role == AY_IN || o->role == AY_INOUT;

		if (o->view.ndim > 4)
			add(p, AY_CALL_CLASS_RANK, c->s, (uint64_t)o->view.ndim);
		if (in && o->view.ndim > 2 && !ay_view_is_dense(&o->view))
			add(p, AY_CALL_CLASS_LAYOUT, c->s, (uint64_t)i);
		if (ay_numel_of(&o->view) > largest)
			add(p, AY_CALL_CLASS_LARGE, c->s, 0);
		if (o->view.conj || o->view.neg)
			add(p, AY_CALL_CLASS_LAZY, c->s, (uint64_t)(i * 4 + o->view.conj * 2 + o->view.neg));
	}
}

/* Adds what the last size of the first tensor leaves. */
static void add_residues(struct properties *p, const struct ay_call *c)
{
	const struct ay_view *v = NULL;

	for (int i = 0; i < c->noperand && !v; i++)
		if (c->operand[i]->view.ndim)
			v = &c->operand[i]->view;
	for (int m = 2; v && m <= MODULUS_MAX; m++)
		add(p, AY_CALL_CLASS_RESIDUE, c->s, (uint64_t)(m * 32 + v->shape[v->ndim - 1] % m));
}

static uint64_t hash_text(const char *s)
{
	uint64_t h = 5381;

	for (; *s; s++)
		h = h * 33 + (unsigned char)*s;
	return h & 0xfff;
}

static void add_flags(struct properties *p, const struct ay_call *c)
{
	for (int i = 0; i < c->s->narg; i++) {
		const struct ay_value *v = &c->arg[i].v;
		const uint64_t arg = (uint64_t)i << 12;

		if (ay_stype_is_tensor(&c->arg[i].s->type)) {
			if (c->arg[i].s->type.optional)
				add(p, AY_CALL_CLASS_FLAG, c->s, arg | (c->arg[i].n > 0));
			continue;
		}
		if (!ay_stype_written(&c->arg[i].s->type))
			continue;
		if (v->kind == AY_V_BOOL)
			add(p, AY_CALL_CLASS_FLAG, c->s, arg | v->b);
		else if (v->kind == AY_V_STR)
			add(p, AY_CALL_CLASS_FLAG, c->s, arg | hash_text(v->s));
		else if (c->arg[i].s->type.optional)
			add(p, AY_CALL_CLASS_FLAG, c->s, arg | (v->kind != AY_V_NONE));
	}
}

/* --- counting ----------------------------------------------------------------------------------- */

/* Adds the properties of all cases of a suite. */
static int add_suite(struct properties *p, const struct ay_entry_op *e, const struct ay_suite *s, int64_t largest,
		     struct ay_err *err)
{
	struct ay_arena a = { 0 };
	int rc = 0;

	for (int i = 0; i < s->n && !rc; i++) {
		struct ay_call *c;

		ay_arena_clear(&a);
		rc = ay_call_bind(&a, e->op[0], s->c[i].schema, s->c[i].line, &c, err);
		if (rc || !has_elements(c))
			continue;
		add_tensors(p, c, largest);
		add_residues(p, c);
		add_flags(p, c);
	}
	settle(p);
	ay_arena_release(&a);
	return rc;
}

static int largest_of(const struct ay_entry_op *e, const struct ay_suite *s, int64_t *largest, struct ay_err *err)
{
	struct ay_arena a = { 0 };
	int rc = 0;

	*largest = 0;
	for (int i = 0; i < s->n && !rc; i++) {
		struct ay_call *c;

		ay_arena_clear(&a);
		rc = ay_call_bind(&a, e->op[0], s->c[i].schema, s->c[i].line, &c, err);
		for (int k = 0; !rc && k < c->noperand; k++)
			if (ay_numel_of(&c->operand[k]->view) > *largest)
				*largest = ay_numel_of(&c->operand[k]->view);
	}
	ay_arena_release(&a);
	return rc;
}

/* Adds the properties of drawn cases. */
static int add_drawn(struct properties *p, const struct ay_registry *r, const struct ay_entry_op *e, uint64_t seed,
		     int n, int64_t largest, struct ay_err *err)
{
	struct ay_arena a = { 0 };
	struct ay_suite s = { 0 };
	const struct ay_drawing how = { .seed = seed, .n = n };
	const int rc = ay_suite_add_drawn(&s, &a, r, e, &how, err) || add_suite(p, e, &s, largest, err) ? -1 : 0;

	ay_suite_release(&s);
	ay_arena_release(&a);
	return rc;
}

/* Counts the mutants whose property is in one of two sets. */
static void count(const struct properties *planted, const struct properties *x, const struct properties *y,
		  int n[AY_CALL_CLASS_COUNT])
{
	for (int i = 0; i < planted->n; i++)
		n[planted->v[i] >> 60] += has(x, planted->v[i]) || has(y, planted->v[i]);
}

static int count_drawn(const struct ay_registry *r, const struct ay_entry_op *e, const struct properties *planted,
		       const struct properties *listed, int64_t largest, struct ay_call_class_score *score,
		       struct ay_err *err)
{
	int rc = 0;

	for (uint64_t seed = 1; seed <= AY_CALL_CLASS_SEEDS && !rc; seed++) {
		struct properties drawn = { 0 };

		rc = add_drawn(&drawn, r, e, seed, AY_DRAWN_QUICK, largest, err);
		count(planted, listed, &drawn, score->drawn);
		ay_xfree(drawn.v);
	}
	return rc;
}

int ay_call_class_count(const struct ay_registry *r, const struct ay_entry_op *e,
			struct ay_call_class_score *score, struct ay_err *err)
{
	struct properties planted = { 0 }, met = { 0 };
	struct ay_suite listed = { 0 };
	struct ay_arena a = { 0 };
	int64_t largest = 0;
	int rc;

	*score = (struct ay_call_class_score){ 0 };
	if (e->op[0]->flags & AY_META) /* any content is right */
		return 0;
	rc = ay_suite_add_op(&listed, &a, r, e, AY_QUICK, err) || largest_of(e, &listed, &largest, err) ||
			     add_suite(&met, e, &listed, largest, err) ||
			     add_drawn(&planted, r, e, POPULATION_SEED, POPULATION, largest, err)
		     ? -1
		     : 0;
	if (!rc) {
		count(&planted, &planted, &planted, score->planted);
		count(&planted, &met, &met, score->listed);
		rc = count_drawn(r, e, &planted, &met, largest, score, err);
	}
	ay_xfree(planted.v);
	ay_xfree(met.v);
	ay_suite_release(&listed);
	ay_arena_release(&a);
	return rc;
}
