/* SPDX-License-Identifier: Apache-2.0
 *
 * out = sum, mean or least element of self over all or the listed dimensions (None or an empty list: all).
 *
 * Error: a sum of n terms, mag = growth(n) * R (docs/error-bound.md); a mean is 1/n of it, and its quotient one
 * more rounding, which that covers. Integers and bools add up exactly in i64. The least element is a choice, so it
 * is exact, but for the sign of zero: -0 and 0 are equal, and either may be taken. NaN is less than everything.
 * normal is the fill that tells TF32 and half accumulators apart; exact demands bit equality in any order.
 *
 * What the original tests missed. mean: only the first two dimensions, never the last of three; the absolute
 * tolerance of 1e-4 is not scaled, but the mean of 24.6 million normals is of size 2e-4: 0 often passes; no
 * dtype=, strides, empty or 0-dim tensors. amin: compares a choice by tolerance; normals only, so no ties, NaN,
 * infinities, integers or bools, and zeros of either sign; no strides, 0-dim or empty tensors.
 *
 * Cases: mean: original 45, all sound and distinct; here 45 full. mean.names_dim and .names_out take named
 * dimensions and are no tensor kernels (PyTorch 2.13 has dropped them). amin: original 468, all sound; [0, 1] and
 * [0, 1, 2] mean what None does, and -1 the last one, but they are other calls; here the same 468 full.
 */
#include "op/op.h"

/* Which dimensions are summed over, as a bit mask. */
static int dims_of(const struct ay_call *c, const struct ay_view *v, unsigned *mask, struct ay_err *err)
{
	int n = ay_has_arg(c, "dim") ? ay_list_count(c, "dim") : 0;

	*mask = 0;
	for (int i = 0; i < n; i++) {
		int d = ay_dim_wrap(ay_int_at(c, "dim", i), v->ndim, err);

		if (d < 0)
			return -1;
		if (*mask >> d & 1)
			return ay_fail(err, AY_ERR_BIND, "dimension %d is listed twice", d);
		*mask |= 1u << d;
	}
	if (!n)
		*mask = ~0u;
	return 0;
}

/* What is left of self's shape; the dtype is self's. */
static int result_reduced(const struct ay_call *c, int k, struct ay_meta *m, struct ay_err *err)
{
	const struct ay_view *v = ay_t(c, "self");
	bool keep = ay_has_arg(c, "keepdim") && ay_flag(c, "keepdim");
	unsigned mask;

	(void)k;
	if (dims_of(c, v, &mask, err))
		return -1;
	m->dt = v->dt;
	for (int d = 0; d < v->ndim; d++) {
		if (!(mask >> d & 1))
			m->shape[m->ndim++] = v->shape[d];
		else if (keep)
			m->shape[m->ndim++] = 1;
	}
	return 0;
}

static int result_sum(const struct ay_call *c, int k, struct ay_meta *m, struct ay_err *err)
{
	if (result_reduced(c, k, m, err))
		return -1;
	m->dt = ay_dtype_or(c, "dtype", ay_dt_is_integral(m->dt) ? AY_DT_I64 : m->dt);
	return 0;
}

static int result_mean(const struct ay_call *c, int k, struct ay_meta *m, struct ay_err *err)
{
	if (result_reduced(c, k, m, err))
		return -1;
	m->dt = ay_dtype_or(c, "dtype", m->dt);
	return 0;
}

/* self with its kept dimensions first and the summed ones behind: element i of the result is then one run of n. */
static struct ay_view reordered(const struct ay_call *c, int64_t *n)
{
	const struct ay_view *v = ay_t(c, "self");
	struct ay_err err = { 0 };
	struct ay_view w = *v;
	unsigned mask;
	int k = 0;

	*n = 1;
	dims_of(c, v, &mask, &err);
	for (int pass = 0; pass < 2; pass++) {
		for (int d = 0; d < v->ndim; d++) {
			if ((int)(mask >> d & 1) != pass)
				continue;
			w.shape[k] = v->shape[d];
			w.stride[k++] = v->stride[d];
			*n *= pass ? v->shape[d] : 1;
		}
	}
	return w;
}

/* A running sum and what its error bound needs. */
struct total {
	num sum;
	double sumsq, prefix;
};

static void add_row(const struct ay_ref *r, const num *x, int64_t n, struct total *t)
{
	for (int64_t j = 0; j < n; j++) {
		double size;

		t->sum = acc(r, t->sum + x[j]);
		t->sumsq += (double)(re(x[j]) * re(x[j]));
		size = (double)fabs(t->sum);
		if (size > t->prefix)
			t->prefix = size;
	}
}

/* Sums, divided by what they are means of. */
static void add_up(struct ay_ref *r, bool mean)
{
	int64_t n;
	const struct ay_view w = reordered(r->c, &n);
	const int64_t len = w.ndim ? w.shape[w.ndim - 1] : 1; /* the last axis is one of those summed over */
	const real by = mean ? (real)n : 1;
	num *x = ay_tmp(r, len);

	for (int64_t i = r->lo; i < r->hi; i++) {
		struct total t = { 0 };

		for (int64_t j = 0; j < n; j += len) {
			ay_load(r, &w, -1, (i * n + j) / len, x);
			add_row(r, x, len, &t);
		}
		*ay_val(r, 0, i, 0) = mean ? t.sum / by : t.sum; /* the mean of nothing is NaN */
		*ay_mag(r, 0, i, 0) = n ? ay_err_sum(n, (double)fabs(t.sum), t.sumsq, t.prefix) / (double)by : 0;
		*ay_norm(r, 0, i, 0) = sqrt(t.sumsq) / (double)by;
	}
}

static void sum(struct ay_ref *r)
{
	add_up(r, false);
}

static void mean(struct ay_ref *r)
{
	add_up(r, true);
}

static void amin(struct ay_ref *r)
{
	int64_t n;
	const struct ay_view w = reordered(r->c, &n);
	const int64_t len = w.ndim ? w.shape[w.ndim - 1] : 1;
	num *x = ay_tmp(r, len);

	for (int64_t i = r->lo; i < r->hi; i++) {
		num least = INFINITY;

		for (int64_t j = 0; j < n; j += len) {
			ay_load(r, &w, -1, (i * n + j) / len, x);
			for (int64_t k = 0; k < len; k++)
				if (!(re(x[k]) >= re(least)) && !isnan(re(least)))
					least = x[k];
		}
		*ay_val(r, 0, i, 0) = least;
		*ay_mag(r, 0, i, 0) = least != 0 ? -1 : 0;
	}
}

/* Whether elements or their mean are rounded to a narrower dtype is not said: such means are not judged. */
static int accepts_mean(const struct ay_call *c, struct ay_err *err)
{
	const enum ay_dt self = ay_t(c, "self")->dt, dt = ay_dtype_or(c, "dtype", self);

	if (ay_dt_is_integral(dt))
		return ay_fail(err, AY_ERR_BIND, "a mean needs a floating dtype, not %s", ay_dt_info(dt)->name);
	if (!ay_dt_is_integral(self) && ay_promote(self, dt) != dt)
		return ay_fail(err, AY_ERR_BIND, "a mean of %s in %s is not judged", ay_dt_info(self)->name,
			       ay_dt_info(dt)->name);
	return 0;
}

/* Nothing has no least element. */
static int accepts_amin(const struct ay_call *c, struct ay_err *err)
{
	const struct ay_view *v = ay_t(c, "self");
	unsigned mask;

	if (ay_dt_is_complex(v->dt) || v->dt == AY_DT_F8E4M3FN || v->dt == AY_DT_F8E5M2)
		return ay_fail(err, AY_ERR_BIND, "amin has no meaning for %s", ay_dt_info(v->dt)->name);
	if (dims_of(c, v, &mask, err))
		return -1;
	for (int d = 0; d < v->ndim; d++)
		if (mask >> d & 1 && !v->shape[d])
			return ay_fail(err, AY_ERR_BIND, "dimension %d is empty: nothing has no least element", d);
	return 0;
}

static void cost(const struct ay_call *c, struct ay_cost *k)
{
	k->flops = (double)ay_numel_of(ay_t(c, "self"));
	/* as a bool a sum is known at its first true element */
	k->bytes = c->out[0]->view.dt == AY_DT_B8 ? ay_touched(&c->out[0]->view) : -1;
}

static void cost_amin(const struct ay_call *c, struct ay_cost *k)
{
	k->flops = (double)ay_numel_of(ay_t(c, "self"));
	/* nothing is less than the least number of its dtype */
	k->bytes = ay_dt_is_integral(ay_t(c, "self")->dt) ? ay_touched(&c->out[0]->view) : -1;
}

/* clang-format off */
const struct ay_op ay_ops_sum[] = {{
	.schemas   = AY_SCHEMAS("aten::sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
				"aten::sum(Tensor self, *, ScalarType? dtype=None) -> Tensor",
				"aten::sum.IntList_out(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None, Tensor(a!) out) -> Tensor(a!)",
				"aten::sum.out(Tensor self, *, ScalarType? dtype=None, Tensor(a!) out) -> Tensor(a!)"),
	.doc       = "out = sum of self over the listed dimensions; None or an empty list means all of them, keepdim leaves "
		     "summed dimensions with size 1. Integers and bools add up in i64 unless dtype says otherwise; half types "
		     "are accumulated in f32. The sum of nothing is 0.",
	.cases     = {
		{ "((T(s, dt), d, k), {})", "dt=f32|f16|bf16 k=False|True (s,d)=([1, 2],[0])|([7, 65],[1])|([7, 65],[0])|([7, 65],[])|([0, 3],[0])|([3, 0],[0])|([4, 33, 5],[0, 2])|([4, 33, 5],[1])", AY_QUICK },
		{ "((T([5, n], dt), [-1]), {})", "dt=f32|f16|bf16 n=64|1000|8192", AY_QUICK },
		{ "((T([5, 1000], dt, fill=normal(1, 1)), [1]), {})", "dt=f32|f16|bf16", AY_QUICK },
		{ "((T([5, 1000], dt, fill=heavy), [1]), {})", "dt=f32|f16|bf16", AY_QUICK },
		{ "((T([5, 1000], dt, fill=sorted(-1, 1)), [1]), {})", "dt=f32|f16|bf16", AY_QUICK },
		{ "((T([33, 60], dt, fill=exact(-1,1)), [d]), {})", "dt=f32|f16|bf16 d=0|1", AY_QUICK },
		{ "((T([9, 40], dt, fill=nonfinite), [0]), {})", "dt=f32|f16|bf16", AY_QUICK },
		{ "((T([9, 65], dt, stride=st, offset=1), [1]), {})", "dt=f32|f16 st=[1, 9]|[130, 2]|[0, 1]", AY_QUICK },
		{ "((T([9, 65], dt), [1]), {})", "dt=f64|c64|i32|i64|i8|u8|b8", AY_QUICK },
		{ "((T([9, 65], dt, fill=int(-b, b)), [1]), {})", "(dt,b)=(i64,4000000000000000)|(i32,2000000000)", AY_QUICK },
		{ "((T([9, 65], f16), [1]), {'dtype': dt})", "dt=f32|f64", AY_QUICK },
		{ "aten::sum((T(s, dt),), {})", "dt=f32|f16|bf16 s=[]|[0]|[1, 2]|[40, 25]|[8192]", AY_QUICK },
		{ "aten::sum((T([1000], dt),), {})", "dt=i32|b8", AY_QUICK },
		{ "((T([3, 2000], da, fill=fl), [1]), {'dtype': db})", "(da,db)=(f32,f64)|(f16,f64)|(bf16,f64)|(f16,f32)|(bf16,f32)|(f64,f64) fl='normal'|'mixed' ; (da,db)=(i32,f64)|(i16,f64)|(i32,f32)|(i64,f64) fl='edge' ; (da,db)=(c64,c128)|(c64,c64) fl='normal' ; (da,db)=(i32,i64)|(i16,i64)|(i8,i64)|(u8,i64)|(i64,i64)|(u8,i32) fl='edge'", AY_QUICK },
		{ "aten::sum((T([5003], da, fill=fl),), {'dtype': db})", "(da,db)=(f32,f64)|(bf16,f64) fl='normal'|'mixed' ; (da,db)=(i32,f64)|(i64,f64) fl='edge'", AY_QUICK },
		{ "((T([9, 65], dt, fill=edge), [d]), {})", "dt=i64|i32|i16|i8|u8 d=0|1", AY_QUICK },
		{ "((T([2, 3, 4, 3, 5], dt), d), {})", "dt=f32|i64 d=[0, 2, 4]|[1]|[1, 3]|[]|[-1] ; dt=f16 d=[2, 3]", AY_QUICK },
		{ "((T([2, 3, 2, 2, 3, 5], dt), d), {})", "dt=f32 d=[0, 3]|[1, 2, 5]|[4]", AY_QUICK },
		{ "aten::sum((T(s, dt, fill=uniform(1, 2)),), {})", "dt=f32|f16|f64 s=[7]|[129]|[3, 65]|[2, 3, 2, 3, 5] ; dt=bf16 s=[7] ; dt=f32|f64 s=[5001]", AY_QUICK },
		{ "aten::sum((T([n], i64, fill=edge),), {})", "n=2|7|129|5001", AY_QUICK },
		{ "((T([n, 3], dt, fill=uniform(1, 2)), [0]), {})", "dt=f32 n=7|131|20011 ; dt=bf16 n=7|131", AY_QUICK },
		{ "((T([3, n], dt, fill=uniform(1, 2)), [1]), {})", "dt=f32 n=7|131|20011 ; dt=bf16 n=7|131", AY_QUICK },
		{ "aten::sum((T(s, dt),), {})", "dt=f16|f32|bf16 s=[1, 2]|[4096, 256]|[200, 40999, 3]", AY_FULL },
		{ "((T(s, dt), d, k), {})", "dt=f16|f32|bf16 (k,d)=(True,[0])|(False,[1])|(False,[])|(True,[]) s=[1, 2]|[4096, 256]|[200, 40999, 3]", AY_FULL },
		{ "((T(s, dt), [d]), {})", "dt=f32|bf16 d=1|0 s=[512, 1024]|[4096, 4096]", AY_PERF },
	},
	.vary      = {
		{ "((T(s, dt, fill=f), d, k), {})", "s=shape() d=[dim(s)]|axes(s)|axes(s)|[]|None k=True|False dt=f32|f16|bf16|f64 f=None|None|'normal(1, 1)'|'heavy'|'exact(-1, 1)'|'nonfinite' ; s=shape() d=[dim(s)]|axes(s)|axes(s)|[]|None k=True|False dt=c64|c128|i64|i32|i16|i8|u8|b8 f=None ; s=shape() d=[dim(s)]|axes(s)|axes(s)|[] k=True|False dt=i32 f='int(-2147483648, 2147483647)'" },
		{ "((T(s, dt), d, k), {'dtype': db})", "s=shape() d=[dim(s)]|axes(s)|axes(s)|[]|None k=True|False (dt,db)=(f16,f32)|(f16,f64)|(bf16,f32)|(f32,f64)|(f32,f32)|(i32,f32)|(i64,f64)|(b8,f32)|(u8,f64)|(f32,c64)|(c64,c128)|(i32,i32)|(b8,i32)|(i8,i16)|(u8,i32)" },
		{ "aten::sum((T(s, dt, fill=f),), {'dtype': db})", "s=shape() dt=f32|f16|bf16|f64 f=None|None|'normal(1, 1)'|'heavy'|'exact(-1, 1)'|'nonfinite' db=None ; s=shape() dt=c64|c128|i64|i32|i16|i8|u8|b8 f=None db=None ; s=shape() f=None (dt,db)=(f16,f32)|(f16,f64)|(bf16,f32)|(f32,f64)|(f32,f32)|(i32,f32)|(i64,f64)|(b8,f32)|(u8,f64)|(f32,c64)|(c64,c128)|(i32,i32)|(b8,i32)" },
	},
	.result    = result_sum,
	.runs      = reordered,
	.reference = sum,
	.cost      = cost,
	.flags     = AY_INTEGRAL,
}, {
	.schemas   = AY_SCHEMAS("aten::mean.dim(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
				"aten::mean(Tensor self, *, ScalarType? dtype=None) -> Tensor",
				"aten::mean.out(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None, Tensor(a!) out) -> Tensor(a!)",
				"aten::mean.dtype_out(Tensor self, *, ScalarType? dtype=None, Tensor(a!) out) -> Tensor(a!)"),
	.doc       = "out = sum of self over the listed dimensions, divided by the number of elements that were added; None or an empty list "
		     "means all dimensions, keepdim leaves reduced ones with size 1. self is floating or complex, or dtype is given, and "
		     "is the result's: it holds all that self does, and elements are converted to it first. Half types are accumulated "
		     "and divided in f32 and rounded once. The mean of nothing is NaN.",
	.cases     = {
		{ "((T(s, dt), d, k), {})", "dt=f32|f16|bf16 k=False|True (s,d)=([1, 2],[0])|([7, 65],[1])|([7, 65],[0])|([7, 65],[])|([0, 3],[0])|([3, 0],[0])|([4, 33, 5],[0, 2])|([4, 33, 5],[-2])", AY_QUICK },
		{ "((T([5, n], dt), [-1]), {})", "dt=f32|f16|bf16 n=64|1000|8192 ; dt=f64 n=1000", AY_QUICK },
		{ "((T([5, 1000], dt, fill=fl), [1]), {})", "dt=f32|f16|bf16 fl='normal(1, 1)'|'heavy'|'sorted(-1, 1)'", AY_QUICK },
		{ "((T([12, 64], dt, fill=exact), [1]), {})", "dt=f32|f16|bf16", AY_QUICK },
		{ "((T([9, 40], dt, fill=nonfinite), [0]), {})", "dt=f32|f16|bf16", AY_QUICK },
		{ "((T([5, 300], f16, fill=uniform(30000, 60000)), [1]), {})", "", AY_QUICK },
		{ "((T([9, 65], dt, stride=st, offset=1), [d]), {})", "dt=f32|f16 (st,d)=([1, 9],1)|([130, 2],0)|([0, 1],1)", AY_QUICK },
		{ "((T([9, 65], dt), [1]), {})", "dt=f64|c64|c128", AY_QUICK },
		{ "((T([9, 65], da), [1]), {'dtype': db})", "(da,db)=(f16,f32)|(f16,f64)|(bf16,f32)|(f32,f64)|(i32,f32)|(i64,f64)|(b8,f32)|(u8,f16)|(f32,c64)", AY_QUICK },
		{ "((T(s, dt), None), {})", "dt=f32|bf16 s=[]|[7, 65]", AY_QUICK },
		{ "aten::mean((T(s, dt),), {})", "dt=f32|f16|bf16 s=[]|[0]|[1, 2]|[40, 25]|[8192]", AY_QUICK },
		{ "aten::mean((T([1000], dt),), {'dtype': f32})", "dt=i32|b8|f16", AY_QUICK },
		{ "((T([3, 2000], da, fill=fl), [1]), {'dtype': db})", "(da,db)=(f32,f64)|(f16,f64)|(bf16,f64)|(f16,f32)|(bf16,f32)|(f64,f64) fl='normal'|'mixed' ; (da,db)=(i32,f64)|(i16,f64)|(i32,f32)|(i64,f64) fl='edge' ; (da,db)=(c64,c128)|(c64,c64) fl='normal'", AY_QUICK },
		{ "aten::mean((T([5003], da, fill=fl),), {'dtype': db})", "(da,db)=(f32,f64)|(bf16,f64) fl='normal'|'mixed' ; (da,db)=(i32,f64)|(i64,f64) fl='edge'", AY_QUICK },
		{ "((T([2, 3, 4, 3, 5], f32), d), {})", "d=[0, 2, 4]|[1]|[1, 3]|[]|[-1]", AY_QUICK },
		{ "aten::mean((T(s, dt, fill=uniform(1, 2)),), {})", "dt=f32|f16|bf16|f64 s=[7]|[129]|[3, 65]|[5001]|[2, 3, 2, 3, 5]", AY_QUICK },
		{ "((T([n, 3], dt, fill=uniform(1, 2)), [0]), {})", "dt=f32 n=7|131|20011", AY_QUICK },
		{ "aten::mean((T(s, dt),), {})", "dt=f16|f32|bf16 s=[1, 2]|[4096, 256]|[200, 40999, 3]", AY_FULL },
		{ "((T(s, dt), d, k), {})", "dt=f16|f32|bf16 (k,d)=(True,[0])|(False,[1])|(True,[0, 1])|(False,[1, 0]) s=[1, 2]|[4096, 256]|[200, 40999, 3]", AY_FULL },
		{ "((T(s, dt), [d]), {})", "dt=f32|bf16 d=1|0 s=[512, 1024]|[4096, 4096]", AY_PERF },
	},
	.vary      = {
		{ "((T(s, dt, fill=f), d, k), {})", "s=shape() d=[dim(s)]|axes(s)|axes(s)|[]|None k=True|False dt=f32|f16|bf16|f64 f=None|None|'normal(1, 1)'|'heavy'|'exact(-1, 1)'|'nonfinite' ; s=shape() d=[dim(s)]|axes(s)|axes(s)|[]|None k=True|False dt=c64|c128 f=None" },
		{ "((T(s, dt), d, k), {'dtype': db})", "s=shape() d=[dim(s)]|axes(s)|axes(s)|[]|None k=True|False (dt,db)=(f16,f32)|(f16,f64)|(bf16,f32)|(f32,f64)|(f32,f32)|(i32,f32)|(i64,f64)|(b8,f32)|(u8,f64)|(f32,c64)|(c64,c128)" },
		{ "aten::mean((T(s, dt, fill=f),), {'dtype': db})", "s=shape() dt=f32|f16|bf16|f64 f=None|None|'normal(1, 1)'|'heavy'|'exact(-1, 1)'|'nonfinite' db=None ; s=shape() f=None (dt,db)=(f16,f32)|(f16,f64)|(bf16,f32)|(f32,f64)|(f32,f32)|(i32,f32)|(i64,f64)|(b8,f32)|(u8,f64)|(f32,c64)|(c64,c128)" },
	},
	.accepts   = accepts_mean,
	.result    = result_mean,
	.runs      = reordered,
	.reference = mean,
	.cost      = cost,
	.promises  = "means in a dtype that cannot hold self's values",
}, {
	.schemas   = AY_SCHEMAS("aten::amin(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor",
				"aten::amin.out(Tensor self, int[1] dim=[], bool keepdim=False, *, Tensor(a!) out) -> Tensor(a!)"),
	.doc       = "out = the least element of self over the listed dimensions; an empty list means all of them, keepdim leaves reduced "
		     "dimensions with size 1. NaN counts as less than everything: where there is one the result is NaN. Where zeros of "
		     "both signs are least either may be taken. The dtype is self's: any but complex; of bools the result is \"and\". A "
		     "reduced dimension has at least one element.",
	.cases     = {
		{ "((T(s, dt), d, k), {})", "dt=f32|f16|bf16 k=False|True (s,d)=([],[])|([],[0])|([1],[-1])|([1, 2],[0])|([7, 65],[1])|([7, 65],[-2])|([7, 65],[])|([0, 3],[1])|([3, 0, 2],[0, 2])|([4, 33, 5],[0, 2])|([4, 33, 5],[1])|([2, 3, 4, 5],[-1, 1])", AY_QUICK },
		{ "((T([9, 65], dt), [d]), {})", "dt=f64|i64|i32|i16|i8|u8 d=0|1", AY_QUICK },
		{ "((T([9, 65], b8, fill=bool(0.9)), [d]), {})", "d=0|1", AY_QUICK },
		{ "((T([9, 65], dt, fill=int(-b, b)), [1]), {})", "(dt,b)=(i64,4000000000000000)|(i32,2000000000)", AY_QUICK },
		{ "((T([5, 2000], dt, fill=sorted(a, b)), [1]), {})", "dt=f32|f16|bf16 (a,b)=(1,2)|(-1,-2)", AY_QUICK },
		{ "((T([129, 9], dt, fill=fl), [d]), {})", "dt=f32|f16|bf16|f64 d=0|1 fl='special'|'heavy'", AY_QUICK },
		{ "((T([3, 5], dt, data=[0.0, -0.0, 1.0, 0.0, inf, inf, inf, inf, inf, inf, -inf, 1.0, nan, -inf, 2.0]), [1]), {})", "dt=f32|f16|bf16", AY_QUICK },
		{ "((T([9, 65], dt, stride=st, offset=1), [d]), {})", "dt=f32|f16|i32 d=0|1 st=[1, 9]|[130, 2]|[0, 1]", AY_QUICK },
		{ "aten::amin.out((T([7, 65], dt, stride=(1, 7)), [0], k), {'out': T(k ? [1, 65] : [65], dt, stride=k ? [130, 2] : [2], offset=1)})", "dt=f32|f16|i64 k=False|True", AY_QUICK },
		{ "((T([9, 65], dt, fill=edge), d), {})", "dt=i64|i32|i16|i8|u8 d=[0]|[1]|[]", AY_QUICK },
		{ "((T([2, 3, 4, 3, 5], dt), d), {})", "dt=f32|i64 d=[0, 2, 4]|[1]|[1, 3]|[]|[-1]", AY_QUICK },
		{ "((T([2, n], f32, fill=sorted(2, 1)), [1]), {})", "n=7|131|20011", AY_QUICK },
		{ "((T(s, dt), d, k), {})", "k=False|True d=[]|[0]|[1]|[-1]|[0, 1] dt=f32|f16|bf16 s=[2, 3]|[128, 256]|[512, 320]", AY_FULL },
		{ "((T(s, dt), d, k), {})", "k=False|True d=[]|[0]|[1]|[2]|[-1]|[0, 2]|[1, 2]|[0, 1, 2] dt=f32|f16|bf16 s=[2, 3, 4]|[16, 17, 8]|[32, 64, 128]", AY_FULL },
		{ "aten::amin.out((T(s, dt), d, k), {'out': T((x ? k ? [1] : [] : [s[0]]) + (y ? k ? [1] : [] : [s[1]]), dt)})", "k=False|True (d,x,y)=([],1,1)|([0],1,0)|([1],0,1)|([-1],0,1)|([0, 1],1,1) dt=f32|f16|bf16 s=[2, 3]|[128, 256]|[512, 320]", AY_FULL },
		{ "aten::amin.out((T(s, dt), d, k), {'out': T((x ? k ? [1] : [] : [s[0]]) + (y ? k ? [1] : [] : [s[1]]) + (z ? k ? [1] : [] : [s[2]]), dt)})", "k=False|True (d,x,y,z)=([],1,1,1)|([0],1,0,0)|([1],0,1,0)|([2],0,0,1)|([-1],0,0,1)|([0, 2],1,0,1)|([1, 2],0,1,1)|([0, 1, 2],1,1,1) dt=f32|f16|bf16 s=[2, 3, 4]|[16, 17, 8]|[32, 64, 128]", AY_FULL },
		{ "((T(s, dt), [d]), {})", "dt=f32|bf16 d=1|0 s=[512, 1024]|[4096, 4096]", AY_PERF },
	},
	.vary      = {
		{ "((T(s, dt, fill=f), d, k), {})", "s=shape() d=[dim(s)]|axes(s)|axes(s)|[] k=True|False dt=f32|f16|bf16|f64 f=None|'special'|'heavy'|'index(7)' ; s=shape() d=[dim(s)]|axes(s)|axes(s)|[] k=True|False dt=i64|i32|i16|i8|u8|b8 f=None ; s=shape() d=[dim(s)]|axes(s)|axes(s)|[] k=True|False (dt,f)=(i64,'int(-9000000000000000, 9000000000000000)')|(i32,'int(-2147483648, 2147483647)')|(i16,'int(-32768, 32767)')|(i8,'int(-128, 127)')|(u8,'int(0, 255)')" },
	},
	.accepts   = accepts_amin,
	.result    = result_reduced,
	.runs      = reordered,
	.reference = amin,
	.cost      = cost_amin,
}, {0}};
