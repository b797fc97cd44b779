/* SPDX-License-Identifier: Apache-2.0
 *
 * Results that lie in the executor's own memory. What it tells of them is copied once and then judged; the bytes are
 * read out of its address space, where it has one there, and laid into the pool as the call's operand is laid out.
 */
#include "exec/exchange.h"

#include "base/str.h"
#include "exec/encode.h"
#include "op/op.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>

enum { SPREAD_MAX = 1 << 30 /* bytes that a result's elements may be spread over */ };

/* A result as it was told, with what follows from it. */
struct found {
	struct ay_wire_result r;
	struct ay_view view; /* of the bytes [lo, hi) of the executor */
	uint64_t lo, hi;
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

static int unfit(struct ay_outcome *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static int unfit(struct ay_outcome *o, const char *fmt, ...)
{
	va_list ap;

	o->what = AY_X_UNFIT;
	va_start(ap, fmt);
	vsnprintf(o->text, sizeof o->text, fmt, ap);
	va_end(ap);
	return 1;
}

static void shape_text(struct ay_str *b, int n, const int64_t *x)
{
	ay_str_add(b, "[");
	for (int i = 0; i < n; i++)
		ay_str_addf(b, "%s%" PRId64, i ? ", " : "", x[i]);
	ay_str_add(b, "]");
}

static int wrong_shape(const struct ay_operand *want, const struct ay_wire_result *r, struct ay_outcome *o)
{
	struct ay_str got = { 0 }, due = { 0 };

	shape_text(&got, r->ndim, r->shape);
	shape_text(&due, want->view.ndim, want->view.shape);
	unfit(o, "returned '%s' with shape %s, %s is due", want->name, ay_str_text(&got), ay_str_text(&due));
	ay_str_release(&got);
	ay_str_release(&due);
	return 1;
}

/* Everything of what was told that follows from the call. Its memory is looked at later. */
static int examine(struct found *f, const struct ay_operand *want, struct ay_outcome *o)
{
	const struct ay_dt_info *dt = ay_dt_info(want->view.dt);
	const struct ay_wire_result *r = &f->r;
	int64_t last = 0;

	if (want->absent) {
		f->view = want->view;
		f->lo = f->hi = 0;
		return r->ndim < 0 ? 0 : unfit(o, "returned a tensor for '%s' where None is due", want->name);
	}
	if (r->ndim != want->view.ndim ||
	    memcmp(r->shape, want->view.shape, sizeof *r->shape * (size_t)want->view.ndim))
		return r->ndim < 0 || r->ndim > AY_MAX_DIM ? unfit(o, "returned no tensor for '%s'", want->name)
							   : wrong_shape(want, r, o);
	if (r->dtype.code != dt->dl_code || r->dtype.bits != dt->dl_bits)
		return unfit(o, "returned '%s' with another dtype than %s", want->name, dt->name);
	f->view = want->view;
	f->view.conj = false;
	f->view.offset = 0;
	memcpy(f->view.stride, r->stride, sizeof *r->stride * (size_t)r->ndim);
	for (int d = 0; d < r->ndim; d++) {
		int64_t step;

		if (r->stride[d] < 0 ||
		    __builtin_mul_overflow(r->stride[d], r->shape[d] > 0 ? r->shape[d] - 1 : 0, &step) ||
		    __builtin_add_overflow(last, step, &last) || last > SPREAD_MAX)
			return unfit(o, "returned '%s' with elements too far from each other", want->name);
	}
	f->lo = r->data;
	f->hi = r->data + (ay_numel_of(&want->view) ? (uint64_t)(last + 1) * (uint64_t)dt->bytes : 0);
	if (f->hi < f->lo)
		return unfit(o, "returned '%s' at an address that cannot be", want->name);
	if (want->has_stride && memcmp(r->stride, want->view.stride, sizeof *r->stride * (size_t)r->ndim))
		return unfit(o, "returned '%s' with other strides than the operator promises", want->name);
	return 0;
}

/* May results share memory with arguments? Views are meant to. */
static bool may_alias(const struct ay_call *c, const struct ay_operand *o)
{
	if (c->op->flags & AY_VIEW || o->may_alias)
		return true;
	for (int i = 0; i < c->s->nret; i++)
		if (c->s->ret[i].type.alias)
			return true;
	return false;
}

static bool meets(const struct found *f, uint64_t lo, uint64_t hi)
{
	return f->lo < f->hi && lo < hi && f->lo < hi && lo < f->hi;
}

/* The pool is where we told it to be: a slot's own memory, without the guards. */
static int check_memory(const struct ay_exec *x, const struct ay_batch *b, const struct found *f, int n, int k,
			const struct ay_operand *want, struct ay_outcome *o)
{
	uint64_t at = x->pool_at;

	for (int i = 0; i < b->pool->nslot; i++) {
		at += AY_WIRE_GUARD;
		if (meets(&f[k], at, at + b->pool->slot[i].bytes) && !may_alias(b->call, want))
			return unfit(o, "returned '%s' in the memory of an argument, where a new tensor is due",
				     want->name);
		at += b->pool->slot[i].bytes;
	}
	for (int i = 0; i < n; i++)
		if (i != k && meets(&f[k], f[i].lo, f[i].hi) && !may_alias(b->call, want))
			return unfit(o, "returned '%s' in the memory of another result", want->name);
	return 0;
}

static int read_far(struct ay_exec *x, uint64_t from, uint8_t *to, uint64_t n)
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

/* What is stored as conjugate or negative becomes what it stands for: the sign bits of parts are turned. */
static void resolve(uint8_t *p, int64_t n, enum ay_dt dt, uint32_t flags)
{
	const enum ay_dt part = ay_dt_component(dt);
	const int bytes = ay_dt_info(part)->bytes;
	const bool pairs = part != dt;

	if (!ay_dt_is_float(part))
		return;
	for (int64_t i = 0; i < n * (pairs ? 2 : 1); i++) {
		const bool turn = !!(flags & AY_NEG) ^ (pairs && i % 2 && flags & AY_CONJ);

		if (turn)
			p[(i + 1) * bytes - 1] ^= 0x80;
	}
}

/* Dimension d and those inside it. */
static void copy_elements(const struct ay_view *to, const struct ay_view *from, int d, uint8_t *dst,
			  const uint8_t *src)
{
	const int64_t item = ay_dt_info(to->dt)->bytes, n = d < to->ndim ? to->shape[d] : 1;
	const int64_t step = d < to->ndim ? to->stride[d] : 1, leap = d < to->ndim ? from->stride[d] : 1;

	if (d + 1 >= to->ndim && step == 1 && leap == 1) {
		memcpy(dst, src, (size_t)(n * item));
		return;
	}
	for (int64_t i = 0; i < n; i++, dst += step * item, src += leap * item) {
		if (d + 1 < to->ndim)
			copy_elements(to, from, d + 1, dst, src);
		else
			memcpy(dst, src, (size_t)item);
	}
}

/* From the executor into the operand's place in the pool. */
static int lay_down(struct ay_exec *x, const struct ay_batch *b, int set, const struct ay_operand *want,
		    const struct found *f, struct ay_outcome *o)
{
	const int at = set * b->call->noperand + want->ordinal;
	const int64_t n = ay_numel_of(&want->view), item = ay_dt_info(want->view.dt)->bytes;
	struct ay_view to = want->view;
	const struct ay_view from = f->view;
	uint8_t *mem = ay_xrealloc(NULL, f->hi - f->lo + 1);
	int rc = 0;

	to.data = b->pool->slot[b->slot[at]].mem + b->offset[at] + want->view.offset * item;
	if (n && read_far(x, f->lo, mem, f->hi - f->lo))
		rc = unfit(o, "returned '%s' at memory that cannot be read", want->name);
	else if (n) {
		if (f->r.flags)
			resolve(mem, (int64_t)(f->hi - f->lo) / item, want->view.dt, f->r.flags);
		copy_elements(&to, &from, 0, to.data, mem);
	}
	ay_xfree(mem);
	return rc;
}

int ay_exec_take(struct ay_exec *x, const struct ay_batch *b, int set, struct ay_outcome *o, struct ay_err *err)
{
	const int n = x->python ? ay_encode_nresult(b->call) : 0;
	struct found *f = n ? ay_xrealloc(NULL, sizeof *f * (size_t)n) : NULL;
	const struct ay_wire_result *told;
	int k = 0, rc = 0;

	(void)err;
	if (!n)
		return 0;
	told = (const struct ay_wire_result *)(b->pool->slot[b->told].mem + sizeof(struct ay_wire_told)) +
	       (size_t)set * (size_t)n;
	for (int i = 0; i < b->call->noperand && !rc; i++) {
		if (b->call->operand[i]->role != AY_RESULT)
			continue;
		memcpy(&f[k].r, told + k, sizeof f[k].r); /* once: it may change under us */
		rc = examine(&f[k], b->call->operand[i], o);
		k++;
	}
	k = 0;
	for (int i = 0; i < b->call->noperand && !rc; i++) {
		if (b->call->operand[i]->role != AY_RESULT)
			continue;
		rc = check_memory(x, b, f, n, k, b->call->operand[i], o);
		if (!rc)
			rc = lay_down(x, b, set, b->call->operand[i], &f[k], o);
		k++;
	}
	ay_xfree(f);
	return 0;
}

/* --- results that nobody knew before ---------------------------------------------------------------------- */

/* An operand as the executor describes it: everything but its memory is believed, for it is ours who says so. */
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
static int read_open(struct ay_exec *x, struct ay_arena *a, const struct found *f, struct ay_view *v,
		     struct ay_outcome *o)
{
	const int64_t n = ay_numel_of(v), item = ay_dt_info(v->dt)->bytes;
	uint8_t *mem = ay_alloc(a, f->hi - f->lo + 1);

	if (!n || !ay_view_is_dense(&f->view)) {
		v->data = NULL;
		return 0;
	}
	if (read_far(x, f->lo, mem, (uint64_t)(n * item)))
		return unfit(o, "its answer cannot be read");
	v->data = mem;
	return 0;
}

int ay_exec_returned(struct ay_exec *x, const struct ay_batch *b, struct ay_arena *a, int *n, struct ay_view **v,
		     struct ay_outcome *o)
{
	const struct ay_wire_told *t = (const void *)b->pool->slot[b->told].mem;
	const struct ay_wire_result *told = (const void *)(t + 1);
	const uint32_t count = __atomic_load_n(&t->count, __ATOMIC_RELAXED);

	*n = count <= (uint32_t)b->room ? (int)count : 0;
	*v = AY_NEW_N(a, struct ay_view, *n + 1);
	for (int i = 0; i < *n; i++) {
		struct ay_operand want;
		struct found f;

		memcpy(&f.r, told + i, sizeof f.r);
		if (!open_operand(&f.r, &want))
			return unfit(o, "its answer is of no kind that is known here");
		if (examine(&f, &want, o))
			return 1;
		(*v)[i] = want.view;
		if (read_open(x, a, &f, &(*v)[i], o))
			return 1;
	}
	return 0;
}
