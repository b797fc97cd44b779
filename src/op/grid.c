/* SPDX-License-Identifier: Apache-2.0 */
#include "op/grid.h"
#include "op/expr.h"
#include "op/parse.h"

#include <string.h>

enum { MAX_NAMES = 64 };

/* --- templates -------------------------------------------------------------------------------- */

struct ay_template {
	struct ay_case c;
};

int ay_template_parse(struct ay_arena *a, const char *text, struct ay_template **out, struct ay_err *err)
{
	struct ay_lex l;

	if (ay_lex_init(&l, a, text, strlen(text), err))
		return -1;
	l.exprs = l.lines = true;
	*out = AY_NEW(a, struct ay_template);
	return ay_parse_case(&l, &(*out)->c);
}

int ay_template_expand(struct ay_arena *a, const struct ay_template *t, const struct ay_scope *s,
		       struct ay_case **out, struct ay_err *err)
{
	struct ay_case *c = AY_NEW(a, struct ay_case);
	struct ay_expand e;

	ay_expand_init(&e, a, s, err);
	*c = t->c;
	c->arg = c->narg ? AY_NEW_N(a, struct ay_value, c->narg) : NULL;
	c->kw = c->nkw ? AY_NEW_N(a, struct ay_kw, c->nkw) : NULL;
	e.depth = 1; /* the tuple of the arguments is one level */
	for (int i = 0; i < c->narg; i++)
		if (ay_expand_value(&e, &t->c.arg[i], &c->arg[i]))
			return -1;
	e.depth = 0;
	for (int i = 0; i < c->nkw; i++) {
		c->kw[i].name = t->c.kw[i].name;
		if (ay_expand_value(&e, &t->c.kw[i].v, &c->kw[i].v))
			return -1;
	}
	*out = c;
	return 0;
}

int ay_fill_parse(struct ay_arena *a, const char *text, size_t len, const struct ay_scope *s, struct ay_fill *out,
		  struct ay_err *err)
{
	struct ay_expand e;
	struct ay_fill f;
	struct ay_lex l;

	if (ay_lex_init(&l, a, text, len, err))
		return -1;
	l.exprs = l.lines = true;
	if (ay_parse_fill(&l, &f))
		return -1;
	if (!ay_lex_at_end(&l))
		return ay_lex_expected(&l, "the end after a fill");
	ay_expand_init(&e, a, s, err);
	return ay_expand_fill(&e, &f, out);
}

/* --- grids ------------------------------------------------------------------------------------ */

/* One name, or several that change together: (n,d)=(1,2)|(3,4). */
struct slot {
	int first, nname; /* the slot's names are the block's names [first, first + nname) */
	bool tuple;
	struct ay_value values; /* a LIST */
};

struct case_block {
	int nslot, nname;
	struct slot *slot;
	const char **names;
	struct case_block *next;
};

static int slot_name(struct ay_lex *l, struct case_block *b)
{
	const char *at, *name;

	ay_lex_skip(l);
	at = l->p;
	if (b->nname == MAX_NAMES)
		return ay_lex_fail(l, at, "more than %d names", MAX_NAMES);
	name = ay_lex_name(l, "a name");
	if (!name)
		return -1;
	for (int i = 0; i < b->nname; i++)
		if (!strcmp(b->names[i], name))
			return ay_lex_fail(l, at, "'%.60s' is given twice", name);
	b->names[b->nname++] = name;
	return 0;
}

static int slot_names(struct ay_lex *l, struct case_block *b, struct slot *s)
{
	s->first = b->nname;
	s->tuple = ay_lex_take(l, '(');
	do
		if (slot_name(l, b))
			return -1;
	while (s->tuple && ay_lex_take(l, ',') && !ay_lex_at(l, ')'));
	s->nname = b->nname - s->first;
	return s->tuple ? ay_lex_want(l, ')', "',' or ')' after a name") : 0;
}

static int slot_value(struct ay_lex *l, const struct slot *s)
{
	struct ay_value v;

	if (ay_parse_value(l, &v))
		return -1;
	/* (n)=(1) reads as n=1 */
	if (s->tuple && s->nname > 1 && (v.kind != AY_V_LIST || v.list.n != s->nname))
		return ay_parse_fail(l->err, v.col, "expected a tuple of %d values", s->nname);
	if (s->tuple && s->nname == 1 && v.kind == AY_V_LIST && v.list.n != 1)
		return ay_parse_fail(l->err, v.col, "expected a tuple of 1 value");
	ay_lex_push(l, &v);
	return 0;
}

static int slot(struct ay_lex *l, struct case_block *b)
{
	struct slot *s = &b->slot[b->nslot];
	int mark = l->nstack;

	if (b->nslot == MAX_NAMES)
		return ay_lex_fail(l, l->p, "more than %d slots", MAX_NAMES);
	if (slot_names(l, b, s) || ay_lex_want(l, '=', "'=' after a name"))
		return -1;
	do
		if (slot_value(l, s))
			return -1;
	while (ay_lex_take(l, '|'));
	ay_lex_pop(l, mark, &s->values);
	b->nslot++;
	return 0;
}

/* Parses one block into arrays of full size, then copies it into arrays of the needed size. So a
 * long grid of short blocks does not use gigabytes. */
static int block(struct ay_lex *l, struct case_block *out)
{
	struct slot slots[MAX_NAMES];
	const char *names[MAX_NAMES];
	struct case_block b = { .slot = slots, .names = names };

	do
		if (slot(l, &b))
			return -1;
	while (!ay_lex_at_end(l) && !ay_lex_at(l, ';'));
	*out = b;
	out->slot = memcpy(AY_NEW_N(l->a, struct slot, b.nslot), slots, sizeof *slots * (size_t)b.nslot);
	out->names = memcpy(AY_NEW_N(l->a, const char *, b.nname), names, sizeof *names * (size_t)b.nname);
	return 0;
}

/* Parses all blocks. `exprs`: a slot's values may be expressions. */
static int parse_grid(struct ay_arena *a, const char *text, bool exprs, struct case_block **out,
		      struct ay_err *err)
{
	struct case_block **tail = out;
	struct ay_lex l;

	if (ay_lex_init(&l, a, text ? text : "", text ? strlen(text) : 0, err))
		return -1;
	l.lines = true;
	l.exprs = exprs;
	if (ay_lex_at_end(&l)) {
		*out = AY_NEW(a, struct case_block);
		return 0;
	}
	do {
		*tail = AY_NEW(a, struct case_block);
		if (block(&l, *tail))
			return -1;
		tail = &(*tail)->next;
	} while (ay_lex_take(&l, ';'));
	return 0;
}

/* Assigns value i of slot k. */
static void assign(const struct case_block *b, int k, int i, struct ay_value *values)
{
	const struct slot *s = &b->slot[k];
	const struct ay_value *v = &s->values.list.v[i];

	if (s->tuple && v->kind == AY_V_LIST)
		memcpy(values + s->first, v->list.v, sizeof *v * (size_t)s->nname);
	else
		values[s->first] = *v;
}

/* Advances to the next point, with the last slot fastest. Returns false after the last point. */
static bool advance(const struct case_block *b, int *at, struct ay_value *values)
{
	for (int k = b->nslot - 1; k >= 0; k--) {
		bool more = at[k] + 1 < b->slot[k].values.list.n;

		at[k] = more ? at[k] + 1 : 0;
		assign(b, k, at[k], values);
		if (more)
			return true;
	}
	return false;
}

static int each_point(const struct case_block *b, int (*each)(void *user, const struct ay_scope *s), void *user)
{
	struct ay_value values[MAX_NAMES];
	struct ay_scope s = { .n = b->nname, .names = b->names, .values = values };
	int at[MAX_NAMES] = { 0 }, rc;

	for (int k = 0; k < b->nslot; k++)
		assign(b, k, 0, values);
	do
		if ((rc = each(user, &s)))
			return rc;
	while (advance(b, at, values));
	return 0;
}

int ay_grid_each(struct ay_arena *a, const char *grid, int (*each)(void *user, const struct ay_scope *s),
		 void *user, struct ay_err *err)
{
	struct case_block *b;
	int rc = 0;

	if (parse_grid(a, grid, false, &b, err))
		return -1;
	for (; b && !rc; b = b->next)
		rc = each_point(b, each, user);
	return rc;
}

/* Evaluates the value that was picked for slot k and stores it under the slot's names. */
static int assign_picked(struct ay_expand *e, const struct case_block *b, int k, int i, struct ay_scope *s)
{
	struct ay_value *at = s->values + b->slot[k].first;
	int n = b->slot[k].nname;

	assign(b, k, i, s->values);
	for (int j = 0; j < n; j++) {
		struct ay_value v;

		if (ay_expand_value(e, &at[j], &v))
			return -1;
		at[j] = v;
		s->n++; /* an expression sees only the names before its own */
	}
	return 0;
}

struct ay_grid {
	struct case_block *first;
};

int ay_grid_parse(struct ay_arena *a, const char *text, struct ay_grid **out, struct ay_err *err)
{
	*out = AY_NEW(a, struct ay_grid);
	return parse_grid(a, text, true, &(*out)->first, err);
}

int ay_grid_pick(struct ay_arena *a, const struct ay_grid *grid, int (*pick)(void *user, int n),
		 struct ay_scope *s, struct ay_err *err)
{
	const struct case_block *chosen;
	struct ay_expand e;
	int blocks = 0;

	for (chosen = grid->first; chosen; chosen = chosen->next)
		blocks++;
	chosen = grid->first;
	for (int i = blocks > 1 ? pick(s->user, blocks) : 0; i; i--)
		chosen = chosen->next;
	s->n = 0;
	s->names = chosen->names;
	s->values = AY_NEW_N(a, struct ay_value, chosen->nname + 1);
	ay_expand_init(&e, a, s, err);
	for (int k = 0; k < chosen->nslot; k++) {
		int n = chosen->slot[k].values.list.n;

		if (assign_picked(&e, chosen, k, n > 1 ? pick(s->user, n) : 0, s))
			return -1;
	}
	return 0;
}

int64_t ay_grid_count(struct ay_arena *a, const char *grid, struct ay_err *err)
{
	int64_t total = 0;
	struct case_block *b;

	if (parse_grid(a, grid, false, &b, err))
		return -1;
	for (; b; b = b->next) {
		int64_t n = 1;
		bool over = false;

		for (int k = 0; k < b->nslot; k++)
			over |= __builtin_mul_overflow(n, (int64_t)b->slot[k].values.list.n, &n);
		if (over | __builtin_add_overflow(total, n, &total))
			return ay_fail(err, AY_ERR_PARSE, "the grid has more points than fit in 64 bits");
	}
	return total;
}
