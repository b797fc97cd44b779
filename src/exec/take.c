/* SPDX-License-Identifier: Apache-2.0
 *
 * Results that lie in the executor's own memory. What it tells of them is copied once and then judged (told.h); the bytes
 * are read out of its address space, where it has one there, and laid into the pool as the call's operand is laid out.
 */
#include "exec/exchange.h"

#include "exec/encode.h"
#include "exec/told.h"
#include "op/op.h"

#include <stdio.h>
#include <string.h>
#include <sys/uio.h>

enum {
	PIECES = 512, /* of memory that are asked for at once */
	EARLIER = 16, /* calls whose results are looked at: who gives the same memory again does so soon */
};

/* A batch whose results are being taken. */
struct taking {
	struct ay_exec *x;
	const struct ay_batch *b;
	struct ay_outcome *o;
	bool alias; /* all results may share memory with arguments and each other */
	int n;      /* results of a set */
	struct ay_told *told;
	const struct ay_operand **want;
};

uint64_t ay_exec_told_bytes(const struct ay_call *c, int nset)
{
	return sizeof(struct ay_wire_told) +
	       (uint64_t)nset * (uint64_t)ay_encode_nresult(c) * sizeof(struct ay_wire_result);
}

uint64_t ay_exec_room_bytes(int room)
{
	return sizeof(struct ay_wire_told) + (uint64_t)room * sizeof(struct ay_wire_result);
}

static int unfit(struct taking *k, int i, const char *what)
{
	k->o->what = AY_X_UNFIT;
	snprintf(k->o->text, sizeof k->o->text, "returned '%s' %s", k->want[i]->name, what);
	return 1;
}

/* Views are meant to. */
static bool may_alias(const struct ay_call *c)
{
	if (c->op->flags & AY_VIEW)
		return true;
	for (int i = 0; i < c->s->nret; i++)
		if (c->s->ret[i].type.alias)
			return true;
	return false;
}

static bool may_share(const struct taking *k, int i)
{
	return (k->alias && !k->want[i]->fresh) || k->want[i]->may_alias;
}

/* Result i of a set as it was told, once: it may change under us. */
static int examine(struct taking *k, int set, int i, struct ay_told *t)
{
	const struct ay_wire_result *all = (const void *)(k->b->pool->slot[k->b->told].mem +
							  sizeof(struct ay_wire_told));
	struct ay_wire_result r;

	memcpy(&r, all + (size_t)set * (size_t)k->n + i, sizeof r);
	if (!ay_told_examine(t, &r, k->want[i], may_share(k, i), k->o->text, sizeof k->o->text))
		return 0;
	k->o->what = AY_X_UNFIT;
	return 1;
}

/* The pool is where we told it to be: a slot's own memory, without the guards. */
static int check_arguments(struct taking *k, int i)
{
	const struct ay_pool *p = k->b->pool;
	uint64_t at = k->x->pool_at;

	for (int s = 0; s < p->nslot; s++) {
		at += AY_WIRE_GUARD;
		if (ay_told_meets(&k->told[i], at, at + p->slot[s].bytes))
			return unfit(k, i, "in the memory of an argument, where a new tensor is due");
		at += p->slot[s].bytes;
	}
	return 0;
}

/* Other results of this set, and those of the calls before, which their caller still has. */
static int check_results(struct taking *k, int set, int i)
{
	const struct ay_told *t = &k->told[i];
	struct ay_outcome ignored = { 0 }, *o = k->o;
	bool shared = false;

	for (int r = 0; r < k->n; r++)
		if (r != i && ay_told_meets(t, k->told[r].lo, k->told[r].hi))
			return unfit(k, i, "in the memory of another result");
	k->o = &ignored; /* they had their turn */
	for (int at = set > EARLIER ? (set - EARLIER) * k->n : 0; at < set * k->n && !shared; at++) {
		struct ay_told before;

		shared = !examine(k, at / k->n, at % k->n, &before) && ay_told_meets(t, before.lo, before.hi);
	}
	k->o = o;
	return shared ? unfit(k, i, "in the memory of what an earlier call returned") : 0;
}

/* As much as there is between lo and hi. */
static int read_span(struct ay_exec *x, uint64_t from, uint8_t *to, uint64_t n)
{
	while (n) {
		struct iovec here = { to, n }, there = { (void *)(uintptr_t)from, n };
		ssize_t k = process_vm_readv(x->executor, &here, 1, &there, 1, 0);

		if (k <= 0)
			return -1;
		from += (uint64_t)k;
		to += k;
		n -= (uint64_t)k;
	}
	return 0;
}

/* The elements alone, in row-major order. */
static int read_elements(struct ay_exec *x, const struct ay_told *t, uint8_t *to)
{
	const uint64_t item = (uint64_t)ay_dt_info(t->view.dt)->bytes;
	const int64_t n = ay_numel_of(&t->view);
	struct iovec here, there[PIECES];

	for (int64_t i = 0; i < n;) {
		int k = 0;

		for (; k < PIECES && i < n; i++, k++)
			there[k] = (struct iovec){
				(void *)(uintptr_t)(t->lo + (uint64_t)ay_view_at(&t->view, i) * item), item
			};
		here = (struct iovec){ to, (size_t)k * item };
		if (process_vm_readv(x->executor, &here, 1, there, (unsigned long)k, 0) != (ssize_t)here.iov_len)
			return -1;
		to += here.iov_len;
	}
	return 0;
}

/* From the executor into the operand's place in the pool. */
static int lay_down(struct taking *k, int set, int i)
{
	const struct ay_batch *b = k->b;
	const struct ay_told *t = &k->told[i];
	const int at = set * b->call->noperand + k->want[i]->ordinal;
	const int64_t n = ay_numel_of(&t->view), item = ay_dt_info(t->view.dt)->bytes;
	const bool sparse = ay_told_is_sparse(t);
	uint8_t *mem = ay_xrealloc(NULL, sparse ? (size_t)(n * item) : t->hi - t->lo + 1);
	struct ay_view to = k->want[i]->view;
	int rc = 0;

	to.data = b->pool->slot[b->slot[at]].mem + b->offset[at] + to.offset * item;
	if (n && (sparse ? read_elements(k->x, t, mem) : read_span(k->x, t->lo, mem, t->hi - t->lo)))
		rc = unfit(k, i, "at memory that cannot be read");
	else
		ay_told_lay(t, mem, &to);
	ay_xfree(mem);
	return rc;
}

static int take(struct taking *k, int set)
{
	for (int i = 0; i < k->n; i++)
		if (examine(k, set, i, &k->told[i]))
			return 1;
	for (int i = 0; i < k->n; i++)
		if (!k->x->device && ((!may_share(k, i) && (check_arguments(k, i) || check_results(k, set, i))) ||
				      lay_down(k, set, i)))
			return 1;
	return 0;
}

int ay_exec_take(struct ay_exec *x, const struct ay_batch *b, int set, struct ay_outcome *o, struct ay_err *err)
{
	struct taking k = { .x = x, .b = b, .o = o, .alias = may_alias(b->call) };
	int n = 0;

	(void)err;
	k.n = x->python ? ay_encode_nresult(b->call) : 0;
	if (!k.n)
		return 0;
	k.told = ay_xrealloc(NULL, sizeof *k.told * (size_t)k.n);
	k.want = ay_xrealloc(NULL, sizeof *k.want * (size_t)k.n);
	for (int i = 0; i < b->call->noperand; i++)
		if (b->call->operand[i]->role == AY_RESULT)
			k.want[n++] = b->call->operand[i];
	take(&k, set);
	ay_xfree(k.told);
	ay_xfree(k.want);
	return 0;
}

/* --- results that nobody knew before ---------------------------------------------------------------------- */

/* An operand as the executor describes it: everything but its memory is believed, for the code in there is ours. */
static bool open_operand(const struct ay_wire_result *r, struct ay_operand *o)
{
	*o = (struct ay_operand){ .name = "answer", .role = AY_RESULT };
	o->view.dt = ay_dt_from_dl(r->dtype.code, r->dtype.bits);
	o->view.ndim = r->ndim;
	if (o->view.dt == AY_DT_NONE || r->ndim < 0 || r->ndim > AY_MAX_DIM)
		return false;
	memcpy(o->view.shape, r->shape, sizeof *r->shape * (size_t)r->ndim);
	if (!ay_shape_ok(r->ndim, r->shape, ay_dt_info(o->view.dt)->bytes))
		return false;
	ay_strides_dense(r->ndim, r->shape, o->view.stride);
	return true;
}

/* All of it, or of an expanded one (a shape without content) nothing. */
static int read_open(struct ay_exec *x, struct ay_arena *a, const struct ay_told *t, struct ay_view *v)
{
	const uint64_t bytes = (uint64_t)ay_numel_of(v) * (uint64_t)ay_dt_info(v->dt)->bytes;

	v->data = NULL;
	if (!bytes || !ay_view_is_dense(&t->view))
		return 0;
	v->data = ay_alloc(a, bytes);
	return read_span(x, t->lo, v->data, bytes);
}

int ay_exec_returned(struct ay_exec *x, const struct ay_batch *b, struct ay_arena *a, int *n, struct ay_view **v,
		     struct ay_outcome *o)
{
	const struct ay_wire_told *t = (const void *)b->pool->slot[b->told].mem;
	const struct ay_wire_result *all = (const void *)(t + 1);
	const uint32_t count = __atomic_load_n(&t->count, __ATOMIC_RELAXED);

	*n = count <= (uint32_t)b->room ? (int)count : 0;
	*v = AY_NEW_N(a, struct ay_view, *n + 1);
	for (int i = 0; i < *n; i++) {
		struct ay_wire_result r;
		struct ay_operand want;
		struct ay_told told;

		memcpy(&r, all + i, sizeof r);
		if (!open_operand(&r, &want)) {
			snprintf(o->text, sizeof o->text, "an answer of no kind that is known here");
			return 1;
		}
		if (ay_told_examine(&told, &r, &want, true, o->text, sizeof o->text))
			return 1;
		(*v)[i] = want.view;
		if (read_open(x, a, &told, &(*v)[i])) {
			snprintf(o->text, sizeof o->text, "an answer that cannot be read");
			return 1;
		}
	}
	return 0;
}
