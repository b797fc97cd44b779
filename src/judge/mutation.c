/* SPDX-License-Identifier: Apache-2.0 */
#include "judge/mutation.h"
#include "op/fill.h"
#include "oracle/oracle.h"

#include <math.h>
#include <string.h>

const struct ay_mutant_info ay_mutant_table[] = {
#define M(name, cls, word, text) { AY_MUTANT_##cls, word, text },
	AY_MUTANTS(M)
#undef M
};

/* Counts for one overload, dtype of the result and dtype of the first input, over all its cases. */
struct group {
	const struct ay_schema *schema;
	enum ay_dt dt, from;
	bool differs[AY_MUTANT_COUNT], killed[AY_MUTANT_COUNT];
	struct group *next;
};

struct lab {
	const struct ay_registry *r;
	const struct ay_entry_op *e;
	struct ay_arena *keep; /* holds survivors */
	struct ay_arena *a;    /* holds one case */
	struct ay_mutation *m;
	struct group *groups;
	struct ay_err *err;
	/* the present case */
	struct ay_call *call;
	uint8_t **right; /* per output: its storage with the right answer */
	/* per result that is not a tensor: the right answer, and the present value */
	struct ay_value *want, *got;
	const char *line;
};

static uint8_t *storage_of(const struct ay_operand *o)
{
	return (uint8_t *)o->view.data - o->view.offset * ay_dt_info(o->view.dt)->bytes;
}

/* Writes the reference's answer (or a mutant's) into the outputs. */
static void produce(struct lab *l, struct ay_call *c, int acc_bits, int in_bits)
{
	struct ay_compare q = { .op = l->e, .call = c, .threads = 1, .acc_bits = acc_bits, .in_bits = in_bits };
	const struct ay_view **dst = AY_NEW_N(l->a, const struct ay_view *, c->nout + 1);

	for (int k = 0; k < c->nout; k++)
		dst[k] = &c->out[k]->view;
	ay_oracle_produce(&q, dst);
}

/* Returns true if the judge would accept the present content of the outputs. */
static bool accepted(struct lab *l)
{
	struct ay_call *c = l->call;
	const struct ay_op *op = l->e->op[ay_call_num_type(c)];
	struct ay_compare q = { .op = l->e, .call = c, .threads = 1 };
	struct ay_diff *d = AY_NEW_N(l->a, struct ay_diff, c->nout + 1);
	const struct ay_view **got = AY_NEW_N(l->a, const struct ay_view *, c->nout + 1);
	struct ay_finding f = { .index = -1 };

	ay_oracle_compare(&q, d);
	for (int k = 0; k < c->nout; k++) {
		got[k] = &c->out[k]->view;
		if (d[k].bad)
			return false;
	}
	for (int k = 0; k < c->nscalar_out; k++)
		if (!ay_same_scalar(&l->want[k], &l->got[k]))
			return false;
	if (op->check)
		op->check(c, got, &f);
	return !f.text[0];
}

static void restore(struct lab *l)
{
	for (int k = 0; k < l->call->nout; k++)
		memcpy(storage_of(l->call->out[k]), l->right[k], ay_operand_bytes(l->call->out[k]));
	for (int k = 0; k < l->call->nscalar_out; k++)
		l->got[k] = l->want[k];
}

static bool differs(struct lab *l)
{
	for (int k = 0; k < l->call->nscalar_out; k++)
		if (!ay_same_scalar(&l->want[k], &l->got[k]))
			return true;
	/* there is no single right answer that it could equal */
	if (l->call->nout && !l->e->op[0]->reference)
		return true;
	for (int k = 0; k < l->call->nout; k++)
		if (memcmp(storage_of(l->call->out[k]), l->right[k], ay_operand_bytes(l->call->out[k])))
			return true;
	return false;
}

/* --- elements -------------------------------------------------------------------------------------------- */

static uint8_t *elem(const struct ay_view *v, int64_t i)
{
	return (uint8_t *)v->data + ay_view_at(v, i) * ay_dt_info(v->dt)->bytes;
}

static void put(const struct ay_view *v, int64_t i, long double complex x)
{
	long double re = creall(x);

	if (ay_dt_is_complex(v->dt))
		ay_row_store_lz(v->dt, elem(v, i), 1, 1, &x);
	else
		ay_row_store_ld(v->dt, elem(v, i), 1, 1, &re);
}

static long double complex get(const struct ay_view *v, int64_t i)
{
	long double complex x;

	ay_row_load_lz(v->dt, elem(v, i), 1, 1, &x);
	return x;
}

/* Stores x in the kind of the value. */
static void put_number(struct ay_value *v, double x)
{
	switch (v->kind) {
	case AY_V_BOOL: v->b = x != 0; break;
	case AY_V_INT: v->i = (int64_t)x; break;
	case AY_V_FLOAT: v->f = x; break;
	default: v->c[0] = x; v->c[1] = 0;
	}
}

static void set_all(struct lab *l, long double x)
{
	for (int k = 0; k < l->call->nscalar_out; k++)
		put_number(&l->got[k], (double)x);
	for (int k = 0; k < l->call->nout; k++)
		for (int64_t i = 0; i < ay_numel_of(&l->call->out[k]->view); i++)
			put(&l->call->out[k]->view, i, x);
}

static const struct ay_view *first_input(const struct ay_call *c)
{
	for (int i = 0; i < c->noperand; i++) {
		if (c->operand[i]->role == AY_IN)
			return &c->operand[i]->view;
		if (c->operand[i]->role == AY_INOUT)
			return &c->operand[i]->old;
	}
	return NULL;
}

static void copy_input(struct lab *l)
{
	const struct ay_view *in = first_input(l->call);
	int64_t n = in ? ay_numel_of(in) : 0;

	for (int k = 0; k < l->call->nout && n; k++)
		for (int64_t i = 0; i < ay_numel_of(&l->call->out[k]->view); i++)
			put(&l->call->out[k]->view, i, get(in, i % n));
}

/* Writes the right answer of the same line with another seed. */
static int previous_answer(struct lab *l)
{
	struct ay_case *line = AY_NEW(l->a, struct ay_case);
	struct ay_call *c;

	*line = *l->call->line;
	line->seed++;
	if (ay_call_bind(l->a, l->e->op[0], l->call->s, line, &c, l->err))
		return -1;
	ay_fill_call(l->a, c);
	produce(l, c, 0, 0);
	/* the memory between the elements of an argument is not part of the answer */
	for (int k = 0; k < c->nout; k++)
		for (int64_t i = 0; i < ay_numel_of(&c->out[k]->view); i++)
			memcpy(elem(&l->call->out[k]->view, i), elem(&c->out[k]->view, i),
			       (size_t)ay_dt_info(c->out[k]->view.dt)->bytes);
	for (int k = 0; k < c->nscalar_out; k++)
		l->e->op[0]->scalar(c, k, &l->got[k]);
	return 0;
}

static void shift(const struct ay_view *v)
{
	int64_t n = ay_numel_of(v), item = ay_dt_info(v->dt)->bytes;
	uint8_t first[16];

	if (n < 2)
		return;
	memcpy(first, elem(v, 0), (size_t)item);
	for (int64_t i = 0; i + 1 < n; i++)
		memcpy(elem(v, i), elem(v, i + 1), (size_t)item);
	memcpy(elem(v, n - 1), first, (size_t)item);
}

static void spoil_one(const struct ay_view *v)
{
	int64_t n = ay_numel_of(v), i = n / 2;
	long double complex x;

	if (!n)
		return;
	x = get(v, i);
	if (v->dt == AY_DT_B8)
		put(v, i, creall(x) == 0);
	else if (ay_dt_is_integral(v->dt))
		put(v, i, x + 1);
	else if (!isfinite(creall(x)))
		put(v, i, 1);
	else
		put(v, i, x + 0.5L * fmaxl(cabsl(x), 1e-3L));
}

static void swap_dims(struct lab *l, const struct ay_view *v)
{
	int64_t n = ay_numel_of(v), rows, cols, item = ay_dt_info(v->dt)->bytes;
	uint8_t *old;

	if (v->ndim < 2 || !n)
		return;
	rows = v->shape[v->ndim - 2];
	cols = v->shape[v->ndim - 1];
	old = ay_alloc(l->a, (size_t)(n * item));
	for (int64_t i = 0; i < n; i++)
		memcpy(old + i * item, elem(v, i), (size_t)item);
	for (int64_t i = 0; i < n; i++) {
		int64_t m = i / (rows * cols), j = i % (rows * cols);

		memcpy(elem(v, i), old + (m * rows * cols + j % rows * cols + j / rows) * item, (size_t)item);
	}
}

/* --- planting -------------------------------------------------------------------------------------------- */

static void note_survivor(struct lab *l, enum ay_mutant k, const char *line)
{
	struct ay_survivor *s = AY_NEW(l->keep, struct ay_survivor);

	*s = (struct ay_survivor){ k, ay_strdup(l->keep, line), l->m->survivors };
	l->m->survivors = s;
}

static struct group *group_of(struct lab *l, enum ay_dt dt)
{
	const struct ay_view *in = first_input(l->call);
	const enum ay_dt from = in ? in->dt : dt;
	struct group *p;

	for (p = l->groups; p; p = p->next)
		if (p->schema == l->call->s && p->dt == dt && p->from == from)
			return p;
	p = AY_NEW(l->keep, struct group);
	*p = (struct group){ .schema = l->call->s, .dt = dt, .from = from, .next = l->groups };
	return l->groups = p;
}

/* Counts a mutant that a single case need not refuse: any case of its group may. */
static void count_in_group(struct lab *l, enum ay_mutant k)
{
	struct group *p = group_of(l, l->call->out[0]->view.dt);

	if (differs(l)) {
		p->differs[k] = true;
		p->killed[k] |= !accepted(l);
	}
}

/* Counts whether the mutant in the outputs is accepted. */
static void count(struct lab *l, enum ay_mutant k)
{
	if (l->e->op[0]->flags & AY_RANDOM) { /* six draws prove nothing, a thousand do */
		count_in_group(l, k);
		return;
	}
	if (!differs(l)) {
		l->m->equivalent[k]++;
		return;
	}
	l->m->planted[k]++;
	if (!accepted(l))
		l->m->killed[k]++;
	else
		note_survivor(l, k, l->line);
}

static int plant_nulls(struct lab *l)
{
	bool random = l->e->op[0]->flags & AY_RANDOM;

	set_all(l, 0);
	count(l, AY_MUTANT_ZEROS_KIND);
	restore(l);
	set_all(l, 1);
	count(l, AY_MUTANT_ONES_KIND);
	restore(l);
	copy_input(l);
	count(l, AY_MUTANT_COPY_KIND);
	restore(l);
	if (random) /* another draw is as right as this one */
		return 0;
	if (previous_answer(l))
		return -1;
	count(l, AY_MUTANT_PREVIOUS_KIND);
	restore(l);
	return 0;
}

static void plant_partial(struct lab *l)
{
	for (int k = 0; k < l->call->nout; k++) {
		const struct ay_view *v = &l->call->out[k]->view;
		int64_t n = ay_numel_of(v);

		for (int64_t i = n - (n + 7) / 8; i < n; i++)
			put(v, i, 0);
		count(l, AY_MUTANT_TAIL_KIND);
		restore(l);
		shift(v);
		count(l, AY_MUTANT_SHIFT_KIND);
		restore(l);
		spoil_one(v);
		count(l, AY_MUTANT_ONE_KIND);
		restore(l);
		swap_dims(l, v);
		count(l, AY_MUTANT_STRIDES_KIND);
		restore(l);
	}
}

/* Plants values that are wrong by one or by half, and the right value as a number of another
 * kind. */
static void plant_scalars(struct lab *l)
{
	for (int k = 0; k < l->call->nscalar_out; k++) {
		struct ay_value *v = &l->got[k];
		bool number = v->kind != AY_V_COMPLEX;
		double x = v->kind == AY_V_BOOL ? v->b : v->kind == AY_V_INT ? (double)v->i : v->c[0];

		switch (v->kind) {
		case AY_V_BOOL: v->b = !v->b; break;
		case AY_V_INT: v->i ^= 1; break;
		default: v->c[0] = isfinite(v->c[0]) ? v->c[0] + 0.5 * fmax(fabs(v->c[0]), 1e-3) : 1;
		}
		count(l, AY_MUTANT_ONE_KIND);
		restore(l);
		*v = (struct ay_value){ .kind = v->kind == AY_V_FLOAT ? AY_V_INT : AY_V_FLOAT };
		put_number(v, number && isfinite(x) ? x : 0);
		count(l, AY_MUTANT_KIND_KIND);
		restore(l);
	}
}

static void try_precision(struct lab *l, enum ay_mutant k, int acc_bits, int in_bits)
{
	produce(l, l->call, acc_bits, in_bits);
	count_in_group(l, k);
	restore(l);
}

static void plant_precision(struct lab *l)
{
	enum ay_dt dt = l->call->nout ? l->call->out[0]->view.dt : AY_DT_NONE;

	if (dt == AY_DT_F64)
		try_precision(l, AY_MUTANT_NARROW_KIND, 24, 0);
	if (dt != AY_DT_F32 && dt != AY_DT_F16 && dt != AY_DT_BF16)
		return;
	try_precision(l, AY_MUTANT_HALF_KIND, dt == AY_DT_BF16 ? 8 : 11, 0);
	if (dt == AY_DT_F32)
		try_precision(l, AY_MUTANT_TF32_KIND, 0, 11);
}

static void count_groups(struct lab *l)
{
	for (const struct group *p = l->groups; p; p = p->next) {
		for (int k = 0; k < AY_MUTANT_COUNT; k++) {
			struct ay_str name = { 0 };

			if (!p->differs[k])
				continue;
			l->m->planted[k]++;
			l->m->killed[k] += p->killed[k];
			ay_schema_name(&name, p->schema);
			if (!p->killed[k])
				note_survivor(l, (enum ay_mutant)k,
					      ay_sprintf(l->keep, "%s %s from %s", ay_str_text(&name),
							 ay_dt_info(p->dt)->name, ay_dt_info(p->from)->name));
			ay_str_release(&name);
		}
	}
}

static int mutate_case(struct lab *l, const struct ay_suite_case *sc, uint64_t seed)
{
	struct ay_case *line = AY_NEW(l->a, struct ay_case);
	struct ay_str text = { 0 };

	*line = *sc->line;
	line->has_seed = true;
	line->seed = seed;
	ay_case_print(&text, line);
	l->line = ay_strdup(l->a, ay_str_text(&text));
	ay_str_release(&text);
	if (ay_call_bind(l->a, l->e->op[0], sc->schema, line, &l->call, l->err))
		return -1;
	ay_fill_call(l->a, l->call);
	produce(l, l->call, 0, 0);
	l->right = AY_NEW_N(l->a, uint8_t *, l->call->nout + 1);
	for (int k = 0; k < l->call->nout; k++) {
		l->right[k] = ay_alloc(l->a, ay_operand_bytes(l->call->out[k]) + 1);
		memcpy(l->right[k], storage_of(l->call->out[k]), ay_operand_bytes(l->call->out[k]));
	}
	l->want = AY_NEW_N(l->a, struct ay_value, l->call->nscalar_out + 1);
	l->got = AY_NEW_N(l->a, struct ay_value, l->call->nscalar_out + 1);
	for (int k = 0; k < l->call->nscalar_out; k++) {
		l->e->op[0]->scalar(l->call, k, &l->want[k]);
		l->got[k] = l->want[k];
	}
	l->m->cases++;
	if (l->e->op[0]->flags & AY_META)
		return 0;
	if (plant_nulls(l))
		return -1;
	if (!(l->e->op[0]->flags & AY_RANDOM)) {
		plant_partial(l);
		plant_scalars(l);
		plant_precision(l);
	}
	return 0;
}

int ay_mutate(const struct ay_registry *r, const struct ay_entry_op *e, struct ay_arena *a, struct ay_mutation *m,
	      struct ay_err *err)
{
	struct ay_arena one = { 0 }, lines = { 0 };
	struct lab l = { .r = r, .e = e, .keep = a, .a = &one, .m = m, .err = err };
	struct ay_suite s = { 0 };
	int rc;

	*m = (struct ay_mutation){ 0 };
	rc = ay_suite_add_op(&s, &lines, r, e, AY_QUICK, err);
	for (int i = 0; i < s.n && !rc; i++) {
		ay_arena_clear(&one);
		rc = mutate_case(&l, &s.c[i], (uint64_t)i * 2 + 1);
	}
	count_groups(&l);
	ay_suite_release(&s);
	ay_arena_release(&one);
	ay_arena_release(&lines);
	return rc;
}
