/* SPDX-License-Identifier: Apache-2.0 */
#include "judge/witness.h"

#include "op/fill.h"

#include <string.h>

enum {
	ROOM = 128, /* tensors that an answer may have, */
	EACH = 4,   /* of which there are as many for everything written: torch/assay/oracle.py */
	ALIAS = 1,
	ABSENT = 2,
	TIMEOUT_S = 120,     /* for an answer, */
	BYTES_A_S = 4 << 20, /* and a second more for so many of them: some twenty passes over doubles */
	DOUBLES = 8, /* that it holds at a time for every element of an argument, of which results have as many */
	SMALL = 64 << 20, /* bytes that are always there */
};

static void rest(struct ay_witness *w)
{
	ay_exec_stop(w->exec);
	w->exec = NULL;
	w->op = NULL;
	ay_arena_clear(&w->arena);
}

void ay_witness_release(struct ay_witness *w)
{
	rest(w);
	ay_arena_release(&w->arena);
}

/* An executor with the functions of the operator. */
static int get_ready(struct ay_witness *w, const struct ay_entry_op *op, struct ay_outcome *o, struct ay_err *err)
{
	struct ay_python_kernel kernel = { .backend = "oracle", .file = w->ref_file };
	struct ay_exec_spec spec = { .so_fd = w->ref_fd > 0 ? w->ref_fd : -1,
				     .python = w->python,
				     .load_timeout_s = TIMEOUT_S,
				     .sandbox = w->sandbox };
	const struct ay_proto **protos;

	if (w->op == op && w->exec)
		return 0;
	rest(w);
	protos = AY_NEW_N(&w->arena, const struct ay_proto *, op->nschema);
	for (int i = 0; i < op->nschema; i++) {
		struct ay_proto *p;
		struct ay_err ignored = { 0 };

		if (!ay_proto_make(&w->arena, op->schema[i], &p, &ignored))
			protos[kernel.n++] = p;
	}
	kernel.proto = protos;
	spec.about = ay_python_about(&w->arena, &kernel);
	if (ay_exec_start(&spec, &w->arena, &w->exec, &w->entries, o, err))
		return -1;
	w->op = op;
	return 0;
}

/* The arguments, a copy of them, and both in double: half types grow fourfold. */
static const char *too_large(const struct ay_call *c, struct ay_arena *a)
{
	const uint64_t have = ay_memory_available();
	uint64_t need = 0;

	for (int i = 0; i < c->noperand; i++)
		need += ay_operand_bytes(c->operand[i]) *
			(2 + DOUBLES * sizeof(double) / (uint64_t)ay_dt_info(c->operand[i]->view.dt)->bytes);
	if (need < SMALL || need < have / 2) /* its process may hold half */
		return NULL;
	return ay_sprintf(a,
			  "ATen's answer in double needs about %llu bytes of memory, half of the %llu that are "
			  "free is too little",
			  (unsigned long long)need, (unsigned long long)have);
}

/* How long the answer may take. */
static double patience(const struct ay_call *c)
{
	double bytes = 0;

	for (int i = 0; i < c->noperand; i++)
		bytes += (double)ay_operand_bytes(c->operand[i]);
	return TIMEOUT_S + bytes / BYTES_A_S;
}

/* An argument's storage as it is before the call: by its fill, or, of a call that is closed, as it lies in memory. */
static void copy_in(const struct ay_call *c, const struct ay_operand *o, uint8_t *to, int threads)
{
	const struct ay_view *v = o->role == AY_INOUT ? &o->old : &o->view;

	if (!c->given)
		ay_fill_storage_by(c, o, to, threads);
	else
		memcpy(to, (const uint8_t *)v->data - v->offset * ay_dt_info(v->dt)->bytes, ay_operand_bytes(o));
}

/* The call's arguments in a pool of their own, which the executor may read, and write where the call does. */
static int lay_out(struct ay_pool *pool, struct ay_call *c, struct ay_arena *a, struct ay_batch *b,
		   struct ay_err *err)
{
	struct ay_need *need = AY_NEW_N(a, struct ay_need, c->noperand + 1);
	int *slot = AY_NEW_N(a, int, c->noperand + 1);
	uint64_t *offset = AY_NEW_N(a, uint64_t, c->noperand + 1);

	for (int i = 0; i < c->noperand; i++) {
		need[i] = (struct ay_need){ ay_operand_bytes(c->operand[i]), c->operand[i]->role != AY_IN };
		slot[i] = i;
		offset[i] = 0;
	}
	need[c->noperand] = (struct ay_need){ ay_exec_room_bytes(ROOM), true };
	if (ay_pool_init(pool, c->noperand + 1, need, err))
		return -1;
	for (int i = 0; i < c->noperand; i++) {
		memset(pool->slot[i].mem, 0, pool->slot[i].bytes);
		if (c->operand[i]->role != AY_OUT)
			copy_in(c, c->operand[i], pool->slot[i].mem, b->threads);
	}
	b->pool = pool;
	b->slot = slot;
	b->offset = offset;
	b->told = c->noperand;
	return 0;
}

/* The tensors of the oracle's about one thing become one answer. */
static bool take_answer(const struct ay_view *v, struct ay_answer *out)
{
	const int64_t n = ay_numel_of(&v[1]);

	*out = (struct ay_answer){ .meta = { .dt = v[0].dt, .ndim = v[0].ndim }, .want = v[1] };
	memcpy(out->meta.shape, v[0].shape, sizeof out->meta.shape);
	if (ay_numel_of(&v[0]) != n || (n && !v[1].data))
		return false;
	if (ay_numel_of(&v[2]) == n && v[2].dt == AY_DT_F64)
		out->mag = v[2].data;
	if (v[3].dt != AY_DT_I64 || v[3].ndim || !v[3].data)
		return false;
	out->meta.may_alias = *(const int64_t *)v[3].data & ALIAS;
	out->meta.absent = *(const int64_t *)v[3].data & ABSENT;
	return true;
}

bool ay_witness_agrees(const struct ay_given *x, const struct ay_given *y)
{
	bool same = x->n == y->n;

	for (int i = 0; same && i < x->n; i++) {
		const struct ay_meta *p = &x->answer[i].meta, *q = &y->answer[i].meta;

		same = p->dt == q->dt && p->ndim == q->ndim && p->absent == q->absent &&
		       !memcmp(p->shape, q->shape, sizeof *p->shape * (size_t)p->ndim);
	}
	return same;
}

static int take_answers(struct ay_witness *w, const struct ay_batch *b, struct ay_call *c, struct ay_arena *a,
			const char **why, struct ay_err *err)
{
	struct ay_given *g = AY_NEW(a, struct ay_given);
	struct ay_outcome o = { 0 };
	struct ay_view *v;
	int n;

	if (ay_exec_returned(w->exec, b, a, &n, &v, &o)) {
		*why = ay_strdup(a, o.text);
		return 1;
	}
	*g = (struct ay_given){ .n = n / EACH, .answer = AY_NEW_N(a, struct ay_answer, n / EACH + 1) };
	for (int i = 0; i < g->n; i++)
		if (!take_answer(v + EACH * i, &g->answer[i]))
			return ay_fail(err, AY_ERR_EXEC, "the oracle's answer %d of %s cannot be", i, c->s->base);
	if (!c->given)
		return ay_call_close(a, c, g, err);
	*why = ay_witness_agrees(c->given, g) ? NULL : "its results have other shapes for other values";
	c->given = *why ? c->given : g;
	return *why != NULL;
}

static bool has_entry(const struct ay_witness *w, const char *symbol)
{
	for (int i = 0; i < w->entries.n; i++)
		if (!strcmp(w->entries.name[i], symbol))
			return true;
	return false;
}

static int ask(struct ay_witness *w, struct ay_call *c, struct ay_batch *b, struct ay_arena *a, const char **why,
	       struct ay_err *err)
{
	struct ay_outcome o = { 0 };

	if (ay_exec_call(w->exec, b, &o, err))
		return -1;
	if (o.what == AY_X_RAN)
		return take_answers(w, b, c, a, why, err);
	*why = ay_sprintf(a, "%s has no answer: %s", w->ref_fd > 0 ? w->ref_file : "ATen", o.text);
	if (!ay_exec_is_alive(&o))
		rest(w);
	return 1;
}

static int answer(struct ay_witness *w, const struct ay_entry_op *op, struct ay_call *c, struct ay_arena *a,
		  const char **why, struct ay_err *err)
{
	struct ay_batch b = { .call = c, .nset = 1, .room = ROOM, .threads = w->threads };
	struct ay_outcome o = { 0 };
	struct ay_proto *proto;
	struct ay_pool pool;
	int rc;

	*why = op->why ? op->why : too_large(c, a);
	if (*why)
		return 1;
	if (ay_proto_make(a, c->s, &proto, err) || get_ready(w, op, &o, err))
		return -1;
	if (o.what != AY_X_RAN || !has_entry(w, proto->symbol)) {
		*why = o.what != AY_X_RAN ? ay_strdup(a, o.text) : "torch does not have it";
		return 1;
	}
	b.proto = proto;
	b.timeout_s = patience(c);
	if (lay_out(&pool, c, a, &b, err))
		return -1;
	rc = ask(w, c, &b, a, why, err);
	ay_pool_release(&pool);
	return rc;
}

int ay_witness_answer(struct ay_witness *w, const struct ay_entry_op *op, struct ay_call *c, struct ay_arena *a,
		      const char **why, struct ay_err *err)
{
	AY_ASSERT(!c->given);
	return answer(w, op, c, a, why, err);
}

int ay_witness_again(struct ay_witness *w, const struct ay_entry_op *op, struct ay_call *c, struct ay_arena *a,
		     const char **why, struct ay_err *err)
{
	AY_ASSERT(c->given);
	return answer(w, op, c, a, why, err);
}
