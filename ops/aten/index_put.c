/* SPDX-License-Identifier: Apache-2.0
 *
 * index: out = self[indices]. index_put_ and _index_put_impl_: self[indices] = values, or self[indices] += values
 * with accumulate; everything else in self stays as it is.
 *
 * Places (PyTorch's rule). A bool mask counts as the list of its true places and stands for as many dimensions as
 * it has; None stands for a whole dimension, and so do dimensions behind the last index. The index tensors are
 * broadcast to one shape B. If the indexed dimensions are neighbours, B takes their place in the result's shape,
 * which is also the one that values is broadcast to; if a None stands between them, B comes first. Negative
 * indices count from the end. How many places a mask names must be known before there is data, because the
 * result's shape depends on it: by data=, by fill=mask(k), or by the fill of a line that says nothing, which makes
 * half of the places true.
 *
 * Error. index copies bit for bit. Without accumulate: none; which of two values wins a place is undefined, so
 * such a place is not judged, and fills give distinct ones. With accumulate an element is the sum of its old value
 * and m others: mag = growth(m + 1) * R, with the f32 accumulator of every other sum. ATen itself does both: its
 * CUDA kernels for slices of one or few elements add all duplicates in f32 and round once, the one for long slices
 * and the CPU's loop round to f16 after every addition. Since adding in f32 is possible, is what the common CUDA
 * path does and costs nothing (indices are sorted there anyway), we demand it: hundreds of f16 additions lose all
 * digits, and a judge that lets them pass cannot tell a careful kernel from atomicAdd(half). Consequence: ATen on
 * the CPU is outside this bound on f16 and bf16 rows where a place is named twice or more, and inside on all
 * others.
 *
 * What the original test of index_put_ missed: it compares native with native, its accumulate half does not run
 * (NameError), and with 8 indices into 1,024 places a duplicate is rare, so half accumulation lives. Never tested:
 * None, negative indices, integers, strides, a mask beside an index. Cases: original 44, of which 33 + 10 are
 * sound (one expects FlagGems' own error text); here the same 43 full, masks with a known number of true places.
 *
 * That of index never calls the candidate either. Cases: original 30, of which two expect FlagGems' own error
 * texts; here the other 28 full; the shapes of the last three (a mask, an empty tensor, one dimension) are ours.
 *
 * That of _index_put_impl_ writes eight places drawn with replacement: where one comes twice without accumulate
 * any order is right, and the test fails honest kernels by chance. Its one accumulating case, of f32, adds eight
 * ones to one place. Cases: original 7; here 7 full, with distinct places.
 *
 * hacked_twin has the same call without None and is no kernel of its own; index.str and index.list_* look things
 * up in Python's strings and lists.
 */
#include "op/op.h"

#include <string.h>

/* How many places of a mask are true, where that is not known before there is data: no dimension of values fits but
 * 1. */
enum { UNKNOWN = 1000003 };

/* What the indices say about self's dimensions, and the sizes that follow. */
struct plan {
	const struct ay_operand *index[AY_MAX_DIM]; /* per dimension of self; NULL = all of it */
	int coord[AY_MAX_DIM];                      /* which coordinate of a mask; -1: the index is no mask */
	int bdim, ndim;
	int64_t bshape[AY_MAX_DIM];
	int64_t shape[2 * AY_MAX_DIM]; /* of the result, and of values when broadcast; ndim sizes */
	struct ay_view values;         /* broadcast; index has none */
	bool apart;                    /* a whole dimension stands between indexed ones: B comes first */
	/* whole dimensions before, between and behind the indexed ones; places in B; elements of one step of
	 * `before` */
	int64_t before, between, behind, places, step;
	int64_t *at;  /* per place of B: offset of the indexed coordinates in row-major self; -1 if outside */
	int64_t *mid; /* per place between: its offset */
};

/* --- the plan -------------------------------------------------------------------------------------------- */

static const uint8_t *elem(const struct ay_view *v, int64_t i)
{
	return (const uint8_t *)v->data + ay_view_at(v, i) * ay_dt_info(v->dt)->bytes;
}

/* How many elements of a mask its fill will make true. */
static int64_t filled_true(const struct ay_operand *o)
{
	const int64_t n = ay_numel_of(&o->view), k = o->fill.n == 1 ? o->fill.arg[0].i : -1;
	const struct {
		const char *fill;
		int64_t n;
	} counts[] = { { "place", n / 2 }, { "zeros", 0 }, { "ones", n }, { "mask", k < n ? k : n } };

	if (ay_view_extent(&o->view) - o->view.offset != n) /* fills go by storage */
		return UNKNOWN;
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
		if (!strcmp(counts[i].fill, o->fill.name) && counts[i].n >= 0)
			return counts[i].n;
	return UNKNOWN;
}

static int64_t count_true(const struct ay_operand *o)
{
	int64_t n = 0;

	if (o->view.data) {
		for (int64_t i = 0; i < ay_numel_of(&o->view); i++)
			n += *elem(&o->view, i) != 0;
		return n;
	}
	for (int i = 0; o->data && i < o->data->list.n; i++)
		n += o->data->list.v[i].kind == AY_V_BOOL ? o->data->list.v[i].b : o->data->list.v[i].i != 0;
	return o->data ? n : filled_true(o);
}

/* Gives each index its dimensions and broadcasts them. */
static int place_indices(const struct ay_call *c, struct plan *p, struct ay_err *err)
{
	const struct ay_view *self = ay_t(c, "self");
	const struct ay_barg *list = &c->arg[1];
	int d = 0;

	for (int i = 0; i < list->n; i++) {
		const struct ay_operand *o = list->t[i];
		bool mask = o && o->view.dt == AY_DT_B8;
		int64_t n = mask ? count_true(o) : 0;
		int take = mask ? o->view.ndim : 1;

		if (o && !mask && o->view.dt != AY_DT_I64 && o->view.dt != AY_DT_I32)
			return ay_fail(err, AY_ERR_BIND, "an index is i64, i32 or b8, not %s",
				       ay_dt_info(o->view.dt)->name);
		if (!take || d + take > self->ndim)
			return ay_fail(err, AY_ERR_BIND,
				       "the indices ask for more or fewer dimensions than self has");
		for (int k = 0; k < take; k++, d++) {
			p->index[d] = o;
			p->coord[d] = mask ? k : -1;
			if (mask && o->view.shape[k] != self->shape[d])
				return ay_fail(err, AY_ERR_BIND,
					       "size %d of a mask is %lld, but self has %lld there", k,
					       (long long)o->view.shape[k], (long long)self->shape[d]);
			if (o && !mask && !self->shape[d] && ay_numel_of(&o->view))
				return ay_fail(err, AY_ERR_BIND, "dimension %d of self is empty: nothing to index",
					       d);
		}
		if (o && ay_broadcast_shapes(p->bdim, p->bshape, mask ? 1 : o->view.ndim,
					     mask ? &n : o->view.shape, &p->bdim, p->bshape, err))
			return -1;
	}
	return 0;
}

/* Sizes, and the shape of the result. */
static int make_plan(const struct ay_call *c, struct plan *p, struct ay_err *err)
{
	const struct ay_view *self = ay_t(c, "self");
	int first = -1, last = -1, n = 0, b;

	*p = (struct plan){ .before = 1, .between = 1, .behind = 1, .places = 1, .step = 1 };
	if (place_indices(c, p, err))
		return -1;
	for (int d = 0; d < self->ndim; d++) {
		if (p->index[d])
			last = d;
		if (p->index[d] && first < 0)
			first = d;
	}
	if (first < 0)
		return ay_fail(err, AY_ERR_BIND, "at least one index must be a tensor");
	for (int d = 0; d < self->ndim; d++) {
		*(d < first     ? &p->before
		  : d > last    ? &p->behind
		  : p->index[d] ? &(int64_t){ 0 }
				: &p->between) *= self->shape[d];
		p->step *= d >= first ? self->shape[d] : 1;
		p->apart |= d > first && d < last && !p->index[d];
	}
	b = p->apart ? 0 : first;
	for (int d = 0; d <= self->ndim; d++) {
		for (int k = 0; d == b && k < p->bdim; k++)
			p->shape[n++] = p->bshape[k];
		if (d < self->ndim && !p->index[d])
			p->shape[n++] = self->shape[d];
	}
	if (n > AY_MAX_DIM)
		return ay_fail(err, AY_ERR_BIND, "more than %d dimensions", AY_MAX_DIM);
	if (!ay_shape_ok(n, p->shape, 1))
		return ay_fail(err, AY_ERR_BIND, "the result would be too large");
	for (int k = 0; k < p->bdim; k++)
		p->places *= p->bshape[k];
	p->ndim = n;
	return ay_has_arg(c, "values") ? ay_view_expand(ay_t(c, "values"), n, p->shape, &p->values, err) : 0;
}

static int accepts(const struct ay_call *c, struct ay_err *err)
{
	struct plan p;

	if (ay_t(c, "values")->dt != ay_t(c, "self")->dt)
		return ay_fail(err, AY_ERR_BIND, "values must have the dtype of self");
	return make_plan(c, &p, err);
}

/* --- the places ------------------------------------------------------------------------------------------ */

/* Coordinate `coord` of the k-th true place of a mask, for all k. */
static void true_places(const struct ay_view *mask, int coord, int64_t *dst)
{
	int64_t inner = 1;

	for (int d = coord + 1; d < mask->ndim; d++)
		inner *= mask->shape[d];
	for (int64_t i = 0; i < ay_numel_of(mask); i++)
		if (*elem(mask, i))
			*dst++ = i / inner % mask->shape[coord];
}

/* The index of dimension d at every place of B: its numbers as i64, seen with B's shape. */
static struct ay_view numbers(struct ay_arena *a, const struct plan *p, int d)
{
	const struct ay_view *v = &p->index[d]->view;
	struct ay_view w = { .dt = AY_DT_I64, .ndim = p->coord[d] < 0 ? v->ndim : 1 }, full;
	int64_t n = p->coord[d] < 0 ? ay_numel_of(v) : count_true(p->index[d]), *x = AY_NEW_N(a, int64_t, n);

	memcpy(w.shape, p->coord[d] < 0 ? v->shape : &n, sizeof *w.shape * (size_t)w.ndim);
	ay_strides_dense(w.ndim, w.shape, w.stride);
	w.data = x;
	if (p->coord[d] >= 0)
		true_places(v, p->coord[d], x);
	else
		for (int64_t i = 0; i < n; i++)
			x[i] = ay_elem_int(v->dt, elem(v, i));
	if (ay_view_expand(&w, p->bdim, p->bshape, &full, &(struct ay_err){ 0 }))
		AY_BUG("an index does not broadcast");
	return full;
}

static const void *prepare(struct ay_ref *r)
{
	const struct ay_view *self = ay_t(r->c, "self");
	struct plan *p = AY_NEW(r->tmp, struct plan);
	struct ay_err err = { 0 };
	int64_t step[AY_MAX_DIM], rest;

	if (make_plan(r->c, p, &err))
		AY_BUG("%s: %s", r->c->s->base, err.msg);
	ay_strides_dense(self->ndim, self->shape, step);
	p->at = AY_NEW_N(r->tmp, int64_t, p->places);
	p->mid = AY_NEW_N(r->tmp, int64_t, p->between);
	for (int d = 0; d < self->ndim; d++) {
		struct ay_view v = p->index[d] ? numbers(r->tmp, p, d) : *self;

		for (int64_t k = 0; p->index[d] && k < p->places; k++) {
			int64_t i = ((int64_t *)v.data)[ay_view_at(&v, k)];

			i += i < 0 ? self->shape[d] : 0;
			if (p->at[k] >= 0)
				p->at[k] = i >= 0 && i < self->shape[d] ? p->at[k] + i * step[d] : -1;
		}
	}
	for (int64_t m = 0; p->apart && m < p->between; m++) {
		bool inside = false; /* behind the last index: the run of `behind` */

		rest = m;
		for (int d = self->ndim - 1; d >= 0 && (p->index[d] || rest || !inside); d--) {
			inside |= p->index[d] != NULL;
			if (!inside || p->index[d])
				continue;
			p->mid[m] += rest % self->shape[d] * step[d];
			rest /= self->shape[d];
		}
	}
	return p;
}

/* --- index ----------------------------------------------------------------------------------------------- */

static int get_accepts(const struct ay_call *c, struct ay_err *err)
{
	const struct ay_barg *list = &c->arg[1];
	struct plan p;

	for (int i = 0; i < list->n; i++)
		if (list->t[i] && list->t[i]->view.dt == AY_DT_B8 && count_true(list->t[i]) == UNKNOWN)
			return ay_fail(err, AY_ERR_BIND,
				       "how many places a mask names must be known: write data= or fill=mask(n)");
	return make_plan(c, &p, err);
}

static int get_result(const struct ay_call *c, int k, struct ay_meta *m, struct ay_err *err)
{
	struct plan p;

	(void)k;
	if (make_plan(c, &p, err))
		return -1;
	m->dt = ay_t(c, "self")->dt;
	m->ndim = p.ndim;
	memcpy(m->shape, p.shape, sizeof m->shape);
	return 0;
}

static void index_get(struct ay_ref *r)
{
	const struct plan *p = r->shared;
	const struct ay_view *self = ay_t(r->c, "self");

	for (int64_t i = r->lo; i < r->hi; i++) {
		const int64_t rest = i / p->behind;
		const int64_t m = p->apart ? rest % p->between : 0;
		const int64_t q = p->apart ? rest / p->between % p->before : rest / p->places;
		const int64_t k = p->apart ? rest / p->between / p->before : rest % p->places;

		if (p->at[k] < 0) /* a pasted line may ask for it: nothing is promised */
			*ay_mag(r, 0, i, 0) = AY_FREE;
		else
			*ay_val(r, 0, i, 0) = ay_get(r, self, q * p->step + p->mid[m] + p->at[k] + i % p->behind);
	}
}

/* --- the sum --------------------------------------------------------------------------------------------- */

struct total {
	int64_t n;
	double sumsq, prefix;
};

static void put(const struct ay_ref *r, int64_t i, num x, struct total *t, bool accumulate)
{
	num *v = ay_val(r, 0, i, 0);
	double size = (double)fabs(*v);

	if (!accumulate) {
		if (t->n++ && !(*v == x || (*v != *v && x != x)))
			t->prefix = AY_FREE; /* which of them wins is not promised */
		*v = x;
		return;
	}
	if (!t->n++) {
		t->sumsq = size * size;
		t->prefix = size;
	}
	*v = acc(r, *v + x);
	size = (double)fabs(x);
	t->sumsq += size * size;
	t->prefix = fmax(t->prefix, (double)fabs(*v));
}

static void index_put(struct ay_ref *r)
{
	const struct plan *p = r->shared;
	const bool accumulate = ay_flag(r->c, "accumulate");
	const num *old = ay_load_flat(r, ay_t(r->c, "self"), 0);
	struct total *t = AY_NEW_N(r->tmp, struct total, r->hi - r->lo);

	for (int64_t i = r->lo; i < r->hi; i++)
		*ay_val(r, 0, i, 0) = old[i - r->lo]; /* what no index names stays as it is */
	for (int64_t q = r->lo / p->step; q <= (r->hi - 1) / p->step; q++) {
		for (int64_t m = 0; m < p->between; m++) {
			for (int64_t k = 0; k < p->places; k++) {
				int64_t start = q * p->step + p->mid[m] + p->at[k],
					i = start < r->lo ? r->lo : start;
				int64_t from = p->apart ? (k * p->before + q) * p->between + m : q * p->places + k;

				if (p->at[k] < 0)
					continue;
				for (; i < start + p->behind && i < r->hi; i++)
					put(r, i, ay_get(r, &p->values, from * p->behind + i - start),
					    &t[i - r->lo], accumulate);
			}
		}
	}
	for (int64_t i = r->lo; i < r->hi; i++) {
		const struct total *e = &t[i - r->lo];

		if (!e->n || !accumulate) {
			*ay_mag(r, 0, i, 0) = e->prefix == AY_FREE ? AY_FREE : -1;
			continue;
		}
		*ay_mag(r, 0, i, 0) = ay_err_sum(e->n + 1, (double)fabs(*ay_val(r, 0, i, 0)), e->sumsq, e->prefix);
		*ay_norm(r, 0, i, 0) = sqrt(e->sumsq);
	}
}

/* --- fills ----------------------------------------------------------------------------------------------- */

/* A bijection of [0, n) that is another one for every case: i * a + b mod n. */
static uint64_t scatter(const struct ay_call *c, uint64_t salt, uint64_t n, uint64_t i)
{
	uint64_t a = (c->key.k[0] ^ salt * 0x9e3779b97f4a7c15u) % n, x, y, t;

	do {
		a = a + 1 < n ? a + 1 : 1;
		for (x = a, y = n; y; t = x % y, x = y, y = t)
			;
	} while (x != 1);
	return (uint64_t)(((unsigned __int128)a * i + (c->key.k[1] + salt) % n) % n);
}

/* mask(k): exactly k of the elements are true. */
static double make_mask(const struct ay_call *c, const struct ay_operand *o, const struct ay_fill *f, int64_t i,
			uint64_t bits)
{
	const int64_t n = ay_numel_of(&o->view), k = f->n == 1 ? f->arg[0].i : n / 2;

	(void)bits;
	return n && (int64_t)scatter(c, (uint64_t)o->ordinal, (uint64_t)n, (uint64_t)i) < k;
}

/* What an index gets that the line leaves open: places that exist, and distinct ones where they are written, unless
 * they are added up. Half of a mask is true. */
static double make_place(const struct ay_call *c, const struct ay_operand *o, const struct ay_fill *f, int64_t i,
			 uint64_t bits)
{
	const struct ay_view *self = &c->arg[0].t[0]->view;
	uint64_t n = 1, joint = 1, below = 1, all = (uint64_t)ay_numel_of(&o->view);
	int d = 0;

	if (o->view.dt == AY_DT_B8)
		return make_mask(c, o, f, i, bits);
	for (int k = 0; k < c->arg[1].n && d < self->ndim; k++) {
		const struct ay_operand *other = c->arg[1].t[k];

		if (other && other->view.dt == AY_DT_B8) {
			d += other->view.ndim;
			continue;
		}
		n = other == o ? (uint64_t)self->shape[d] : n;
		below *= other && other->ordinal > o->ordinal ? (uint64_t)self->shape[d] : 1;
		joint *= other ? (uint64_t)self->shape[d] : 1;
		d++;
	}
	if (!n || !joint || !ay_has_arg(c, "accumulate") || ay_flag(c, "accumulate"))
		return n ? (double)(bits % n) : 0;
	return (double)(all <= n ? scatter(c, (uint64_t)o->ordinal, n, (uint64_t)i)
				 : scatter(c, 0, joint, (uint64_t)i % joint) / below % n);
}

static const struct ay_maker makers[] = { { "mask", make_mask }, { "place", make_place }, { 0 } };

static const char *aten_differs(const struct ay_call *c)
{
	const enum ay_dt dt = ay_t(c, "self")->dt;

	return (dt == AY_DT_F16 || dt == AY_DT_BF16) && ay_flag(c, "accumulate")
		       ? "sums are rounded to half types after every addition"
		       : NULL;
}

static void get_cost(const struct ay_call *c, struct ay_cost *k)
{
	/* of self nothing: the indices may name the same few elements again and again */
	k->bytes = ay_touched(&c->out[0]->view);
	for (int i = 0; i < c->arg[1].n; i++)
		k->bytes += c->arg[1].t[i] ? ay_touched(&c->arg[1].t[i]->view) : 0;
}

static void cost(const struct ay_call *c, struct ay_cost *k)
{
	struct plan p;
	struct ay_err err = { 0 };
	bool known = !make_plan(c, &p, &err), add = ay_flag(c, "accumulate");
	double n;

	for (int i = 0; i < c->arg[1].n; i++) {
		const struct ay_operand *o = c->arg[1].t[i];

		if (!o)
			continue;
		k->bytes += ay_touched(&o->view);
		known = known && (o->view.dt != AY_DT_B8 || count_true(o) != UNKNOWN);
	}
	n = known ? (double)ay_numel_of(&p.values) : 0;
	/* All places may be one where values are added up; otherwise they are distinct. */
	k->flops = add ? n : 0;
	k->bytes += n ? ay_touched(ay_t(c, "values")) : 0;
	k->bytes += add ? 0 : n * ay_dt_info(ay_t(c, "self")->dt)->bytes;
}

/* clang-format off */
#define ANY_DT "dt=f32|f16|bf16|f64|i64|i32|i16|i8|u8|b8|c64|c128 f=dt == b8 ? 'bool' : dt == f16 ? 'special' : one('normal', 'mixed')"
#define LISTS "di=i64|i64|i32 b=one([size(1, 40)], [size(1, 7), size(1, 7)], [])"
#define PLACED "a=False|True u=False|True dt=f32|f16|bf16|f64|i64|i32|i16|i8|u8|c64|c128 di=i64|i64|i32"
#define PUT "s=shape(1, 5) " PLACED " k=int(1, s[0]) b=a ? one([size(1, 60)], [size(1, 6), size(1, 6)], []) : one([k], [1, k], []) (ix,r)=([T(b, di)], b + tail(s, 1))|([T(head(s, 1), b8, fill=mask(k))], [k] + tail(s, 1)) v=r|r|fits(r) ; s=shape(2, 5) " PLACED " k=int(1, s[0]) m=int(1, s[1]) j=int(1, s[0] * s[1]) (ix,r)=([None, T([m], di)], [s[0], m] + tail(s, 2))|([T([k], di), T([k], di)], [k] + tail(s, 2))|([T([k, 1], di), T([m], di)], [k, m] + tail(s, 2))|([T(head(s, 2), b8, fill=mask(j))], [j] + tail(s, 2)) v=r|r|fits(r) ; s=shape(3, 5) " PLACED " k=int(1, s[0]) m=int(1, s[2]) (ix,r)=([T([k], di), None, T([k], di)], [k, s[1]] + tail(s, 3))|([T([k, 1], di), None, T([m], di)], [k, m, s[1]] + tail(s, 3))|([None, None, T([m], di)], [s[0], s[1], m] + tail(s, 3)) v=r|r|fits(r) ; s=shape(1, 4) a=True u=False|True dt=f32|f16|bf16|f64|i64|i32|c64 di=i64|i32 n=size(1, 99) ix=[T([n], di, fill=int(0 - s[0], s[0] - 1))] v=[n] + tail(s, 1)"
const struct ay_op ay_ops_index_put[] = {{
	.schemas   = AY_SCHEMAS("aten::index_put_(Tensor(a!) self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor(a!)"),
	.doc       = "self[indices] = values in place; with accumulate self[indices] += values. indices has one entry per dimension of "
		     "self, from the first; NULL (None) or a missing entry means the whole dimension. Entries are i64 or i32 tensors, "
		     "negative values counting from the end, or bool masks, which stand for as many dimensions as they have and mean "
		     "the list of their true places in row-major order. Index tensors are broadcast to one shape B. values is "
		     "broadcast to self's shape with the indexed dimensions replaced by B, in their place if they are neighbours, in "
		     "front of all others if not. Elements that no index names stay as they are. Without accumulate no place is named "
		     "twice; with it a place may be named any number of times, and half types are added up in f32 and rounded once.",
	.cases     = {
		{ "((T([9, 5], dt), [T([4], i64, fill=perm(9))], T(s, dt), a), {})", "dt=f32|f16|bf16|f64|c64|i64|i32|i16|i8|u8|b8 a=False|True s=[4, 5]", AY_QUICK },
		{ "((T([9, 5], dt), [T([4], i64, fill=perm(9))], T(s, dt), False), {})", "dt=f32|bf16 s=[]|[1]|[5]|[4, 1]|[1, 5]", AY_QUICK },
		{ "((T(s, dt), [T(i, i64)], T(v, dt), a), {})", "dt=f32|f16|bf16 a=False|True (s,i,v)=([1],[1],[1])|([1],[],[])|([7],[0],[0])|([129],[7],[7])|([129],[3, 5],[3, 5])|([3, 65],[2],[2, 65])|([4, 33, 5],[2, 2],[2, 2, 33, 5])", AY_QUICK },
		{ "((T([6, 7, 5], dt), [T([4], i64, fill=perm(6)), T([4], i64, fill=index(7))], T([4, 5], dt), a), {})", "dt=f32|f16|bf16 a=False|True", AY_QUICK },
		{ "((T([6, 7, 5], dt), ix, T(v, dt), a), {})", "dt=f32|f16 a=False|True (ix,v)=([None, T([4], i64, fill=perm(7))],[6, 4, 5])|([None, None, T([3], i64, fill=perm(5))],[6, 7, 3])|([T([4], i64, fill=perm(6)), None, T([4], i64, fill=index(5))],[4, 7])|([T([2, 1], i64, fill=perm(6)), None, T([3], i64, fill=perm(5))],[2, 3, 7])|([None, T([2, 1], i64, fill=perm(7)), T([3], i64, fill=perm(5))],[6, 2, 3])|([T([4], i64, fill=perm(6)), None, None],[4, 7, 5])|([T([4], i32, fill=perm(6))],[7, 5])", AY_QUICK },
		{ "((T([3, 4, 5, 6], f32), [T([4], i64, fill=index(3)), None, T([4], i64, fill=perm(5)), None], T([4, 4, 6], f32), a), {})", "a=False|True", AY_QUICK },
		{ "((T([9, 5], dt), [T([4], i64, data=[-1, 3, -9, 1])], T([4, 5], dt), a), {})", "dt=f32|f16|i32 a=False|True", AY_QUICK },
		{ "((T([9, 5], dt), [T([40], i64, fill=int(-9, 8)), T([40], i64, fill=int(-5, 4))], T([40], dt), True), {})", "dt=f32|f16|bf16|i32|i64", AY_QUICK },
		{ "((T([10], dt), [T([4096], i64, fill=index(5))], T([4096], dt, fill=normal(m, 1)), True), {})", "dt=f32|f16|bf16 m=0|1", AY_QUICK },
		{ "((T([10, 3], dt), [T([4096], i64, fill=index(5))], T([4096, 3], dt), True), {})", "dt=f32|f16|bf16|f64|c64|i32|i64", AY_QUICK },
		{ "((T([10], dt, fill=exact), [T([64], i64, fill=index(5))], T([64], dt, fill=exact), True), {})", "dt=f32|f16|bf16", AY_QUICK },
		{ "((T(s, dt), [T(m, b8, fill=mask(k))], T(v, dt), a), {})", "dt=f32|f16|bf16 a=False|True (s,m,k,v)=([100],[100],37,[37])|([9, 5],[9],4,[4, 5])|([9, 5],[9, 5],17,[17])|([9, 5],[9, 5],0,[0])|([4, 5, 6],[4, 5],7,[7, 6])|([9, 5],[9, 5],25,[])", AY_QUICK },
		{ "((T([9, 5, 4], dt), ix, T(v, dt), False), {})", "dt=f32|f16 (ix,v)=([None, T([5], b8, fill=mask(3))],[9, 3, 4])|([T([9], b8, fill=mask(3)), None, T([3], i64, fill=index(4))],[3, 5])|([T([9, 5], b8, fill=mask(6)), T([6], i64, fill=index(4))],[6])|([T([1], i64, fill=perm(9)), T([5, 4], b8, fill=mask(6))],[])|([T([9, 5, 4], b8)],[])", AY_QUICK },
		{ "((T([8, 33], dt, stride=(66, 2), offset=1), [T([5], i64, stride=(3,), fill=perm(8))], T([5, 33], dt, stride=(1, 5), offset=3), a), {})", "dt=f32|f16|bf16 a=False|True", AY_QUICK },
		{ "((T([8, 33], dt, stride=(1, 8)), [T([5], i64, offset=1, fill=perm(8))], T([5, 33], dt, stride=(0, 1)), a), {})", "dt=f32|f16 a=False|True", AY_QUICK },
		{ "((T([257], dt, fill=special), [T([64], i64, fill=perm(257))], T([64], dt, fill=special), a), {})", "dt=f32|f16|bf16 a=False|True", AY_QUICK },
		{ "((T([33], i64, fill=edge), [T([n], i64, fill=index(33))], T([n], i64, fill=edge), True), {})", "n=300", AY_QUICK },
		{ "((T([33, 5], i64, fill=edge), [T([9], i64, fill=perm(33))], T([9, 5], i64, fill=edge), a), {})", "a=False|True", AY_QUICK },
		{ "((T([70001], dt), [T([300], i64, fill=perm(70001))], T([300], dt), a), {})", "dt=f32 a=False", AY_QUICK },
		{ "((T([9], dt), [T([70001], i64)], T([70001], dt), True), {})", "dt=f32", AY_QUICK },
		{ "((T(s, dt), [T(i, i64)], T(v, dt), False), {})", "dt=f16|f32|bf16 (s,i,v)=([268435456],[65536],[65536])|([32, 32],[2, 8],[32])|([512, 512, 512],[2, 128],[512])", AY_FULL },
		{ "((T([32, 32], dt), [T([8], i64), T(i, i64, fill=perm(32))], T([8], dt), False), {})", "dt=f16|f32|bf16 i=[8]|[2, 8]", AY_FULL },
		{ "((T([512, 512, 512], dt), [T(i, i64, fill=perm(512)), T([128], i64), T([128], i64)], T([128], dt), False), {})", "dt=f16|f32|bf16 i=[128]|[2, 128]", AY_FULL },
		{ "((T([64, 64, 64], dt), [T([2, 8], i64, fill=perm(64)), T([2, 8], i64)], T([2, 8, 64], dt), False), {})", "dt=f16|f32|bf16", AY_FULL },
		{ "((T(s, dt), [T(s, b8, fill=mask(k))], T([k], dt), False), {})", "dt=f16|f32|bf16 (s,k)=([100],47)|([32, 32],530)|([16, 16, 4],509)", AY_FULL },
		{ "((T(s, dt), ix, T(v, dt), True), {})", "dt=f16|f32 (s,ix,v)=([268435456],[T([65536], i64)],[65536])|([32, 32],[T([8], i64), T([8], i64)],[8])|([512, 512, 512],[T([128], i64), T([128], i64), T([128], i64)],[128])|([64, 64, 64],[T([2, 8], i64), T([2, 8], i64), T([2, 8], i64)],[2, 8])|([32, 32],[T([32, 32], b8, fill=mask(530))],[530])", AY_FULL },
		{ "((T([8192, 128], dt), [T([2048], i64, fill=perm(8192))], T([2048, 128], dt), False), {})", "dt=f32|f16", AY_PERF },
		{ "((T([65536, 256], dt), ix, T([16384, 256], dt), a), {})", "dt=f32|f16 (ix,a)=([T([16384], i64, fill=perm(65536))],False)|([T([16384], i64, fill=index(4096))],True)", AY_PERF },
	},
	.vary      = {{ "((T(s, dt), ix, T(v, dt), a), {})", PUT }},
	.fills     = "indices=place",
	.makers    = makers,
	.accepts   = accepts,
	.prepare   = prepare,
	.reference = index_put,
	.cost      = cost,
	.aten_differs = aten_differs,
	.cuda_differs = aten_differs,
	.promises  = "Which value wins where a place is named twice without accumulate.",
}, {
	.schemas   = AY_SCHEMAS("aten::_index_put_impl_(Tensor(a!) self, Tensor?[] indices, Tensor values, bool accumulate=False, bool unsafe=False) -> Tensor(a!)"),
	.doc       = "self[indices] = values in place; with accumulate self[indices] += values. The same as index_put_, of which it is the "
		     "inside: one index tensor per dimension of self from the first, i64 or i32, negative values counting from the end, "
		     "NULL (None) for a whole dimension, bool masks for as many dimensions as they have. values is broadcast to self's shape "
		     "with the indexed dimensions replaced by the indices' common shape B, in their place if they are neighbours, else in "
		     "front. Elements that no index names stay as they are. Without accumulate no place is named twice; with it half types "
		     "are added up in f32 and rounded once. unsafe means that the indices are not checked; all are inside here.",
	.cases     = {
		{ "((T([9, 5], dt), [T([4], i64, fill=perm(9))], T([4, 5], dt), a, u), {})", "dt=f32|f16|bf16|f64|c64|i64|i32|i16|i8|u8|b8 a=False|True u=False|True", AY_QUICK },
		{ "((T(s, dt), [T(i, i64)], T(v, dt), a), {})", "dt=f32|f16|bf16 a=False|True (s,i,v)=([1],[1],[1])|([7],[0],[0])|([129],[3, 5],[3, 5])|([3, 65],[2],[65])|([4, 33, 5],[2, 2],[2, 2, 33, 5])", AY_QUICK },
		{ "((T([6, 7, 5], dt), ix, T(v, dt), a), {})", "dt=f32|f16 a=False|True (ix,v)=([None, T([4], i64, fill=perm(7))],[6, 4, 5])|([T([2, 1], i64, fill=perm(6)), None, T([3], i64, fill=perm(5))],[2, 3, 7])|([T([4], i64, fill=perm(6)), T([4], i64), T([4], i64)],[4])|([T([4], i32, data=[-1, 3, -6, 1])],[7, 5])", AY_QUICK },
		{ "((T([10], dt), [T([4096], i64, fill=index(5))], T([4096], dt, fill=normal(m, 1)), True, True), {})", "dt=f32|f16|bf16 m=0|1", AY_QUICK },
		{ "((T([10, 3], dt), [T([512], i64, fill=index(5))], T([512, 3], dt), True), {})", "dt=f32|f16|bf16|f64|c64|i32|i64", AY_QUICK },
		{ "((T([10], dt, fill=exact), [T([64], i64, fill=index(5))], T([64], dt, fill=exact), True), {})", "dt=f32|f16|bf16", AY_QUICK },
		{ "((T(s, dt), [T(m, b8, fill=mask(k))], T(v, dt), a), {})", "dt=f32|f16|bf16 a=False|True (s,m,k,v)=([100],[100],37,[37])|([9, 5],[9],4,[4, 5])|([4, 5, 6],[4, 5],7,[7, 6])|([9, 5],[9, 5],25,[])", AY_QUICK },
		{ "((T([8, 33], dt, stride=(66, 2), offset=1), [T([5], i64, stride=(3,), fill=perm(8))], T([5, 33], dt, stride=(1, 5), offset=3), a), {})", "dt=f32|f16|bf16 a=False|True", AY_QUICK },
		{ "((T([257], dt, fill=special), [T([64], i64, fill=perm(257))], T([64], dt, fill=special), a), {})", "dt=f32|f16|bf16 a=False|True", AY_QUICK },
		{ "((T([33], i64, fill=edge), [T([n], i64, fill=index(33))], T([n], i64, fill=edge), True), {})", "n=300", AY_QUICK },
		{ "((T([33, 5], i64, fill=edge), [T([9], i64, fill=perm(33))], T([9, 5], i64, fill=edge), a), {})", "a=False|True", AY_QUICK },
		{ "((T([70001], dt), [T([300], i64, fill=perm(70001))], T([300], dt), a), {})", "dt=f32 a=False", AY_QUICK },
		{ "((T([9], dt), [T([70001], i64)], T([70001], dt), True), {})", "dt=f32", AY_QUICK },
		{ "((T([32, 32], dt), [T([8], i64), T([8], i64)], T([8], dt)), {})", "dt=f16|f32|bf16", AY_FULL },
		{ "((T([64, 64, 64], dt), [T([8], i64), T([8], i64), T([8], i64)], T([8], dt)), {})", "dt=f16|f32|bf16", AY_FULL },
		{ "((T([32, 32], f32), [T([8], i64, fill=zeros), T([8], i64, fill=zeros)], T([8], f32, fill=ones), True), {})", "", AY_FULL },
		{ "((T([65536, 256], dt), ix, T([16384, 256], dt), a), {})", "dt=f32|f16 (ix,a)=([T([16384], i64, fill=perm(65536))],False)|([T([16384], i64, fill=index(4096))],True)", AY_PERF },
	},
	.vary      = {{ "((T(s, dt), ix, T(v, dt), a, u), {})", PUT }},
	.fills     = "indices=place",
	.makers    = makers,
	.accepts   = accepts,
	.prepare   = prepare,
	.reference = index_put,
	.cost      = cost,
	.aten_differs = aten_differs,
	.cuda_differs = aten_differs,
	.promises  = "Which value wins where a place is named twice without accumulate.",
}, {
	.schemas   = AY_SCHEMAS("aten::index.Tensor(Tensor self, Tensor?[] indices) -> Tensor",
				"aten::index.Tensor_out(Tensor self, Tensor?[] indices, *, Tensor(a!) out) -> Tensor(a!)"),
	.doc       = "out = self[indices]. indices has one entry per dimension of self, from the first; NULL (None) or a missing entry means "
		     "the whole dimension. Entries are i64 or i32 tensors, negative values counting from the end, or bool masks, which stand for "
		     "as many dimensions as they have and mean the list of their true places in row-major order. Index tensors are "
		     "broadcast to one shape B. out has self's dtype, and its shape with the indexed dimensions replaced by B, in their "
		     "place if they are neighbours, in front of all others if not. A place may be named any number of times. Elements are "
		     "copied bit for bit.",
	.cases     = {
		{ "((T([9, 5], dt), [T([4], i64)]), {})", "dt=f32|f16|bf16|f64|c64|c128|i64|i32|i16|i8|u8|b8", AY_QUICK },
		{ "((T(s, dt), [T(i, di)]), {})", "dt=f32|f16|bf16 di=i64|i32 (s,i)=([1],[1])|([1],[])|([7],[0])|([0, 3],[0])|([129],[7])|([9],[129])|([129],[3, 5])|([3, 65],[2])|([4, 33, 5],[2, 2])|([5, 0],[2])", AY_QUICK },
		{ "((T([6, 7, 5], dt), ix), {})", "dt=f32|f16|i32 ix=[T([4], i64), T([4], i64)]|[T([4], i64), T([2, 1], i64)]|[T([3], i64), T([2, 1], i64), T([], i64)]|[None, T([4], i64)]|[None, None, T([3], i64)]|[None, T([2, 1], i64), T([3], i64)]|[T([4], i64), None, T([4], i64)]|[T([2, 1], i64), None, T([3], i64)]|[T([4], i64), None, None]|[T([40], i32), T([40], i64)]", AY_QUICK },
		{ "((T([3, 4, 5, 6], dt), ix), {})", "dt=f32|bf16 ix=[T([4], i64), None, T([4], i64), None]|[None, T([4], i64), None, T([4], i64)]|[T([2], i64), None, None, T([2], i64)]|[None, T([2, 3], i64), T([3], i64)]|[None, T([2, 1], i64), None, T([3], i64)]", AY_QUICK },
		{ "((T([9, 5], dt), [T([4], i64, data=[-1, 3, -9, 1]), T([40, 1], i64, fill=int(-5, 4))]), {})", "dt=f32|f16|i32", AY_QUICK },
		{ "((T(s, dt), [T(m, b8, fill=mask(k))]), {})", "dt=f32|f16|bf16 (s,m,k)=([100],[100],37)|([9, 5],[9],4)|([9, 5],[9, 5],17)|([9, 5],[9, 5],0)|([4, 5, 6],[4, 5],7)|([9, 5],[9, 5],45)", AY_QUICK },
		{ "((T([9, 5, 4], dt), ix), {})", "dt=f32|f16 ix=[None, T([5], b8, fill=mask(3))]|[T([9], b8, fill=mask(3)), None, T([3], i64)]|[T([9, 5], b8, fill=mask(6)), T([6], i64)]|[T([1], i64), T([5, 4], b8, fill=mask(6))]|[T([9, 5, 4], b8)]|[T([5, 1], i64), None, T([4], b8, data=[1, 0, 1, 1])]", AY_QUICK },
		{ "((T([8, 33], dt, stride=st, offset=o), [T([5, 2], i64, stride=(1, 5), offset=1), T([2], i64, stride=(3,))]), {})", "dt=f32|f16|bf16 (st,o)=([66, 2],1)|([1, 8],3)|([0, 1],0)|([1, 0],0)", AY_QUICK },
		{ "((T([8, 33], dt, stride=st, offset=o), [T([9], i64, stride=(0,))]), {})", "dt=f32|f16|bf16 (st,o)=([66, 2],1)|([1, 8],3)", AY_QUICK },
		{ "((T([65, 7], dt, fill=special), [T([64], i64)]), {})", "dt=f32|f16|bf16|f64", AY_QUICK },
		{ "((T([70001], dt), [T([300], di)]), {})", "dt=f32|i64 di=i64|i32", AY_QUICK },
		{ "((T([300, 2], dt), [T([70001], i64)]), {})", "dt=f16", AY_QUICK },
		{ "((T([33, 9], i64, fill=edge), [T([40], i64)]), {})", "", AY_QUICK },
		{ "((T(s, dt), ix), {})", "dt=f16|f32|bf16 (s,ix)=([32, 32],[T([8], i64), T([8], i64)])|([32, 32],[T([8], i64), T([2, 8], i64)])|([32, 32],[T([2, 8], i64)])|([64, 64, 64],[T([2, 8], i64), T([2, 8], i64)])|([512, 512, 512],[T([128], i64), T([128], i64), T([128], i64)])|([512, 512, 512],[T([2, 128], i64), T([128], i64), T([128], i64)])|([512, 512, 512],[T([2, 128], i64)])|([268435456],[T([65536], i64)])", AY_FULL },
		{ "((T(s, f32), ix), {})", "(s,ix)=([32, 32],[None, T([8], i64)])|([32, 32],[T([32, 32], b8, fill=mask(530))])|([32, 32],[T([0], i64)])|([1024],[T([128], i64)])", AY_FULL },
		{ "((T([65536, 256], dt), [T([16384], i64)]), {})", "dt=f32|bf16", AY_PERF },
		{ "((T([512, 512, 64], dt), [T([4096], i64), T([4096], i64)]), {})", "dt=f32|bf16", AY_PERF },
	},
	.vary      = {{ "((T(s, dt, fill=f), ix), {})", "s=shape(1, 5) " ANY_DT " " LISTS " k=int(1, s[0]) ix=[T(b, di)]|[T(b, di, fill=int(0 - s[0], s[0] - 1))]|[T(head(s, 1), b8, fill=mask(k))] ; s=shape(2, 5) " ANY_DT " " LISTS " k=int(1, s[0] * s[1]) ix=[None, T(b, di)]|[T(b, di), T(fits(b), di)]|[T(fits(b), di), T(b, di, fill=int(0 - s[1], s[1] - 1))]|[T(head(s, 2), b8, fill=mask(k))]|[None, T([s[1]], b8)] ; s=shape(3, 5) " ANY_DT " " LISTS " k=int(1, s[2]) ix=[T(b, di), None, T(fits(b), di)]|[None, T(b, di), T(fits(b), di)]|[T(b, di), T(fits(b), di), T(fits(b), di)]|[None, None, T(b, di)]|[T([1], di), None, T([s[2]], b8, fill=mask(k))]" }},
	.fills     = "indices=place",
	.makers    = makers,
	.accepts   = get_accepts,
	.result    = get_result,
	.prepare   = prepare,
	.reference = index_get,
	.cost      = get_cost,
	.flags     = AY_EXACT,
}, {0}};
