/* SPDX-License-Identifier: Apache-2.0
 *
 * out = sum of self over all or the listed dimensions (None or an empty list: all).
 *
 * Error: a sum of n terms, mag = growth(n) * R (docs/error-bound.md). Integers and bools add up exactly in i64.
 * normal is the fill that tells TF32 and half accumulators apart; exact demands bit equality in any order.
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

static int result(const struct ay_call *c, int k, struct ay_meta *m, struct ay_err *err)
{
	const struct ay_view *v = ay_t(c, "self");
	bool keep = ay_has_arg(c, "keepdim") && ay_flag(c, "keepdim");
	unsigned mask;

	(void)k;
	if (dims_of(c, v, &mask, err))
		return -1;
	m->dt = ay_dtype_or(c, "dtype", ay_dt_is_integral(v->dt) ? AY_DT_I64 : v->dt);
	for (int d = 0; d < v->ndim; d++) {
		if (!(mask >> d & 1))
			m->shape[m->ndim++] = v->shape[d];
		else if (keep)
			m->shape[m->ndim++] = 1;
	}
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

static void sum(struct ay_ref *r)
{
	int64_t n;
	const struct ay_view w = reordered(r->c, &n);
	const int64_t len = w.ndim ? w.shape[w.ndim - 1] : 1; /* the last axis is one of those summed over */
	num *x = ay_tmp(r, len);

	for (int64_t i = r->lo; i < r->hi; i++) {
		struct total t = { 0 };

		for (int64_t j = 0; j < n; j += len) {
			ay_load(r, &w, -1, (i * n + j) / len, x);
			add_row(r, x, len, &t);
		}
		*ay_val(r, 0, i, 0) = t.sum;
		*ay_mag(r, 0, i, 0) = ay_err_sum(n, (double)fabs(t.sum), t.sumsq, t.prefix);
		*ay_norm(r, 0, i, 0) = sqrt(t.sumsq);
	}
}

static void cost(const struct ay_call *c, struct ay_cost *k)
{
	k->flops = (double)ay_numel_of(ay_t(c, "self"));
	/* as a bool a sum is known at its first true element */
	k->bytes = c->out[0]->view.dt == AY_DT_B8 ? ay_touched(&c->out[0]->view) : -1;
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
		{ "aten::sum((T(s, dt),), {})", "dt=f16|f32|bf16 s=[1, 2]|[4096, 256]|[200, 40999, 3]", AY_FULL },
		{ "((T(s, dt), d, k), {})", "dt=f16|f32|bf16 (k,d)=(True,[0])|(False,[1])|(False,[])|(True,[]) s=[1, 2]|[4096, 256]|[200, 40999, 3]", AY_FULL },
		{ "((T(s, dt), [d]), {})", "dt=f32|bf16 d=1|0 s=[512, 1024]|[4096, 4096]", AY_PERF },
	},
	.result    = result,
	.reference = sum,
	.cost      = cost,
	.flags     = AY_INTEGRAL,
}, {0}};
