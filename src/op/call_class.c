/* SPDX-License-Identifier: Apache-2.0 */
#include "op/call_class.h"

#include <stdlib.h>

enum { MODULUS_MAX = 16 };

const struct ay_call_class_info ay_call_class_table[] = {
#define C(name, word, text) { word, text },
	AY_CALL_CLASSES(C)
#undef C
};

static void add(struct ay_properties *p, enum ay_call_class cls, const struct ay_schema *s, uint64_t detail)
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

void ay_properties_sort(struct ay_properties *p)
{
	int n = 0;

	if (p->n)
		qsort(p->v, (size_t)p->n, sizeof *p->v, compare);
	for (int i = 0; i < p->n; i++)
		if (!n || p->v[n - 1] != p->v[i])
			p->v[n++] = p->v[i];
	p->n = n;
}

bool ay_properties_have(const struct ay_properties *p, uint64_t v)
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

static void add_tensors(struct ay_properties *p, const struct ay_call *c, int64_t largest)
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

/* Adds what the last size of the largest tensor leaves; of equal ones the first counts. */
static void add_residues(struct ay_properties *p, const struct ay_call *c)
{
	const struct ay_view *v = NULL;

	for (int i = 0; i < c->noperand; i++) {
		const struct ay_view *o = &c->operand[i]->view;

		if (o->ndim && (!v || ay_numel_of(o) > ay_numel_of(v)))
			v = o;
	}
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

static void add_flags(struct ay_properties *p, const struct ay_call *c)
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

void ay_properties_add(struct ay_properties *p, const struct ay_call *c, int64_t largest)
{
	if (!has_elements(c))
		return;
	add_tensors(p, c, largest);
	add_residues(p, c);
	add_flags(p, c);
}

void ay_properties_release(struct ay_properties *p)
{
	ay_xfree(p->v);
	*p = (struct ay_properties){ 0 };
}
