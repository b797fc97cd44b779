/* SPDX-License-Identifier: Apache-2.0 */
#include "exec/result_desc.h"

#include "base/str.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { COUNT_MAX = 16 << 20 /* places that are counted if strides look strange */ };

/* Made-up addresses that no process uses: a range for the heap, then one for each slot, each larger
 * than any memory. */
#define RANGE     (1ull << 44)
#define RANGES_AT (1ull << 63)

static int unfit(char *text, size_t n, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static int unfit(char *text, size_t n, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, n, fmt, ap);
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

static int wrong_shape(const struct ay_operand *want, const struct ay_wire_result *r, char *text, size_t n)
{
	struct ay_str got = { 0 }, due = { 0 };

	shape_text(&got, r->ndim, r->shape);
	shape_text(&due, want->view.ndim, want->view.shape);
	unfit(text, n, "returned '%s' with shape %s, %s is due", want->name, ay_str_text(&got), ay_str_text(&due));
	ay_str_release(&got);
	ay_str_release(&due);
	return 1;
}

/* Returns the distance of the last element from the first; -1 if the strides are impossible. */
static int64_t last_element(const struct ay_wire_result *r)
{
	int64_t last = 0, step;

	for (int d = 0; d < r->ndim; d++)
		if (r->stride[d] < 0 ||
		    __builtin_mul_overflow(r->stride[d], r->shape[d] > 0 ? r->shape[d] - 1 : 0, &step) ||
		    __builtin_add_overflow(last, step, &last))
			return -1;
	return last;
}

/* Returns true if elements share memory. If the strides look as if they overlap, the places are
 * counted one by one, unless there are too many. */
static bool shares_memory(const struct ay_view *v, int64_t last)
{
	const int64_t n = ay_numel_of(v);
	uint8_t *taken;
	bool twice = false;

	if (!ay_view_overlaps(v))
		return false;
	if (n > last + 1 || last >= COUNT_MAX)
		return true;
	taken = ay_xrealloc(NULL, (size_t)last + 1);
	memset(taken, 0, (size_t)last + 1);
	for (int64_t i = 0; i < n && !twice; i++)
		twice = taken[ay_view_at(v, i)]++;
	ay_xfree(taken);
	return twice;
}

int ay_result_desc_examine(struct ay_result_desc *t, const struct ay_wire_result *r, const struct ay_operand *want,
			   bool alias, char *text, size_t n)
{
	const struct ay_dt_info *dt = ay_dt_info(want->view.dt);
	const size_t dims = sizeof *r->shape * (size_t)want->view.ndim;
	uint64_t bytes = 0;
	int64_t last;

	*t = (struct ay_result_desc){ .view = want->view, .flags = r->flags };
	if (want->absent)
		return r->ndim < 0 ? 0
				   : unfit(text, n, "returned a tensor for '%s' where None is due", want->name);
	if (r->ndim < 0 || r->ndim > AY_MAX_DIM)
		return unfit(text, n, "returned no tensor for '%s'", want->name);
	if (r->ndim != want->view.ndim || memcmp(r->shape, want->view.shape, dims))
		return wrong_shape(want, r, text, n);
	if (r->dtype.code != dt->dl_code || r->dtype.bits != dt->dl_bits)
		return unfit(text, n, "returned '%s' with another dtype than %s", want->name, dt->name);
	t->view.conj = t->view.neg = false;
	t->view.offset = 0;
	t->view.data = NULL;
	memcpy(t->view.stride, r->stride, dims);
	last = last_element(r);
	if (last < 0 || __builtin_mul_overflow((uint64_t)last + 1, (uint64_t)dt->bytes, &bytes))
		return unfit(text, n, "returned '%s' with strides that cannot be", want->name);
	t->lo = r->data;
	if (__builtin_add_overflow(t->lo, ay_numel_of(&want->view) ? bytes : 0, &t->hi))
		return unfit(text, n, "returned '%s' at an address that cannot be", want->name);
	if (r->flags & want->resolved)
		return unfit(text, n, "returned '%s' as a view that is still %s", want->name,
			     r->flags & want->resolved & AY_CONJ ? "to be conjugated" : "to be negated");
	if (want->has_stride && memcmp(r->stride, want->view.stride, dims))
		return unfit(text, n, "returned '%s' with other strides than the operator promises", want->name);
	if (!alias && !want->has_stride && shares_memory(&t->view, last))
		return unfit(text, n, "returned '%s' with elements that share memory", want->name);
	return 0;
}

/* Gives the made-up range of the memory that r names, and its size. Returns false if r names no
 * readable memory. */
static bool range_of(const struct ay_wire_result *r, const struct ay_result_desc_memory *m, uint64_t *at,
		     uint64_t *size)
{
	*at = 0;
	*size = RANGES_AT;
	if (r->where == AY_WIRE_COPIED)
		return true;
	*at = RANGES_AT;
	*size = m->heap;
	if (r->where == AY_WIRE_IN_HEAP)
		return m->heap && m->heap <= RANGE;
	if (r->where != AY_WIRE_IN_SLOT || r->slot >= (uint32_t)m->nslot || m->slot[r->slot].host)
		return false;
	*at += (1 + (uint64_t)r->slot) * RANGE;
	*size = m->slot[r->slot].bytes;
	return *at >= RANGES_AT && *size <= RANGE;
}

int ay_result_desc_find(struct ay_result_desc *t, const struct ay_wire_result *r, const struct ay_operand *want,
			bool alias, const struct ay_result_desc_memory *m, char *text, size_t n)
{
	struct ay_wire_result there = *r;
	uint64_t at = 0, size = 0;
	bool found = r->ndim < 0 || (range_of(r, m, &at, &size) && r->data <= size);

	there.data = found ? at + r->data : 0;
	if (ay_result_desc_examine(t, &there, want, alias, text, n))
		return 1;
	t->where = (enum ay_wire_where)r->where;
	t->offset = r->data;
	t->slot = r->slot;
	if (want->absent)
		return 0;
	if (!found || t->hi - at > size)
		return unfit(text, n, "returned '%s' at memory that cannot be read", want->name);
	return 0;
}

bool ay_result_desc_meets(const struct ay_result_desc *t, uint64_t lo, uint64_t hi)
{
	return t->lo < t->hi && lo < hi && t->lo < hi && lo < t->hi;
}

bool ay_result_desc_is_sparse(const struct ay_result_desc *t)
{
	const uint64_t bytes = (uint64_t)ay_numel_of(&t->view) * (uint64_t)ay_dt_info(t->view.dt)->bytes;

	return ay_wire_is_sparse(t->hi - t->lo, bytes);
}

/* Applies the flags of a conjugate or negative view to the data: flips the sign bits of parts. */
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

/* Copies dimension d and those inside it. */
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

void ay_result_desc_lay(const struct ay_result_desc *t, uint8_t *mem, const struct ay_view *to)
{
	const bool sparse = ay_result_desc_is_sparse(t);
	struct ay_view from = t->view;

	if (sparse)
		ay_strides_dense(from.ndim, from.shape, from.stride);
	if (!ay_numel_of(&from))
		return;
	if (t->flags)
		resolve(mem,
			sparse ? ay_numel_of(&from)
			       : (int64_t)((t->hi - t->lo) / (uint64_t)ay_dt_info(from.dt)->bytes),
			from.dt, t->flags);
	copy_elements(to, &from, 0, to->data, mem);
}
