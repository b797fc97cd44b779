/* SPDX-License-Identifier: Apache-2.0
 *
 * out = the n-th forward difference along dim of prepend, self and append, one behind the other: out_i = x_(i+1) -
 * x_i, n times.
 *
 * Error. The last subtraction is rounded once, which k_out covers. With n > 1 kernels may round what is between to
 * the storage dtype, as PyTorch does: an error of u |y| in every element y of every level but the last, and the
 * levels behind add two neighbours' errors up. The weight runs that recurrence beside the differences: it is a
 * worst case, so half of what docs/error-bound.md gives a rounded intermediate will do. Behind a level that the
 * dtype does not hold nothing is promised. Integers wrap; bools have "not equal" for a difference.
 *
 * What the original test missed: at most 4,096 normals, dense; -1 is the last dimension and 0 the first, never one
 * between; prepend and append in three cases of one shape; no n = 0, n beyond the size, integers, bools, mixed
 * dtypes, strides, infinities or NaN.
 *
 * Cases: original 39 (36 + 3), all sound; dim -1 is dim 0 where there is one only, but another call; here the same
 * 39 full, the shapes of prepend and append ours.
 */
#include "op/op.h"

#include <string.h>

#define row_load  AY_NUM(ay_row_load)
#define row_store AY_NUM(ay_row_store)

/* What stands behind one another; n = 0 leaves self alone. */
static int parts_of(const struct ay_call *c, const struct ay_view *part[3])
{
	const bool joined = ay_int(c, "n") > 0;
	int k = 0;

	if (joined && ay_t(c, "prepend"))
		part[k++] = ay_t(c, "prepend");
	part[k++] = ay_t(c, "self");
	if (joined && ay_t(c, "append"))
		part[k++] = ay_t(c, "append");
	return k;
}

static int result(const struct ay_call *c, int k, struct ay_meta *m, struct ay_err *err)
{
	const struct ay_view *self = ay_t(c, "self"), *part[3];
	struct ay_promotion p = AY_PROMOTE_INIT;
	const int dim = ay_dim(c, "dim", self, err), n = parts_of(c, part);
	int64_t len = 0;

	(void)k;
	if (dim < 0)
		return -1;
	for (int i = 0; i < n; i++) {
		ay_promote_tensor(&p, part[i]->dt, part[i]->ndim);
		len += part[i]->shape[dim];
	}
	m->dt = ay_promote_result(&p);
	m->ndim = self->ndim;
	memcpy(m->shape, self->shape, sizeof m->shape);
	m->shape[dim] = len > ay_int(c, "n") ? len - ay_int(c, "n") : 0;
	return 0;
}

static int check_part(const char *name, const struct ay_view *v, const struct ay_view *self, int dim,
		      struct ay_err *err)
{
	if (v->ndim != self->ndim)
		return ay_fail(err, AY_ERR_BIND, "%s has %d dimensions, self has %d", name, v->ndim, self->ndim);
	for (int d = 0; d < self->ndim; d++)
		if (d != dim && v->shape[d] != self->shape[d])
			return ay_fail(err, AY_ERR_BIND, "size %d of %s is %lld, self has %lld", d, name,
				       (long long)v->shape[d], (long long)self->shape[d]);
	return 0;
}

static int accepts(const struct ay_call *c, struct ay_err *err)
{
	static const char *const names[] = { "prepend", "append" };
	const struct ay_view *self = ay_t(c, "self");
	int dim;

	if (!self->ndim)
		return ay_fail(err, AY_ERR_BIND, "diff takes tensors with at least one dimension");
	dim = ay_dim(c, "dim", self, err);
	if (dim < 0)
		return -1;
	if (ay_int(c, "n") < 0)
		return ay_fail(err, AY_ERR_BIND, "the order of a difference is not negative");
	for (int i = 0; i < 2; i++)
		if (ay_t(c, names[i]) && check_part(names[i], ay_t(c, names[i]), self, dim, err))
			return -1;
	return 0;
}

/* The line that row `row` of the result comes from, as the result's dtype holds it; returns its length. */
static int64_t load_line(struct ay_ref *r, int dim, int64_t row, num *x)
{
	const enum ay_dt dt = r->c->out[0]->view.dt;
	const struct ay_view *part[3];
	const int n = parts_of(r->c, part);
	int64_t len = 0;

	for (int i = 0; i < n; i++) {
		const int64_t m = part[i]->shape[dim];
		void *stored;

		if (m)
			ay_load(r, part[i], dim, row, x + len);
		if (part[i]->dt != dt) {
			stored = ay_alloc(r->tmp, (size_t)m * (size_t)ay_dt_info(dt)->bytes + 1);
			row_store(dt, stored, 1, m, x + len);
			row_load(dt, stored, 1, m, x + len);
		}
		len += m;
	}
	return len;
}

/* One level: x becomes its differences, and err what may be wrong with them, in units of a rounding; infinite
 * behind one that the dtype does not hold. */
static void subtract(struct ay_ref *r, num *x, double *err, int64_t len, bool last)
{
	const enum ay_dt dt = r->c->out[0]->view.dt;
	const long double most = ay_dt_max(dt);

	for (int64_t i = 0; i + 1 < len; i++) {
		if (dt == AY_DT_B8)
			x[i] = x[i] != x[i + 1];
		else if (ay_dt_is_integral(dt)) /* in long double a difference of two i64 might not fit */
			x[i] = (num)(int64_t)((uint64_t)(int64_t)re(x[i + 1]) - (uint64_t)(int64_t)re(x[i]));
		else
			x[i] = x[i + 1] - x[i];
		err[i] += err[i + 1];
		if (!last && !ay_dt_is_integral(dt) && isfinite((double)fabs(x[i])))
			err[i] += fabs(x[i]) > most ? INFINITY : (double)fabs(x[i]);
	}
}

static void diff(struct ay_ref *r)
{
	const struct ay_view *self = ay_t(r->c, "self"), *part[3];
	const enum ay_dt dt = r->c->out[0]->view.dt;
	const int dim = ay_dim(r->c, "dim", self, &(struct ay_err){ 0 }), parts = parts_of(r->c, part);
	const int64_t n = ay_int(r->c, "n");
	int64_t len = 0;
	double *err;
	num *x;

	for (int i = 0; i < parts; i++)
		len += part[i]->shape[dim];
	x = ay_tmp(r, len);
	err = AY_NEW_N(r->tmp, double, len);
	for (int64_t row = r->lo; row < r->hi; row++) {
		len = load_line(r, dim, row, x);
		memset(err, 0, sizeof *err * (size_t)len);
		for (int64_t level = 0; level < n; level++)
			subtract(r, x, err, len - level, level == n - 1);
		for (int64_t i = 0; i < len - n; i++) {
			*ay_val(r, 0, row, i) = x[i];
			*ay_mag(r, 0, row, i) = isinf(err[i]) ? AY_FREE
						: n           ? ay_err_round(dt, dt, err[i] / 2)
							      : -1;
		}
	}
}

static void cost(const struct ay_call *c, struct ay_cost *k)
{
	const struct ay_view *part[3];
	const int n = parts_of(c, part);

	/* each level is one element shorter; the first ones count for all */
	k->flops = (double)ay_int(c, "n") * (double)ay_numel_of(&c->out[0]->view);
	k->bytes = ay_touched(&c->out[0]->view);
	for (int i = 0; i < n && ay_numel_of(&c->out[0]->view); i++)
		k->bytes += ay_touched(part[i]);
}

/* clang-format off */
const struct ay_op ay_ops_diff[] = {{
	.schemas   = AY_SCHEMAS("aten::diff(Tensor self, int n=1, int dim=-1, Tensor? prepend=None, Tensor? append=None) -> Tensor",
				"aten::diff.out(Tensor self, int n=1, int dim=-1, Tensor? prepend=None, Tensor? append=None, *, Tensor(a!) out) -> Tensor(a!)"),
	.doc       = "out = the n-th forward difference along dim (negative: from the end): x_(i+1) - x_i, n times over, of x = prepend, self and "
		     "append joined along dim. prepend and append may be None; they have self's shape but for dim. The result is n "
		     "elements shorter along dim than x, or empty; its dtype follows PyTorch's type promotion, and elements are converted "
		     "to it first. n = 0 gives self, whatever stands around it. Integers wrap; of bools the difference is \"not equal\". "
		     "Half types may be rounded after every level.",
	.cases     = {
		{ "((T(s, dt), n, d), {})", "dt=f32|f16|bf16 n=1|2 (s,d)=([1],0)|([2],-1)|([7],0)|([129],0)|([0, 3],0)|([3, 0],0)|([7, 65],0)|([7, 65],1)|([4, 33, 5],1)", AY_QUICK },
		{ "((T([5, 6], dt), n, d), {})", "dt=f32|i32 n=0|5|6|9 d=0|1", AY_QUICK },
		{ "((T([7, 65], dt), n, d), {})", "dt=f64|c64|i64|i32|i16|i8|u8|b8 (n,d)=(1,0)|(3,1) ; dt=f32|f16|bf16 (n,d)=(3,0)|(4,1)", AY_QUICK },
		{ "((T([65], dt, fill=int(-b, b)), n), {})", "(dt,b)=(i32,2000000000)|(i64,4000000000000000) n=1|2", AY_QUICK },
		{ "((T([7, 65], dt, fill=fl), n), {})", "dt=f32|f16|bf16 n=1|2 fl='special'|'heavy'|'normal(100, 1)'|'exact'", AY_QUICK },
		{ "((T([8, 33], dt, stride=(66, 2), offset=3), n, d), {})", "dt=f32|f16|bf16 n=1|2 d=0|1", AY_QUICK },
		{ "((T([9, 16], dt, stride=st), 1, d), {})", "dt=f32|i32 (st,d)=([1, 9],0)|([1, 9],1)|([0, 1],1)|([1, 0],0)", AY_QUICK },
		{ "((T([5, 9], dt), n, 1, T([5, a], dt), T([5, b], dt)), {})", "dt=f32|f16|i64 n=0|1|2 (a,b)=(1,1)|(3,0)|(0,2)", AY_QUICK },
		{ "((T([5, 9], dt), 1, 0), {'append': T([2, 9], dt, stride=(1, 2), offset=1)})", "dt=f32|f16|b8", AY_QUICK },
		{ "((T([5, 0], f32), 1, 1, T([5, 2], f32)), {})", "", AY_QUICK },
		{ "((T([31], da), n, -1, T([2], db)), {})", "n=1|2 (da,db)=(f32,f16)|(f16,bf16)|(i32,f32)|(i8,u8)|(i32,i64)|(b8,i32)|(f32,c64)|(f64,f32)|(i64,f16)", AY_QUICK },
		{ "((T([9, 65], dt, fill=edge), n, d), {})", "dt=i64|i32|i8 n=1|2 d=0|1", AY_QUICK },
		{ "((T([2, 3, 4, 3, 5], dt), 1, d), {})", "dt=f32|i64 d=0|2|-1", AY_QUICK },
		{ "((T([12347], dt),), {})", "dt=f32", AY_QUICK },
		{ "((T(s, dt), n, d), {})", "dt=f16|f32|bf16 d=0|-1 n=1|2 s=[16]|[16, 32]|[8, 16, 32]", AY_FULL },
		{ "((T([16, 32], dt), 1, -1, T([16, 1], dt), T([16, 1], dt)), {})", "dt=f16|f32|bf16", AY_FULL },
		{ "((T(s, dt), 1, d), {})", "dt=f32|bf16 d=1|0 s=[512, 1024]|[4096, 4096]", AY_PERF },
	},
	.vary      = {{ "((T(s, da, fill=f), n, d, p, q), {})", "s=shape(1, 6) n=1|1|2|3|4|0 d=dim(s) da=f32|f16|bf16|f64|c64|c128 db=da|da|f32|f16|i32 f='normal'|'mixed'|'normal(100, 1)'|'exact' p=None|None|T(with(s, d, size(1, 4)), da)|T(with(s, d, 1), db) q=None|None|T(with(s, d, size(1, 4)), db) ; s=shape(1, 6) n=1|1|2|3|0 d=dim(s) da=i64|i32|i16|i8|u8|b8 db=da|da|i64|u8 f=da == b8 ? 'bool' : 'int(-100, 100)' p=None|None|T(with(s, d, size(1, 4)), da, fill=f)|T(with(s, d, 1), db) q=None|None|T(with(s, d, size(1, 4)), db)" }},
	.accepts   = accepts,
	.result    = result,
	.rows      = ay_rows_dim,
	.reference = diff,
	.cost      = cost,
	.rounds    = "every level of a difference of higher order (ATen computes it level by level)",
	.promises  = "differences of higher order where one of a lower order is larger than the dtype holds",
	.flags     = AY_INTEGRAL,
}, {0}};
