/* SPDX-License-Identifier: Apache-2.0
 *
 * out[.., i, ..] = self[.., 0, ..] + ... + self[.., i, ..] along dim.
 *
 * Error: element i is a sum of i + 1 terms, mag = growth(i + 1) * R(i) (docs/error-bound.md): early elements have
 * narrow bounds, which an error of the whole line's size does not fit into. A blocked or tree-like scan adds the
 * same terms in another order. Half types are added in f32, as in every other sum here. Once the sizes of the terms
 * add up to more than the accumulator holds, the order decides what overflows: nothing is promised behind that.
 * Integers and bools add up exactly in i64. With dtype= elements are converted before they are added.
 *
 * What the original test missed: at HEAD nothing runs (NameError). As intended it scans with an absolute tolerance
 * of 1e-4 times the length, 4.1 for 40,999 terms, the same for the first element as for the last. Never tested: the
 * first dimension, dtype=, strides, empty and 0-dim tensors, NaN and infinities.
 *
 * Cases: original 25, all sound (dim = 1 for the three-dimensional shapes, else -1) and distinct; here 25 full.
 * cumsum.dimname and .dimname_out take named dimensions and are no tensor kernels.
 *
 * ATen on CUDA (2.11) adds f16 and bf16 in that dtype, and is outside of this bound from the first dozens of terms on
 * (bench/h200.md); on the CPU, and with dtype=f32 rounded afterwards, it is inside.
 */
#include "op/op.h"

#define row_load  AY_NUM(ay_row_load)
#define row_store AY_NUM(ay_row_store)

static int result(const struct ay_call *c, int k, struct ay_meta *m, struct ay_err *err)
{
	const struct ay_view *self = ay_t(c, "self");

	if (ay_dim(c, "dim", self, err) < 0 || ay_result_like_first(c, k, m, err))
		return -1;
	m->dt = ay_dtype_or(c, "dtype", ay_dt_is_integral(self->dt) ? AY_DT_I64 : self->dt);
	return 0;
}

static int accepts(const struct ay_call *c, struct ay_err *err)
{
	struct ay_meta m = { .dt = AY_DT_NONE };

	if (result(c, 0, &m, err))
		return -1;
	if (m.dt == AY_DT_B8)
		return ay_fail(err, AY_ERR_BIND, "sums are not made in bools");
	if (ay_dt_is_integral(m.dt) && !ay_dt_is_integral(ay_t(c, "self")->dt))
		return ay_fail(err, AY_ERR_BIND, "a cumsum of %s in %s is not judged",
			       ay_dt_info(ay_t(c, "self")->dt)->name, ay_dt_info(m.dt)->name);
	return 0;
}

/* A line of self as the result's dtype holds it. */
static void load_line(struct ay_ref *r, int dim, int64_t row, int64_t n, num *x)
{
	const struct ay_view *self = ay_t(r->c, "self");
	const enum ay_dt dt = r->c->out[0]->view.dt;
	void *stored;

	ay_load(r, self, dim, row, x);
	if (dt == self->dt || ay_dt_is_integral(self->dt))
		return;
	stored = ay_alloc(r->tmp, (size_t)n * (size_t)ay_dt_info(dt)->bytes + 1);
	row_store(dt, stored, 1, n, x);
	row_load(dt, stored, 1, n, x);
}

static void cumsum(struct ay_ref *r)
{
	const struct ay_view *self = ay_t(r->c, "self");
	const enum ay_dt dt = r->c->out[0]->view.dt;
	const int dim = ay_dim(r->c, "dim", self, &(struct ay_err){ 0 });
	const long double most = ay_dt_max(ay_u_acc(dt) < 0x1p-30 ? AY_DT_F64 : AY_DT_F32);
	const int64_t n = r->len[0];
	num *x = ay_tmp(r, n);

	for (int64_t row = r->lo; row < r->hi; row++) {
		double sumsq = 0, prefix = 0;
		long double sizes = 0;
		num sum = 0;

		load_line(r, dim, row, n, x);
		for (int64_t i = 0; i < n; i++) {
			double size = (double)fabs(x[i]);

			sum = acc(r, sum + x[i]);
			sumsq += size * size;
			sizes += isfinite(size) ? size : 0;
			prefix = fmax(prefix, (double)fabs(sum));
			*ay_val(r, 0, row, i) = sum;
			*ay_mag(r, 0, row, i) = sizes > most ? AY_FREE
							     : ay_err_sum(i + 1, (double)fabs(sum), sumsq, prefix);
			*ay_norm(r, 0, row, i) = sqrt(sumsq);
		}
	}
}

static const char *cuda_differs(const struct ay_call *c)
{
	const enum ay_dt dt = c->out[0]->view.dt;

	return dt == AY_DT_F16 || dt == AY_DT_BF16 ? "sums are rounded to half types after every addition" : NULL;
}

static void cost(const struct ay_call *c, struct ay_cost *k)
{
	k->flops = (double)ay_numel_of(ay_t(c, "self"));
	k->bytes = -1;
}

/* clang-format off */
const struct ay_op ay_ops_cumsum[] = {{
	.schemas   = AY_SCHEMAS("aten::cumsum(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor",
				"aten::cumsum.out(Tensor self, int dim, *, ScalarType? dtype=None, Tensor(a!) out) -> Tensor(a!)"),
	.doc       = "out[.., i, ..] = self[.., 0, ..] + ... + self[.., i, ..] along dim (negative: from the end); the shape is that of "
		     "self, and a 0-dim tensor is its own sum. Integers and bools add up in i64 unless dtype says otherwise, wrapping "
		     "around; with dtype elements are converted to it before they are added. Half types are accumulated in f32 and "
		     "rounded once per element.",
	.cases     = {
		{ "((T(s, dt), d), {})", "dt=f32|f16|bf16 (s,d)=([],0)|([1],0)|([1, 2],-1)|([0, 3],0)|([0, 3],1)|([7],0)|([129],-1)|([7, 65],0)|([7, 65],1)|([4, 33, 5],0)|([4, 33, 5],1)|([4, 33, 5],-1)", AY_QUICK },
		{ "((T([3, n], dt), 1), {})", "dt=f32|f16|bf16 n=64|1000|2637|8192", AY_QUICK },
		{ "((T([1000, 5], dt), 0), {})", "dt=f32|f16|bf16", AY_QUICK },
		{ "((T([5, 1000], dt, fill=normal(1, 1)), 1), {})", "dt=f32|f16|bf16", AY_QUICK },
		{ "((T([5, 1000], dt, fill=heavy), 1), {})", "dt=f32|f16|bf16", AY_QUICK },
		{ "((T([5, 1000], dt, fill=sorted(-1, 1)), 1), {})", "dt=f32|f16|bf16", AY_QUICK },
		{ "((T([33, 60], dt, fill=exact(-1, 1)), d), {})", "dt=f32|f16|bf16 d=0|1", AY_QUICK },
		{ "((T([80, 5], dt, fill=special), 1), {})", "dt=f32|f16|bf16|f64", AY_QUICK },
		{ "((T([9, 65], dt, stride=st, offset=1), d), {})", "dt=f32|f16|bf16 d=0|1 st=[1, 9]|[130, 2]|[0, 1]", AY_QUICK },
		{ "((T([9, 65], dt), d), {})", "dt=f64|c64|c128|i64|i32|i16|i8|u8|b8 d=0|1", AY_QUICK },
		{ "((T([9, 65], dt, fill=int(-b, b)), 1), {})", "(dt,b)=(i64,4000000000000000)|(i32,2000000000)", AY_QUICK },
		{ "((T([9, 65], da), 1), {'dtype': db})", "(da,db)=(f16,f32)|(f16,f64)|(f32,f16)|(f64,f32)|(f32,bf16)|(i32,f32)|(b8,f32)|(i32,i32)|(i64,i8)|(b8,i32)", AY_QUICK },
		{ "((T([9, 65], dt, fill=edge), d), {})", "dt=i64|i32|i16|u8 d=0|1", AY_QUICK },
		{ "((T([3, 2000], da, fill=fl), 1), {'dtype': db})", "(da,db)=(f32,f64)|(f16,f64)|(bf16,f64)|(f16,f32)|(bf16,f32) fl='normal'|'mixed' ; (da,db)=(i32,f64)|(i32,i64)|(i16,i64)|(i16,f64) fl='edge' ; (da,db)=(c64,c128)|(f64,f64) fl='normal'", AY_QUICK },
		{ "((T([2, n], dt), 1), {})", "dt=f32|f16|i64 n=16385|20011", AY_QUICK },
		{ "((T([2, 3, 4, 3, 5], dt), d), {})", "dt=f32|i64 d=0|2|-1", AY_QUICK },
		{ "((T(s, dt), s == [200, 40999, 3] ? 1 : s == [16, 1025, 255] ? 1 : -1), {})", "dt=f16|f32|bf16 s=[1, 2]|[4096, 256]|[200, 40999, 3]|[2637]|[16, 1025, 255]", AY_FULL },
		{ "((T(s, dt, fill=int(-3, 2)), s == [200, 40999, 3] ? 1 : s == [16, 1025, 255] ? 1 : -1), {})", "dt=i16|i32 s=[1, 2]|[4096, 256]|[200, 40999, 3]|[2637]|[16, 1025, 255]", AY_FULL },
		{ "((T(s, dt), d), {})", "dt=f32|bf16 d=1|0 s=[512, 1024]|[4096, 4096]", AY_PERF },
	},
	.vary      = {{ "((T(s, da, fill=f), d), {'dtype': db})", "s=shape() d=dim(s) da=f32|f16|bf16|f64 db=None|None|None|f32|f16|bf16|f64 f='normal'|'mixed'|'normal(1, 1)'|'heavy'|'special'|'exact(-1, 1)' ; s=shape() d=dim(s) da=c64|c128 db=None|c64|c128 f='normal' ; s=shape() d=dim(s) da=i64|i32|i16|i8|u8|b8 db=None|None|None|i64|i32|i8|f32|f64 f='int(-100, 100)'|'int(0, 1)'" }},
	.accepts   = accepts,
	.result    = result,
	.rows      = ay_rows_dim,
	.reference = cumsum,
	.cost      = cost,
	.cuda_differs = cuda_differs,
	.promises  = "what comes behind terms whose sizes add up to more than f32 (f64) holds",
	.flags     = AY_INTEGRAL | AY_BY_ROWS,
}, {0}};
