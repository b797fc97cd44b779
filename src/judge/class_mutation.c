/* SPDX-License-Identifier: Apache-2.0 */
#include "judge/class_mutation.h"

enum {
	POPULATION = 300, /* drawn cases of an overload, in which properties are looked for */
	POPULATION_SEED = 1000,
};

/* Adds the properties of all cases of a suite. */
static int add_suite(struct ay_properties *p, const struct ay_entry_op *e, const struct ay_suite *s,
		     int64_t largest, struct ay_err *err)
{
	struct ay_arena a = { 0 };
	int rc = 0;

	for (int i = 0; i < s->n && !rc; i++) {
		struct ay_call *c;

		ay_arena_clear(&a);
		rc = ay_call_bind(&a, e->op[0], s->c[i].schema, s->c[i].line, &c, err);
		if (!rc)
			ay_properties_add(p, c, largest);
	}
	ay_properties_sort(p);
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
static int add_drawn(struct ay_properties *p, const struct ay_registry *r, const struct ay_entry_op *e,
		     uint64_t seed, int n, int64_t largest, struct ay_err *err)
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
static void count(const struct ay_properties *planted, const struct ay_properties *x,
		  const struct ay_properties *y, int n[AY_CALL_CLASS_COUNT])
{
	for (int i = 0; i < planted->n; i++)
		n[ay_property_class(planted->v[i])] += ay_properties_have(x, planted->v[i]) ||
						       ay_properties_have(y, planted->v[i]);
}

static int count_drawn(const struct ay_registry *r, const struct ay_entry_op *e,
		       const struct ay_properties *planted, const struct ay_properties *listed, int64_t largest,
		       struct ay_call_class_score *score, struct ay_err *err)
{
	int rc = 0;

	for (uint64_t seed = 1; seed <= AY_CALL_CLASS_SEEDS && !rc; seed++) {
		struct ay_properties drawn = { 0 };

		rc = add_drawn(&drawn, r, e, seed, AY_DRAWN_QUICK, largest, err);
		count(planted, listed, &drawn, score->drawn);
		ay_properties_release(&drawn);
	}
	return rc;
}

int ay_call_class_count(const struct ay_registry *r, const struct ay_entry_op *e,
			struct ay_call_class_score *score, struct ay_err *err)
{
	struct ay_properties planted = { 0 }, met = { 0 };
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
	ay_properties_release(&planted);
	ay_properties_release(&met);
	ay_suite_release(&listed);
	ay_arena_release(&a);
	return rc;
}
