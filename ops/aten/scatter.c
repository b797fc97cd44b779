/* SPDX-License-Identifier: Apache-2.0
 *
 * out = self, but out[.., index[.., j, ..], ..] = src[.., j, ..], the index standing along dim. With reduce='add'
 * or 'multiply' the source is added to what is there, or multiplied with it. The source is a tensor or a number.
 *
 * Error. What no index names keeps its bits, and what is written is a copy. Without reduce the same place twice is
 * undefined: such an element is not judged, unless the source is a number. With 'add' it is a sum of n + 1 terms,
 * mag = growth(n + 1) * R; with 'multiply' every product has a relative error, mag = growth(n) * |want|. Half
 * types are added up and multiplied in f32 and rounded once. Integers wrap, bools give "or" and "and".
 *
 * What the original test missed: indices are distinct along a line even where they are added up or multiplied, so
 * nothing ever accumulates; index shapes are drawn anew in every run; bf16 is left out of the reductions; the
 * value overloads are not called at all. Never tested: duplicates, integers, bools, strides, 0-dim and empty
 * tensors, negative dim, NaN.
 *
 * Cases: original 84, all sound but for their random shapes; here 84 full with one fixed index shape each, smaller
 * than src in two dimensions. dimname_src and dimname_value take named dimensions and are no tensor kernels.
 */
#include "op/op.h"

#include <string.h>

#define row_load  AY_NUM(ay_row_load)
#define row_store AY_NUM(ay_row_store)

enum mode { STORE, ADD, MULTIPLY };

static enum mode mode_of(const struct ay_call *c)
{
	if (!ay_has_arg(c, "reduce"))
		return STORE;
	return strcmp(ay_text(c, "reduce"), "add") ? MULTIPLY : ADD;
}

/* A 0-dim tensor counts as one of a single element. */
static struct ay_view raised(const struct ay_view *v)
{
	struct ay_view w = *v;

	if (!w.ndim) {
		w.ndim = 1;
		w.shape[0] = w.stride[0] = 1;
	}
	return w;
}

/* --- the call -------------------------------------------------------------------------------------------- */

static int check_sizes(const struct ay_view *index, const struct ay_view *of, const char *name, int but,
		       struct ay_err *err)
{
	if (index->ndim != of->ndim)
		return ay_fail(err, AY_ERR_BIND, "index has %d dimensions, %s has %d", index->ndim, name,
			       of->ndim);
	for (int d = 0; d < index->ndim; d++)
		if (d != but && index->shape[d] > of->shape[d])
			return ay_fail(err, AY_ERR_BIND, "size %d of index is %lld, %s has only %lld", d,
				       (long long)index->shape[d], name, (long long)of->shape[d]);
	return 0;
}

static int check_source(const struct ay_call *c, const struct ay_view *index, struct ay_err *err)
{
	const enum ay_dt dt = ay_t(c, "self")->dt;
	struct ay_view src;

	if (!ay_has_arg(c, "src")) {
		const enum ay_dt value = ay_t(c, "value")->dt;

		return ay_dt_info(value)->cls > ay_dt_info(dt)->cls
			       ? ay_fail(err, AY_ERR_BIND, "a value of a higher kind than self is not judged")
			       : 0;
	}
	src = raised(ay_t(c, "src"));
	if (src.dt != dt)
		return ay_fail(err, AY_ERR_BIND, "src must have the dtype of self");
	return check_sizes(index, &src, "src", -1, err);
}

static int accepts(const struct ay_call *c, struct ay_err *err)
{
	const struct ay_view self = raised(ay_t(c, "self")), index = raised(ay_t(c, "index"));
	const int dim = ay_dim(c, "dim", &self, err);

	if (dim < 0)
		return -1;
	if (index.dt != AY_DT_I64 && index.dt != AY_DT_I32)
		return ay_fail(err, AY_ERR_BIND, "index must be i64 or i32, not %s", ay_dt_info(index.dt)->name);
	if (ay_has_arg(c, "reduce") && strcmp(ay_text(c, "reduce"), "add") &&
	    strcmp(ay_text(c, "reduce"), "multiply"))
		return ay_fail(err, AY_ERR_BIND, "reduce is 'add' or 'multiply'");
	if (!ay_numel_of(&index))
		return 0;
	if (check_sizes(&index, &self, "self", dim, err) || check_source(c, &index, err))
		return -1;
	return self.shape[dim] ? 0 : ay_fail(err, AY_ERR_BIND, "dimension %d of self is empty", dim);
}

/* --- the reference --------------------------------------------------------------------------------------- */

/* What became of one element. */
struct total {
	int64_t n;
	double sumsq, prefix;
};

/* The line of `to` along dim that lies where line `row` of `from` does; -1 if `to` is too small. */
static int64_t line_in(const struct ay_view *to, const struct ay_view *from, int dim, int64_t row)
{
	int64_t line = 0, step = 1;

	for (int d = to->ndim - 1; d >= 0; d--) {
		if (d == dim)
			continue;
		if (row % from->shape[d] >= to->shape[d])
			return -1;
		line += row % from->shape[d] * step;
		step *= to->shape[d];
		row /= from->shape[d];
	}
	return line;
}

static void put(const struct ay_ref *r, enum mode mode, num *v, num x, struct total *t)
{
	double size = (double)fabs(*v);

	if (!t->n++) {
		t->sumsq = size * size;
		t->prefix = size;
	}
	switch (mode) {
	case STORE:
		if (t->n > 1 && !(*v == x || (*v != *v && x != x)))
			t->prefix = AY_FREE;
		*v = x;
		break;
	case ADD: *v = acc(r, *v + x); break;
	case MULTIPLY: *v = acc(r, ay_times(r, *v, x));
	}
	size = (double)fabs(x);
	t->sumsq += size * size;
	if (mode == ADD)
		t->prefix = fmax(t->prefix, (double)fabs(*v));
}

static double weight(enum mode mode, num v, const struct total *t)
{
	const double size = (double)fabs(v);

	if (!t->n)
		return -1;
	switch (mode) {
	case STORE: return t->prefix == AY_FREE ? AY_FREE : -1;
	case ADD: return ay_err_sum(t->n + 1, size, t->sumsq, t->prefix);
	default: return ay_growth(t->n) * size;
	}
}

/* The number, as self's dtype holds it. */
static num stored(const struct ay_call *c)
{
	const enum ay_dt dt = ay_t(c, "self")->dt;
	num x = ay_number(c, "value");
	long double memory[4];

	row_store(dt, memory, 1, 1, &x);
	row_load(dt, memory, 1, 1, &x);
	return x;
}

/* The source's line beside line `line` of index. */
static void load_source(struct ay_ref *r, const struct ay_view *index, int dim, int64_t line, int64_t n, num *dst)
{
	struct ay_view src;
	num value;

	if (ay_has_arg(r->c, "src")) {
		src = raised(ay_t(r->c, "src"));
		ay_load(r, &src, dim, line_in(&src, index, dim, line), dst);
		return;
	}
	value = stored(r->c);
	for (int64_t j = 0; j < n; j++)
		dst[j] = value;
}

static void scatter(struct ay_ref *r)
{
	const struct ay_view self = raised(ay_t(r->c, "self")), index = raised(ay_t(r->c, "index"));
	const int dim = ay_dim(r->c, "dim", &self, &(struct ay_err){ 0 }), item = ay_dt_info(index.dt)->bytes;
	const bool none = !ay_numel_of(&index);
	const enum mode mode = mode_of(r->c);
	const int64_t n = none ? 0 : index.shape[dim];
	num *x = ay_tmp(r, none ? 0 : ay_has_arg(r->c, "src") ? raised(ay_t(r->c, "src")).shape[dim] : n);

	for (int64_t row = r->lo; row < r->hi; row++) {
		const int64_t line = none ? -1 : line_in(&index, &self, dim, row);
		struct total *t = AY_NEW_N(r->tmp, struct total, r->len[0]);
		const uint8_t *at;

		ay_load(r, &self, dim, row, ay_val(r, 0, row, 0));
		if (line >= 0)
			load_source(r, &index, dim, line, n, x);
		at = line < 0 ? NULL : (const uint8_t *)index.data + ay_fibre_at(&index, dim, line) * item;
		for (int64_t j = 0; line >= 0 && j < n; j++) {
			const int64_t to = ay_elem_int(index.dt, at + j * index.stride[dim] * item);

			if (to >= 0 && to < r->len[0]) /* a pasted line may ask for others: nothing is promised */
				put(r, mode, ay_val(r, 0, row, to), x[j], &t[to]);
		}
		for (int64_t j = 0; j < r->len[0]; j++) {
			*ay_mag(r, 0, row, j) = weight(mode, *ay_val(r, 0, row, j), &t[j]);
			*ay_norm(r, 0, row, j) = mode == ADD && t[j].n ? sqrt(t[j].sumsq) : 0;
		}
	}
}

/* The sum of a pair is made in one piece, with 0 added to its other half: NaN that is no part of out becomes another. */
static const char *cuda_differs(const struct ay_call *c)
{
	const enum ay_dt dt = c->out[0]->view.dt;

	return (dt == AY_DT_F16 || dt == AY_DT_BF16) && ay_has_arg(c, "reduce")
		       ? "results are rounded to half types after every step, and sums touch the element beside"
		       : NULL;
}

static void cost(const struct ay_call *c, struct ay_cost *k)
{
	const struct ay_view *out = &c->out[0]->view, *index = ay_t(c, "index");
	const double item = ay_dt_info(out->dt)->bytes, places = (double)ay_numel_of(index);
	const bool add = mode_of(c) == ADD;

	k->flops = mode_of(c) == STORE ? 0 : places;
	k->bytes = ay_touched(out) + ay_touched(index);
	/* of self what cannot be overwritten; with a sum all of it. A product may be known from one factor. */
	k->bytes += fmax(0, ay_touched(ay_t(c, "self")) - (add ? 0 : places * item));
	if (ay_has_arg(c, "src") && mode_of(c) != MULTIPLY)
		k->bytes += fmin(ay_touched(ay_t(c, "src")), places * item);
}

/* clang-format off */
const struct ay_op ay_ops_scatter[] = {{
	.schemas   = AY_SCHEMAS("aten::scatter.src(Tensor self, int dim, Tensor index, Tensor src) -> Tensor",
				"aten::scatter.value(Tensor self, int dim, Tensor index, Scalar value) -> Tensor",
				"aten::scatter.reduce(Tensor self, int dim, Tensor index, Tensor src, *, str reduce) -> Tensor",
				"aten::scatter.value_reduce(Tensor self, int dim, Tensor index, Scalar value, *, str reduce) -> Tensor",
				"aten::scatter.src_out(Tensor self, int dim, Tensor index, Tensor src, *, Tensor(a!) out) -> Tensor(a!)",
				"aten::scatter.value_out(Tensor self, int dim, Tensor index, Scalar value, *, Tensor(a!) out) -> Tensor(a!)",
				"aten::scatter.reduce_out(Tensor self, int dim, Tensor index, Tensor src, *, str reduce, Tensor(a!) out) -> Tensor(a!)",
				"aten::scatter.value_reduce_out(Tensor self, int dim, Tensor index, Scalar value, *, str reduce, Tensor(a!) out) -> Tensor(a!)"),
	.doc       = "out = a copy of self in which out[index[i][j][k]][j][k] = src[i][j][k] for dim 0, out[i][index[i][j][k]][k] = src[i][j][k] for "
		     "dim 1, and so on (negative dim: from the end), for every i, j, k of index; a value stands for a src of "
		     "self's dtype that is the same everywhere. With reduce 'add' or 'multiply' the element is added to, or multiplied with, what is there. index is i64 or i32, has "
		     "as many dimensions as self and src, is nowhere longer than src, nor than self but along dim, and holds 0 .. size(self, "
		     "dim) - 1. src has self's dtype. A 0-dim tensor counts as one of shape [1]. Without reduce no place is named twice in a "
		     "line along dim; with it any number of times, and half types are computed in f32 and rounded once. Integers wrap around; for "
		     "bools 'add' is or, 'multiply' is and.",
	.cases     = {
		{ "((T([7, 5], dt), d, T([3, 4], di), T([4, 5], dt)), {})", "di=i64 dt=f32|f16|bf16|f64|c64|c128|i64|i32|i16|i8|u8|b8 d=0|1 ; di=i32 dt=f32|f16|i64 d=0|1", AY_QUICK },
		{ "((T(s, dt), d, T(t, i64), T(t, dt)), {})", "dt=f32|bf16 (s,d,t)=([],0,[])|([1],0,[1])|([],-1,[1])|([9],0,[5])|([9],-1,[0])|([0, 3],0,[0, 3])|([33, 65],0,[7, 65])|([33, 65],-1,[31, 40])|([5, 6, 7],0,[3, 6, 7])|([5, 6, 7],1,[5, 1, 6])|([5, 6, 7],-2,[4, 5, 7])|([3, 4, 5, 6],-3,[2, 3, 5, 3])", AY_QUICK },
		{ "((T(s, dt), d, T(t, i64, fill=perm(n)), T(t, dt)), {})", "dt=f32|f16|i32 (s,d,t,n)=([65],0,[65],65)|([7, 33],1,[3, 11],33)|([40, 5],0,[9, 4],40)", AY_QUICK },
		{ "((T([9, 40], dt, fill=special), d, T([7, 9], i64), T([9, 9], dt, fill=special)), {})", "dt=f32|f16|bf16|f64 d=0|1", AY_QUICK },
		{ "((T([8, 33], dt, stride=(66, 2), offset=3), d, T([6, 20], i64, stride=(1, 6)), T([8, 33], dt, stride=(1, 8), offset=1)), {})", "dt=f32|f16|bf16 d=0|1", AY_QUICK },
		{ "((T([9, 16], dt, stride=(0, 1)), 1, T([9, 7], i64, stride=(0, 2), offset=1), T([9, 7], dt, stride=(1, 0))), {})", "dt=f32|f16", AY_QUICK },
		{ "aten::scatter.value((T([7, 33], dt), d, T([5, 20], i64, fill=index(d == 0 ? 7 : 33)), v), {})", "dt=f32|f16|bf16 d=0|-1 v=0.3|7 ; dt=i64|i32|u8 d=1 v=7 ; dt=b8 d=1 v=True ; dt=c64 d=1 v=2.5", AY_QUICK },
		{ "aten::scatter.value((T(s, dt), 0, T(t, i64), v), {})", "dt=f32|f16 v=-inf (s,t)=([],[])|([9],[4])|([4, 0],[4, 0])|([5, 3],[0, 3])", AY_QUICK },
		{ "aten::scatter.reduce((T([7, 33], dt), d, T([5, 20], i64, fill=index(d == 0 ? 7 : 33)), T([6, 21], dt)), {'reduce': r})", "dt=f32|f16|bf16 r='add'|'multiply' d=0|1 ; dt=f64|i64|i32|i16|i8|u8 r='add'|'multiply' d=1", AY_QUICK },
		{ "aten::scatter.reduce((T(s, dt), 0, T(t, i64), T(t, dt)), {'reduce': r})", "dt=f32|f16|bf16 r='add'|'multiply' (s,t)=([],[])|([1],[1])|([9],[0])|([33, 5],[20, 3])", AY_QUICK },
		{ "aten::scatter.reduce((T([10, 3], dt), 0, T([n, 3], i64, fill=index(5)), T([n, 3], dt, fill=normal(m, 1))), {'reduce': 'add'})", "dt=f32|f16|bf16 (n,m)=(4096,0)|(500,1)", AY_QUICK },
		{ "aten::scatter.reduce((T([10, 3], dt), 0, T([80, 3], i64, fill=index(5)), T([80, 3], dt, fill=uniform(0.6, 1.6))), {'reduce': 'multiply'})", "dt=f32|f16|bf16", AY_QUICK },
		{ "aten::scatter.reduce((T([9, 40], dt, fill=nonfinite), 1, T([9, 30], i64), T([9, 30], dt, fill=nonfinite)), {'reduce': r})", "dt=f32|f16|bf16 r='add'|'multiply'", AY_QUICK },
		{ "aten::scatter.reduce((T([8, 33], dt, stride=(66, 2), offset=3), d, T([6, 20], i64, stride=(1, 6), fill=index(8)), T([8, 33], dt, stride=(1, 8), offset=1)), {'reduce': r})", "dt=f32|f16|bf16 r='add'|'multiply' d=0|1", AY_QUICK },
		{ "aten::scatter.value_reduce((T([7, 33], dt), d, T([5, 20], i64, fill=index(7)), v), {'reduce': r})", "dt=f32|f16|bf16 r='add'|'multiply' d=0|1 v=0.3 ; dt=i32|i64|u8 r='add'|'multiply' d=0 v=3", AY_QUICK },
		{ "((T([33, 9], i64, fill=edge), d, T([9, 9], i64), T([9, 9], i64, fill=edge)), {})", "d=0|1", AY_QUICK },
		{ "aten::scatter.value((T([33, 9], i64, fill=edge), 0, T([9, 9], i64), 9007199254740993), {})", "", AY_QUICK },
		{ "aten::scatter.reduce((T([10, 3], i64, fill=edge), 0, T([80, 3], i64, fill=index(5)), T([80, 3], i64, fill=edge)), {'reduce': r})", "r='add'|'multiply'", AY_QUICK },
		{ "aten::scatter.value_reduce((T([7, 33], i64, fill=edge), 0, T([5, 20], i64, fill=index(7)), 9007199254740993), {'reduce': r})", "r='add'|'multiply'", AY_QUICK },
		{ "((T([70001], f32), 0, T([300], i64, fill=perm(70001)), T([300], f32)), {})", "", AY_QUICK },
		{ "aten::scatter.reduce((T([9], dt), 0, T([70001], i64, fill=index(9)), T([70001], dt)), {'reduce': 'add'})", "dt=f32|i64", AY_QUICK },
		{ "((T([2, 3, 4, 3, 5], f32), d, T([2, 3, 4, 3, 5], i64), T([2, 3, 4, 3, 5], f32)), {})", "d=0|2|-1", AY_QUICK },
		{ "((T(s, dt), d, T([t[0] - (d == 0 ? 0 : 9), t[1] - (d == 1 ? 0 : 5), t[2] - (d == 2 ? 0 : 1)], i64), T(t, dt)), {})", "dt=f16|f32|bf16 d=0|1|2 s=[512, 128, 32]|[1024, 64, 16] t=[128, 16, 4]|[256, 32, 8]", AY_FULL },
		{ "aten::scatter.reduce((T(s, dt), d, T([t[0] - (d == 0 ? 0 : 9), t[1] - (d == 1 ? 0 : 5), t[2] - (d == 2 ? 0 : 1)], i64), T(t, dt)), {'reduce': r})", "r='add'|'multiply' dt=f16|f32 d=0|1|2 s=[512, 128, 32]|[1024, 64, 16] t=[128, 16, 4]|[256, 32, 8]", AY_FULL },
		{ "((T(s, dt), d, T([s[0] / 2, s[1] / 2], i64), T(s, dt)), {})", "dt=f32|bf16 d=1|0 s=[1024, 1024]|[4096, 4096]", AY_PERF },
	},
	.vary      = {
		{ "((T(s, dt, fill=f), d, T(t, di), T(u, dt)), {})", "s=shape() d=dim(s) t=within(s) u=t|s di=i64|i64|i32 dt=f32|f16|bf16|f64|c64|c128|i64|i32|i16|i8|u8|b8 f=None ; s=shape() d=dim(s) t=within(s) u=t|s di=i64 dt=f32|f16|bf16|f64 f='special'" },
		{ "aten::scatter.value((T(s, dt), d, T(t, di, fill=index((len(s) ? s[d] : 1))), v), {})", "s=shape() d=dim(s) t=len(s) ? with(within(s), d, size(1, 40)) : s u=t|(len(s) ? with(s, d, t[d]) : s) di=i64|i32 dt=f32|f16|bf16|f64 v=0.3|7|-inf ; s=shape() d=dim(s) t=len(s) ? with(within(s), d, size(1, 40)) : s u=t|(len(s) ? with(s, d, t[d]) : s) di=i64|i32 dt=i64|i32|i16|i8|u8 v=7|True ; s=shape() d=dim(s) t=len(s) ? with(within(s), d, size(1, 40)) : s u=t|(len(s) ? with(s, d, t[d]) : s) di=i64 dt=b8 v=True ; s=shape() d=dim(s) t=len(s) ? with(within(s), d, size(1, 40)) : s u=t|(len(s) ? with(s, d, t[d]) : s) di=i64 dt=c64|c128 v=2.5" },
		{ "aten::scatter.reduce((T(s, dt), d, T(t, di, fill=index((len(s) ? s[d] : 1))), T(u, dt, fill=f)), {'reduce': r})", "s=shape() d=dim(s) t=len(s) ? with(within(s), d, size(1, 40)) : s u=t|(len(s) ? with(s, d, t[d]) : s) di=i64|i32 dt=f32|f16|bf16|f64 (r,f)=('add',None)|('add','exact')|('add','nonfinite')|('multiply','uniform(0.6, 1.6)')|('multiply',None) ; s=shape() d=dim(s) t=len(s) ? with(within(s), d, size(1, 40)) : s u=t|(len(s) ? with(s, d, t[d]) : s) di=i64|i32 dt=i64|i32|i16|i8|u8 f=None r='add'|'multiply'" },
		{ "aten::scatter.value_reduce((T(s, dt), d, T(t, di, fill=index((len(s) ? s[d] : 1))), v), {'reduce': r})", "s=shape() d=dim(s) t=len(s) ? with(within(s), d, size(1, 40)) : s u=t|(len(s) ? with(s, d, t[d]) : s) di=i64|i32 dt=f32|f16|bf16|f64 r='add'|'multiply' v=0.3|-1.5|2 ; s=shape() d=dim(s) t=len(s) ? with(within(s), d, size(1, 40)) : s u=t|(len(s) ? with(s, d, t[d]) : s) di=i64|i32 dt=i64|i32|i16|i8|u8 v=3 r='add'|'multiply'" },
	},
	.fills     = "index=places(size(self, dim), dim)",
	.makers    = ay_input_domain_makers,
	.accepts   = accepts,
	.rows      = ay_rows_dim,
	.reference = scatter,
	.cost      = cost,
	.cuda_differs = cuda_differs,
	.promises  = "which value wins where a place is named twice without reduce",
}, {0}};
