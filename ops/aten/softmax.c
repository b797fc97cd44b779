/* SPDX-License-Identifier: Apache-2.0
 *
 * y_i = exp(x_i - max x) / sum_j exp(x_j - max x), along dim. softmax converts self to dtype first, where one is
 * given.
 *
 * Error: mag = y_i * (growth(n) + |x_i| + sum_j y_j |x_j| + 2): the sum of n exponentials, the rounded argument of
 * each exp (exp2(x * log2 e) and exp(x - lse) are honest ways to compute it), one exp and one quotient. The offset
 * rows (mean 100, mean -200) tell a missing max subtraction: exp(100) overflows f32. A row that holds NaN or +inf,
 * or -inf alone, is NaN throughout; -inf beside finite values gives 0.
 *
 * What the original tests missed: they never stride, offset, ask for half_to_float or a dtype, and normal inputs
 * alone do not need the max subtraction.
 *
 * Cases: _softmax: original 72, of which 36 call _softmax_backward_data, another operator; softmax: the same 36
 * others. Of these 36, 6 normalise over a dimension of size 1, where every answer is 1 or NaN. The 30 others are
 * the full rows. softmax.Dimname takes a named dimension and is no tensor kernel (PyTorch 2.13 has dropped it).
 *
 * ATen on the CPU (2.13) has no half_to_float. _softmax.out writes to an `out` that is not contiguous as if it
 * were (softmax.int_out copies and is right). Along another dimension than the last the exponentials of half types
 * are rounded to that type before they are divided by their sum: a second rounding, which the last dimension does
 * without.
 */
#include "op/op.h"

#include <string.h>

#define row_load  AY_NUM(ay_row_load)
#define row_store AY_NUM(ay_row_store)

/* A line of self, as the dtype that softmax was asked for holds it. */
static void load_line(struct ay_ref *r, const struct ay_view *v, int axis, int64_t row, int64_t n, num *x)
{
	const enum ay_dt dt = ay_has_arg(r->c, "dtype") ? ay_dtype_or(r->c, "dtype", v->dt) : v->dt;
	void *stored;

	ay_load(r, v, axis, row, x);
	if (dt == v->dt)
		return;
	stored = ay_alloc(r->tmp, (size_t)n * (size_t)ay_dt_info(dt)->bytes + 1);
	row_store(dt, stored, 1, n, x);
	row_load(dt, stored, 1, n, x);
}

static void softmax(struct ay_ref *r)
{
	const struct ay_view *x = ay_t(r->c, "self");
	struct ay_err err = { 0 };
	const int axis = ay_dim(r->c, "dim", x, &err);
	const int64_t n = r->len[0];
	num *xs = ay_tmp(r, n);

	for (int64_t i = r->lo; i < r->hi; i++) {
		real top = -INFINITY, spread = 0;
		num sum = 0;

		load_line(r, x, axis, i, n, xs);
		for (int64_t j = 0; j < n; j++)
			if (re(xs[j]) > top)
				top = re(xs[j]);
		for (int64_t j = 0; j < n; j++) {
			num e = exp(re(xs[j]) - top); /* NaN where top is infinite */

			sum = acc(r, sum + e);
			*ay_val(r, 0, i, j) = e;
			if (re(e) > 0)
				spread += re(e) * fabs(re(xs[j]));
		}
		spread /= re(sum);
		for (int64_t j = 0; j < n; j++) {
			real y = re(*ay_val(r, 0, i, j)) / re(sum);

			*ay_val(r, 0, i, j) = y;
			*ay_mag(r, 0, i, j) = y > 0 ? (double)(y * (ay_growth(n) + fabs(re(xs[j])) + spread + 2))
						    : 0;
		}
	}
}

static int accepts(const struct ay_call *c, struct ay_err *err)
{
	const struct ay_view *x = ay_t(c, "self");

	if (!ay_dt_is_float(x->dt))
		return ay_fail(err, AY_ERR_BIND, "softmax of %s has no meaning", ay_dt_info(x->dt)->name);
	if (ay_flag(c, "half_to_float") && x->dt != AY_DT_F16)
		return ay_fail(err, AY_ERR_BIND, "half_to_float is for f16 only, self is %s",
			       ay_dt_info(x->dt)->name);
	return ay_dim(c, "dim", x, err) < 0 ? -1 : 0;
}

static int accepts_dtype(const struct ay_call *c, struct ay_err *err)
{
	const struct ay_view *x = ay_t(c, "self");
	const enum ay_dt dt = ay_dtype_or(c, "dtype", x->dt);

	if (!ay_dt_is_float(dt) || ay_dt_is_complex(x->dt))
		return ay_fail(err, AY_ERR_BIND, "softmax of %s in %s has no meaning", ay_dt_info(x->dt)->name,
			       ay_dt_info(dt)->name);
	return ay_dim(c, "dim", x, err) < 0 ? -1 : 0;
}

static int result(const struct ay_call *c, int k, struct ay_meta *m, struct ay_err *err)
{
	if (ay_result_like_first(c, k, m, err))
		return -1;
	if (ay_flag(c, "half_to_float"))
		m->dt = AY_DT_F32;
	return 0;
}

static int result_dtype(const struct ay_call *c, int k, struct ay_meta *m, struct ay_err *err)
{
	if (ay_result_like_first(c, k, m, err))
		return -1;
	m->dt = ay_dtype_or(c, "dtype", m->dt);
	return 0;
}

/* Normal, with every negative number replaced by -inf: what attention masks do to logits. */
static double neg_inf(const struct ay_call *c, const struct ay_operand *o, const struct ay_fill *f, int64_t i,
		      uint64_t bits)
{
	double sum = 0;

	(void)c, (void)o, (void)f, (void)i;
	for (int s = 0; s < 64; s += 16)
		sum += (double)(bits >> s & 0xffff);
	sum = (sum - 4 * 32767.5) / 37837; /* four words of variance 2^32 / 12 */
	return sum < 0 ? -INFINITY : sum;
}

static const struct ay_maker makers[] = { { "neg_inf", neg_inf, .anywhere = true }, { 0 } };

static const char *aten_differs(const struct ay_call *c)
{
	const struct ay_view *x = ay_t(c, "self");
	const enum ay_dt dt = c->out[0]->view.dt;
	struct ay_err err = { 0 };

	if (ay_has_arg(c, "half_to_float") && ay_flag(c, "half_to_float"))
		return "half_to_float is not implemented";
	if (!strcmp(c->s->base, "_softmax") && ay_schema_out(c->s) && !ay_view_is_dense(&c->out[0]->view))
		return "_softmax.out takes every out for a contiguous one";
	if ((dt == AY_DT_F16 || dt == AY_DT_BF16) && ay_dim(c, "dim", x, &err) != x->ndim - 1)
		return "exponentials are rounded to half types before the quotient, unless dim is the last";
	return NULL;
}

static const char *cuda_differs(const struct ay_call *c)
{
	return !strcmp(c->s->base, "_softmax") && ay_schema_out(c->s) && !ay_view_is_dense(&c->out[0]->view)
		       ? "_softmax.out takes every out for a contiguous one"
		       : NULL;
}

static void cost(const struct ay_call *c, struct ay_cost *k)
{
	k->flops = 5.0 * (double)ay_numel_of(ay_t(c, "self"));
	k->bytes = -1;
}

/* clang-format off */
const struct ay_op ay_ops_softmax[] = {{
	.schemas   = AY_SCHEMAS("aten::_softmax(Tensor self, int dim, bool half_to_float) -> Tensor",
				"aten::_softmax.out(Tensor self, int dim, bool half_to_float, *, Tensor(a!) out) -> Tensor(a!)"),
	.doc       = "out_i = exp(self_i - m) / sum_j exp(self_j - m) along dimension dim, m the maximum along dim. dim may be "
		     "negative (counted from the end); a 0-dim self is one row of one element. Half types are computed in f32 "
		     "and rounded once; with half_to_float self is f16 and the result f32, otherwise the dtypes are equal. A row "
		     "that holds NaN or +inf, or nothing but -inf, gives NaN throughout; -inf beside finite values gives 0.",
	.cases     = {
		{ "((T(s, dt), d, False), {})", "dt=f32|f16|bf16|f64 (s,d)=([],0)|([],-1)|([1],0)|([7],0)|([0, 3],0)|([3, 0],0)|([3, 0],1)|([1, 9],0)|([3, 65],1)|([3, 65],0)|([3, 65],-1)|([2, 3, 4, 5],-3)|([4, 33, 5],1)", AY_QUICK },
		{ "((T([5, n], dt), 1, False), {})", "dt=f32|f16|bf16|f64 n=64|1000|8192", AY_QUICK },
		{ "((T([300, 7], dt), 0, False), {})", "dt=f32|f16|bf16", AY_QUICK },
		{ "((T([5, 200], dt, fill=normal(m, 1)), 1, False), {})", "dt=f32|f16|bf16 m=100|-200 ; dt=f64 m=800|-800", AY_QUICK },
		{ "((T([5, 200], dt, fill=normal(0, 20)), d, False), {})", "dt=f32|f16|bf16|f64 d=0|1", AY_QUICK },
		{ "((T([9, 65], dt, fill=heavy), 1, False), {})", "dt=f32|f16|bf16", AY_QUICK },
		{ "((T([9, 65], dt, fill=exact), -2, False), {})", "dt=f32|f16|bf16", AY_QUICK },
		{ "((T([40, 9], dt, fill=special), 1, False), {})", "dt=f32|f16|bf16|f64", AY_QUICK },
		{ "((T(s, dt, fill=neg_inf), d, False), {})", "dt=f32|f16|bf16 (s,d)=([9, 40],0)|([9, 40],1)|([40, 2],1)", AY_QUICK },
		{ "((T([3, 5], dt, fill=const(-inf)), 1, False), {})", "dt=f32|f16|bf16", AY_QUICK },
		{ "((T([8, 33], dt, stride=(66, 2), offset=3), d, False), {})", "dt=f32|f16|bf16 d=0|1", AY_QUICK },
		{ "((T([9, 16], dt, stride=st), d, False), {})", "dt=f32|bf16 (st,d)=([1, 9],0)|([1, 9],1)|([0, 1],1)|([1, 0],0)", AY_QUICK },
		{ "((T(s, f16), d, True), {})", "(s,d)=([],0)|([0, 3],1)|([7, 129],1)|([7, 129],0)|([5, 8192],-1)|([2, 65, 3],1)", AY_QUICK },
		{ "((T([5, 300], f16, fill=normal(100, 2)), 1, True), {})", "", AY_QUICK },
		{ "((T([9, 40], f16, fill=neg_inf), 1, True), {})", "", AY_QUICK },
		{ "((T([2, 3, 4, 3, 5], f32), d, False), {})", "d=0|2|-1", AY_QUICK },
		{ "((T([2, 20011], dt), 1, False), {})", "dt=f32|bf16", AY_QUICK },
		{ "((T(s, dt), d, False), {})", "dt=f16|f32|bf16 (s,d)=([1, 256],1)|([4096, 256],0)|([4096, 256],1)|([200, 2560, 3],0)|([200, 2560, 3],1)", AY_FULL },
		{ "((T(s, dt, fill=neg_inf), d, False), {})", "dt=f16|f32|bf16 (s,d)=([1, 256],1)|([4096, 256],0)|([4096, 256],1)|([200, 2560, 3],0)|([200, 2560, 3],1)", AY_FULL },
		{ "((T(s, dt), d, False), {})", "dt=f32|f16|bf16 (s,d)=([512, 512],1)|([4096, 256],1)|([4096, 4096],1)|([200, 2560, 3],1)", AY_PERF },
	},
	.vary      = {
		{ "((T(s, dt, fill=f), dim(s), h), {})", "s=shape() dt=f32|f16|bf16|f64|f16 f=None|'normal(100, 1)'|'normal(-200, 1)'|'normal(0, 20)'|'heavy'|'special'|'neg_inf'|'exact' h=dt == f16 ? one(True, False) : False" },
	},
	.makers    = makers,
	.accepts   = accepts,
	.result    = result,
	.rows      = ay_rows_dim,
	.flags     = AY_BY_ROWS,
	.reference = softmax,
	.cost      = cost,
	.aten_differs = aten_differs,
	.cuda_differs = cuda_differs,
}, {
	.schemas   = AY_SCHEMAS("aten::softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor",
				"aten::softmax.int_out(Tensor self, int dim, ScalarType? dtype=None, *, Tensor(a!) out) -> Tensor(a!)"),
	.doc       = "out_i = exp(x_i - m) / sum_j exp(x_j - m) along dimension dim, x = self converted to dtype (None: as it is), m the "
		     "maximum of x along dim. dim may be negative (counted from the end); a 0-dim self is one row of one element. The "
		     "result has dtype, which is a real floating one; integers and bools need it. Half types are computed in f32 and "
		     "rounded once. A row that holds NaN or +inf, or nothing but -inf, gives NaN throughout; -inf beside finite values "
		     "gives 0.",
	.cases     = {
		{ "((T(s, dt), d), {})", "dt=f32|f16|bf16|f64 (s,d)=([],0)|([1],-1)|([7],0)|([0, 3],0)|([3, 0],1)|([1, 9],0)|([3, 65],1)|([3, 65],0)|([2, 3, 4, 5],-3)|([4, 33, 5],1)", AY_QUICK },
		{ "((T([5, n], dt), 1), {})", "dt=f32|f16|bf16|f64 n=1000|8192", AY_QUICK },
		{ "((T([300, 7], dt), 0), {})", "dt=f32|f16|bf16", AY_QUICK },
		{ "((T([5, 200], dt, fill=normal(m, s)), 1), {})", "dt=f32|f16|bf16 (m,s)=(100,1)|(-200,1)|(0,20) ; dt=f64 (m,s)=(800,1)|(-800,1)", AY_QUICK },
		{ "((T([40, 9], dt, fill=fl), 1), {})", "dt=f32|f16|bf16|f64 fl='special'|'heavy'|'neg_inf'", AY_QUICK },
		{ "((T([3, 5], dt, fill=const(-inf)), 1), {})", "dt=f32|f16|bf16", AY_QUICK },
		{ "((T([8, 33], dt, stride=(66, 2), offset=3), d), {})", "dt=f32|f16|bf16 d=0|1", AY_QUICK },
		{ "((T([9, 16], dt, stride=st), d), {})", "dt=f32|bf16 (st,d)=([1, 9],0)|([1, 9],1)|([0, 1],1)|([1, 0],0)", AY_QUICK },
		{ "((T([7, 129], da), d, db), {})", "d=0|1 (da,db)=(f16,f32)|(bf16,f32)|(f32,f64)|(f32,f16)|(f32,bf16)|(f64,f32)|(f16,bf16)|(i32,f32)|(i64,f64)|(u8,f16)|(b8,f32)|(f32,f32)", AY_QUICK },
		{ "((T([5, 300], f16, fill=normal(100, 2)), 1, f32), {})", "", AY_QUICK },
		{ "((T([9, 100], f32, fill=normal(0, 4)), -1, f16), {})", "", AY_QUICK },
		{ "((T([5, 1000], da), 1, db), {})", "(da,db)=(f32,f64)|(f16,f64)|(bf16,f64)|(bf16,f32)|(i32,f64)", AY_QUICK },
		{ "((T([9, 40], da, fill=edge(5)), 1, db), {})", "(da,db)=(i64,f64)|(i32,f64)|(i64,f32)", AY_QUICK },
		{ "((T([2, 3, 4, 3, 5], f32), d), {})", "d=0|2|-1", AY_QUICK },
		{ "((T([2, 20011], f32), 1), {})", "", AY_QUICK },
		{ "((T(s, dt), d), {})", "dt=f16|f32|bf16 (s,d)=([1, 256],1)|([4096, 256],0)|([4096, 256],1)|([200, 2560, 3],0)|([200, 2560, 3],1)", AY_FULL },
		{ "((T(s, dt, fill=neg_inf), d), {})", "dt=f16|f32|bf16 (s,d)=([1, 256],1)|([4096, 256],0)|([4096, 256],1)|([200, 2560, 3],0)|([200, 2560, 3],1)", AY_FULL },
		{ "((T(s, dt), d), {})", "dt=f32|f16|bf16 (s,d)=([512, 512],1)|([4096, 256],1)|([4096, 4096],1)|([200, 2560, 3],1)", AY_PERF },
	},
	.vary      = {
		{ "((T(s, da, fill=f), dim(s), db), {})", "s=shape() da=f32|f16|bf16|f64 f=None|'normal(100, 1)'|'normal(-200, 1)'|'normal(0, 20)'|'heavy'|'special'|'neg_inf'|'exact' db=None|None|f32|f16|bf16|f64 ; s=shape() da=i64|i32|i16|i8|u8|b8 f=None db=f32|f16|bf16|f64" },
	},
	.makers    = makers,
	.accepts   = accepts_dtype,
	.result    = result_dtype,
	.rows      = ay_rows_dim,
	.flags     = AY_BY_ROWS,
	.reference = softmax,
	.cost      = cost,
	.aten_differs = aten_differs,
	.cuda_differs = cuda_differs,
}, {0}};
