/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads results that lie in the executor's own memory. The executor's description of them is copied
 * once and then checked (result_desc.h). On the processor the bytes are read out of the executor's
 * address space and written to the pool in the layout of the call's operand.
 *
 * A GPU's memory cannot be read across processes. There, results lie in the executor's heap, which
 * the judge allocated and has mapped too, or in slots of the device. A result in other memory was
 * copied by the executor's own code into the slot of its operand.
 */
#include "exec/transact.h"

#include "exec/backing.h"
#include "exec/encode.h"
#include "exec/result_desc.h"
#include "oracle/read_set.h"
#include "op/fill.h"
#include "op/op.h"

#include <stdio.h>
#include <string.h>
#include <sys/uio.h>

enum {
	PIECES = 512, /* elements that one system call reads */
	/* earlier calls that are checked: a kernel that returns memory twice does so soon */
	EARLIER = 16,
};

/* A batch whose results are being read. */
struct taking {
	struct ay_exec *x;
	const struct ay_batch *b;
	struct ay_outcome *o;
	/* all results may share memory with arguments and each other */
	bool alias;
	int n;                               /* number of results of a set */
	struct ay_result_desc_memory memory; /* of the executor's device */
	struct ay_result_desc *told;
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
	k->o->what = AY_EXEC_UNFIT;
	snprintf(k->o->text, sizeof k->o->text, "returned '%s' %s", k->want[i]->name, what);
	return 1;
}

/* Returns true for views, whose results are meant to share memory. */
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

/* Checks the description of result i of a set. It is copied once, because the executor may change
 * it. */
static int examine(struct taking *k, int set, int i, struct ay_result_desc *t)
{
	const struct ay_wire_result *all = (const void *)(k->b->pool->slot[k->b->told].mem +
							  sizeof(struct ay_wire_told));
	struct ay_wire_result r;

	memcpy(&r, all + (size_t)set * (size_t)k->n + i, sizeof r);
	if (k->x->device
		    ? !ay_result_desc_find(t, &r, k->want[i], may_share(k, i), &k->memory, k->o->text,
					   sizeof k->o->text)
		    : !ay_result_desc_examine(t, &r, k->want[i], may_share(k, i), k->o->text, sizeof k->o->text))
		return 0;
	k->o->what = AY_EXEC_UNFIT;
	return 1;
}

/* Fails if the result lies in an argument's slot. The pool is where the judge had it mapped; guards
 * do not count. */
static int check_arguments(struct taking *k, int i)
{
	const struct ay_pool *p = k->b->pool;
	uint64_t at = k->x->pool_at;
	const bool in_slot = k->told[i].where == AY_WIRE_IN_SLOT && k->told[i].lo < k->told[i].hi;

	if (in_slot && k->x->device)
		return unfit(k, i, "in the memory of an argument, where a new tensor is due");
	for (int s = 0; s < p->nslot && !k->x->device; s++) {
		at += AY_WIRE_GUARD;
		if (ay_result_desc_meets(&k->told[i], at, at + p->slot[s].bytes))
			return unfit(k, i, "in the memory of an argument, where a new tensor is due");
		at += p->slot[s].bytes;
	}
	return 0;
}

/* Fails if the result overlaps another result of this set, or one of the earlier calls, which the
 * caller still has. */
static int check_results(struct taking *k, int set, int i)
{
	const struct ay_result_desc *t = &k->told[i];
	struct ay_outcome ignored = { 0 }, *o = k->o;
	bool shared = false;

	for (int r = 0; r < k->n; r++)
		if (r != i && ay_result_desc_meets(t, k->told[r].lo, k->told[r].hi))
			return unfit(k, i, "in the memory of another result");
	k->o = &ignored; /* errors in earlier results were reported before */
	for (int at = set > EARLIER ? (set - EARLIER) * k->n : 0; at < set * k->n && !shared; at++) {
		struct ay_result_desc before;

		shared = !examine(k, at / k->n, at % k->n, &before) &&
			 ay_result_desc_meets(t, before.lo, before.hi);
	}
	k->o = o;
	return shared ? unfit(k, i, "in the memory of what an earlier call returned") : 0;
}

/* Finds the files behind a result. Memory of a file can be mapped at several addresses. */
static int find_backing(struct taking *k, const struct ay_result_desc *t, struct ay_backing *b, struct ay_err *err)
{
	b->n = 0;
	b->more = false;
	return t->lo < t->hi ? ay_backing_find(&k->x->jail, k->x->executor, t->lo, t->hi, b, err) : 0;
}

static bool has_argument(struct taking *k, const struct ay_backing *b)
{
	return ay_backing_has_file(b, k->b->pool->fd[0]) || ay_backing_has_file(b, k->b->pool->fd[1]);
}

/* Says whether a result whose memory is `mine` shares it with other results of this set (earlier
 * false), or with those of earlier calls. Returns 1 if it does, -1 on failure. */
static int check_files(struct taking *k, int set, int i, const struct ay_backing *mine, bool earlier,
		       struct ay_err *err)
{
	const int from = !earlier ? set * k->n : set > EARLIER ? (set - EARLIER) * k->n : 0;
	const int to = earlier ? set * k->n : set * k->n + k->n;
	struct ay_outcome ignored = { 0 }, *o = k->o;
	bool shared = false;
	int rc = 0;

	k->o = &ignored; /* errors in these results are reported elsewhere */
	for (int at = from; at < to && !shared && !rc; at++) {
		struct ay_result_desc t;
		struct ay_backing its;

		if (at == set * k->n + i || examine(k, at / k->n, at % k->n, &t))
			continue;
		rc = find_backing(k, &t, &its, err);
		shared = !rc && ay_backing_meets(mine, &its);
	}
	k->o = o;
	return rc ? -1 : shared;
}

/* Fails if the memory of the result is also an argument's or another result's, though under other
 * addresses. On a GPU results lie in memory that the judge has mapped itself. */
static int check_backing(struct taking *k, int set, int i, struct ay_err *err)
{
	struct ay_backing b;
	int rc;

	if (k->x->device)
		return 0;
	if (find_backing(k, &k->told[i], &b, err))
		return -1;
	if (!b.n)
		return 0;
	if (has_argument(k, &b))
		return unfit(k, i, "in the memory of an argument, where a new tensor is due");
	if (b.more)
		return unfit(k, i, "in memory that is put together of too many files");
	if (ay_backing_repeats(&b))
		return unfit(k, i, "with elements that share memory");
	rc = check_files(k, set, i, &b, false, err);
	if (rc)
		return rc < 0 ? -1 : unfit(k, i, "in the memory of another result");
	rc = check_files(k, set, i, &b, true, err);
	return rc > 0 ? unfit(k, i, "in the memory of what an earlier call returned") : rc;
}

/* Reads n bytes at address `from` of the executor. */
static int read_span(struct ay_exec *x, uint64_t from, uint8_t *to, uint64_t n)
{
	while (n) {
		struct iovec here = { to, n }, there = { (void *)(uintptr_t)from, n };
		ssize_t k = ay_jail_read(&x->jail, x->executor, &here, &there, 1);

		if (k <= 0)
			return -1;
		from += (uint64_t)k;
		to += k;
		n -= (uint64_t)k;
	}
	return 0;
}

/* Reads only the elements, in row-major order. */
static int read_elements(struct ay_exec *x, const struct ay_result_desc *t, uint8_t *to)
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
		if (ay_jail_read(&x->jail, x->executor, &here, there, (unsigned long)k) != (ssize_t)here.iov_len)
			return -1;
		to += here.iov_len;
	}
	return 0;
}

/* Reads a slot of the device from the batch's mapping. Without a mapping, the pool has the slot's
 * content as it was fetched. */
static int read_slot(struct taking *k, int slot, uint64_t offset, uint8_t *to, uint64_t n, struct ay_err *err)
{
	const struct ay_dev_mapping *l = k->b->mapping;

	if (l && l->nslot && l->slot[slot].bytes)
		return ay_dev_read(k->x->device, l->slot[slot].at + l->pad + offset, to, n, err);
	if (to != k->b->pool->slot[slot].mem + offset)
		memcpy(to, k->b->pool->slot[slot].mem + offset, n);
	return 0;
}

/* Returns true if the executor has copied the content to where a native kernel would have written
 * it. */
static bool is_copied(const struct ay_result_desc *t)
{
	return t->where == AY_WIRE_COPIED || (t->where == AY_WIRE_IN_HEAP && ay_result_desc_is_sparse(t));
}

/* Returns only the elements, in row-major order, out of all bytes between the first and the last.
 * Frees `span`. */
static uint8_t *pack(const struct ay_result_desc *t, uint8_t *span)
{
	const uint64_t item = (uint64_t)ay_dt_info(t->view.dt)->bytes;
	const int64_t n = ay_numel_of(&t->view);
	uint8_t *mem = ay_xrealloc(NULL, (uint64_t)n * item);

	for (int64_t i = 0; i < n; i++)
		memcpy(mem + (uint64_t)i * item, span + (uint64_t)ay_view_at(&t->view, i) * item, item);
	ay_xfree(span);
	return mem;
}

/* Returns true if the result can be copied to its operand as one block. */
static bool lies_alike(const struct ay_result_desc *t, const struct ay_view *to)
{
	return !t->flags && ay_view_is_dense(&t->view) && ay_view_is_dense(to) && !to->offset;
}

/* Reads the needed part of a dense result in the heap. */
static int lay_part(struct taking *k, const struct ay_result_desc *t, const struct ay_operand *o, uint8_t *storage,
		    struct ay_err *err)
{
	const uint64_t bytes = t->hi - t->lo;
	struct ay_byte_range part = k->b->need ? k->b->need[o->ordinal] : (struct ay_byte_range){ 0, bytes };

	if (part.hi > bytes)
		part.hi = bytes;
	if (part.lo >= part.hi)
		return 0;
	return ay_dev_read(k->x->device, k->x->heap.at + t->offset + part.lo, storage + part.lo, part.hi - part.lo,
			   err);
}

/* Copies result i from the device to its operand in the pool. */
static int lay_from_device(struct taking *k, int set, int i, struct ay_err *err)
{
	const struct ay_batch *b = k->b;
	const struct ay_result_desc *t = &k->told[i];
	const int at = set * b->call->noperand + k->want[i]->ordinal;
	const struct ay_batch *dst = b->into ? b->into : b;
	uint8_t *storage = dst->pool->slot[dst->slot[at]].mem + dst->offset[at], *mem;
	struct ay_view to = k->want[i]->view;
	const uint64_t span = t->hi - t->lo, item = (uint64_t)ay_dt_info(to.dt)->bytes;
	int rc;

	if (!span)
		return 0;
	if (is_copied(t))
		return read_slot(k, b->slot[at], b->offset[at], storage, ay_operand_bytes(k->want[i]), err);
	if (t->where == AY_WIRE_IN_HEAP && lies_alike(t, &to))
		return lay_part(k, t, k->want[i], storage, err);
	mem = ay_xrealloc(NULL, span);
	if (t->where == AY_WIRE_IN_HEAP)
		rc = ay_dev_read(k->x->device, k->x->heap.at + t->offset, mem, span, err);
	else
		rc = read_slot(k, (int)t->slot, t->offset, mem, span, err);
	if (rc && t->where == AY_WIRE_IN_SLOT) { /* a part of the slot that is not mapped now */
		ay_err_clear(err);
		rc = unfit(k, i, "at memory that cannot be read");
	}
	to.data = storage + (uint64_t)to.offset * item;
	if (!rc && ay_result_desc_is_sparse(t)) /* a view */
		mem = pack(t, mem);
	if (!rc)
		ay_result_desc_lay(t, mem, &to);
	ay_xfree(mem);
	return rc;
}

/* Copies result i from the executor's memory to its operand in the pool. */
static int lay_down(struct taking *k, int set, int i)
{
	const struct ay_batch *b = k->b;
	const struct ay_result_desc *t = &k->told[i];
	const int at = set * b->call->noperand + k->want[i]->ordinal;
	const int64_t n = ay_numel_of(&t->view), item = ay_dt_info(t->view.dt)->bytes;
	const bool sparse = ay_result_desc_is_sparse(t);
	struct ay_view to = k->want[i]->view;
	uint8_t *mem;
	int rc = 0;

	to.data = b->pool->slot[b->slot[at]].mem + b->offset[at] + to.offset * item;
	if (n && lies_alike(t, &to))
		return read_span(k->x, t->lo, to.data, (uint64_t)(n * item))
			       ? unfit(k, i, "at memory that cannot be read")
			       : 0;
	mem = ay_xrealloc(NULL, sparse ? (size_t)(n * item) : t->hi - t->lo + 1);
	if (n && (sparse ? read_elements(k->x, t, mem) : read_span(k->x, t->lo, mem, t->hi - t->lo)))
		rc = unfit(k, i, "at memory that cannot be read");
	else
		ay_result_desc_lay(t, mem, &to);
	ay_xfree(mem);
	return rc;
}

/* Reads all results of a set. Returns 1 if they are no results of the call, which the outcome then
 * says. */
static int take(struct taking *k, int set, struct ay_err *err)
{
	int rc = 0;

	for (int i = 0; i < k->n; i++)
		if (examine(k, set, i, &k->told[i]))
			return 1;
	for (int i = 0; i < k->n && !rc; i++) {
		if (!may_share(k, i) && (check_arguments(k, i) || check_results(k, set, i)))
			return 1;
		rc = may_share(k, i) ? 0 : check_backing(k, set, i, err);
		if (!rc)
			rc = k->x->device ? lay_from_device(k, set, i, err) : lay_down(k, set, i);
	}
	return rc;
}

static void begin(struct taking *k, struct ay_exec *x, const struct ay_batch *b, struct ay_outcome *o)
{
	int n = 0;

	*k = (struct taking){ .x = x, .b = b, .o = o, .alias = may_alias(b->call) };
	k->n = x->python ? ay_encode_nresult(b->call) : 0;
	k->memory = (struct ay_result_desc_memory){ x->heap.bytes, b->pool->nslot, b->pool->slot };
	k->told = ay_xrealloc(NULL, sizeof *k->told * (size_t)(k->n + 1));
	k->want = ay_xrealloc(NULL, sizeof *k->want * (size_t)(k->n + 1));
	for (int i = 0; i < b->call->noperand && k->n; i++)
		if (b->call->operand[i]->role == AY_RESULT)
			k->want[n++] = b->call->operand[i];
}

static void end(struct taking *k)
{
	ay_xfree(k->told);
	ay_xfree(k->want);
}

int ay_exec_take(struct ay_exec *x, const struct ay_batch *b, int set, struct ay_outcome *o, struct ay_err *err)
{
	struct taking k;
	int rc;

	begin(&k, x, b, o);
	rc = take(&k, set, err);
	end(&k);
	return rc < 0 ? -1 : 0;
}

int ay_exec_find(struct ay_exec *x, const struct ay_batch *b, int set, int i, struct ay_view *v, uint64_t *at,
		 struct ay_outcome *o)
{
	const struct ay_dev_mapping *l = b->mapping;
	struct taking k;
	struct ay_result_desc t;
	int rc;

	*at = 0;
	begin(&k, x, b, o);
	AY_ASSERT(x->device && i < k.n);
	rc = examine(&k, set, i, &t);
	*v = t.view;
	if (!rc && is_copied(&t)) {
		const int slot = set * b->call->noperand + k.want[i]->ordinal;

		*v = k.want[i]->view;
		*at = l && l->nslot ? l->slot[b->slot[slot]].at + l->pad + b->offset[slot] : 0;
	} else if (!rc && t.where == AY_WIRE_IN_HEAP) {
		*at = x->heap.at + t.offset;
	} else if (!rc && l && l->nslot) {
		*at = l->slot[t.slot].at + l->pad + t.offset;
	}
	end(&k);
	return rc;
}

/* --- results of unknown shape ----------------------------------------------------------------------------- */

/* Makes an operand of the executor's description. Everything but its memory is trusted, because
 * this executor runs assay's own code. */
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

/* Reads all of a dense result; nothing of an expanded one, which is a shape without content. */
static int read_open(struct ay_exec *x, struct ay_arena *a, const struct ay_result_desc *t, struct ay_view *v)
{
	const uint64_t bytes = (uint64_t)ay_numel_of(v) * (uint64_t)ay_dt_info(v->dt)->bytes;

	v->data = NULL;
	if (!bytes || !ay_view_is_dense(&t->view))
		return 0;
	v->data = ay_alloc_raw(a, bytes);
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
		struct ay_result_desc told;

		memcpy(&r, all + i, sizeof r);
		if (!open_operand(&r, &want)) {
			snprintf(o->text, sizeof o->text, "an answer of no kind that is known here");
			return 1;
		}
		if (ay_result_desc_examine(&told, &r, &want, true, o->text, sizeof o->text))
			return 1;
		(*v)[i] = want.view;
		if (read_open(x, a, &told, &(*v)[i])) {
			snprintf(o->text, sizeof o->text, "an answer that cannot be read");
			return 1;
		}
	}
	return 0;
}
