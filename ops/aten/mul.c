/* SPDX-License-Identifier: Apache-2.0
 *
 * out = self * other, element by element, with broadcasting and type promotion; either may be a number.
 *
 * Error: one rounding, mag = |self * other|. A tensor of another dtype may be rounded to the result's first. The
 * product of two half numbers fits into f32, so theirs is rounded to the dtype and nowhere else. A complex product has
 * four real ones, whose sizes add up to no more than |self| |other|: its parts may cancel, and are then off by that
 * much. Integers wrap; two bools give their "and".
 *
 * ATen on the CPU rounds a number that stands first to a half dtype before it multiplies, one that stands second not.
 *
 * What the original test missed: nothing is broadcast, mixed, strided, an integer, a bool or complex, nothing
 * overflows or is not finite, and an absolute tolerance of 1e-4 hides all of 0.001 * other below 0.1.
 *
 * Cases: original 164 (18 + 72 + 72 + 2), all distinct; here 164, of which the two of plain numbers are quick: the
 * original has them on the CPU, where no candidate is called. mul.left_t and .right_ repeat lists; mul.int, .float,
 * .complex and their mixtures take no tensors.
 */
#include "op/op.h"

static void mul(struct ay_ref *r)
{
	const num *a = ay_load_flat(r, ay_t(r->c, "self"), 0), *b = ay_load_flat(r, ay_t(r->c, "other"), 0);
	const enum ay_dt dt = r->c->out[0]->view.dt;
	const bool a_moves = ay_is_converted(r->c, "self", dt), b_moves = ay_is_converted(r->c, "other", dt);

	for (int64_t i = r->lo; i < r->hi; i++) {
		num x = a[i - r->lo], y = b[i - r->lo];

		*ay_val(r, 0, i, 0) = ay_times(r, x, y);
		*ay_mag(r, 0, i, 0) = (double)(fabs(x) * fabs(y));
		if (a_moves && y != 0)
			*ay_mag(r, 0, i, 0) += (double)fabs(y) * ay_err_convert(dt, x);
		if (b_moves && x != 0)
			*ay_mag(r, 0, i, 0) += (double)fabs(x) * ay_err_convert(dt, y);
	}
}

static int result(const struct ay_call *c, int k, struct ay_meta *m, struct ay_err *err)
{
	(void)k;
	return ay_result_broadcast(c, m, err, "self", "other", NULL);
}

static const char *aten_differs(const struct ay_call *c)
{
	const enum ay_dt dt = c->out[0]->view.dt;

	return (dt == AY_DT_F16 || dt == AY_DT_BF16) && ay_is_number(c, "self")
		       ? "a number that stands first is rounded to half types"
		       : NULL;
}

static double read_of(const struct ay_call *c, const char *name)
{
	return ay_is_number(c, name) ? 0 : ay_touched(ay_t(c, name));
}

static void cost(const struct ay_call *c, struct ay_cost *k)
{
	const struct ay_view *out = &c->out[0]->view;

	k->flops = (ay_dt_is_complex(out->dt) ? 6.0 : 1.0) * (double)ay_numel_of(out);
	k->bytes = -1;
	if (ay_dt_is_integral(out->dt)) /* 0 makes 0 of everything: what stands beside it need not be read */
		k->bytes = ay_touched(out) + fmin(read_of(c, "self"), read_of(c, "other"));
}

/* clang-format off */
const struct ay_op ay_ops_mul[] = {{
	.schemas   = AY_SCHEMAS("aten::mul.Tensor(Tensor self, Tensor other) -> Tensor",
				"aten::mul.Scalar(Tensor self, Scalar other) -> Tensor",
				"aten::mul.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)",
				"aten::mul.Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)"),
	.doc       = "out = self * other, element by element. self and other are broadcast against each other; the result's dtype "
		     "follows PyTorch's type promotion (a number or a 0-dim tensor only counts if its kind is higher). Half types are "
		     "computed in f32, a number as given, and rounded once; what is too large becomes infinite, and 0 times infinity is "
		     "NaN. Integers wrap around; two bools give their \"and\".",
	.cases     = {
		{ "((T(s, dt), T(s, dt)), {})", "dt=f32|f16|bf16 s=[]|[1]|[0, 3]|[7]|[129]|[3, 65]|[5, 4, 33] ; dt=f64|c64|c128|i64|i32|i16|i8|u8|b8 s=[3, 65]", AY_QUICK },
		{ "((T([65], dt, fill=int(-b, b)), T([65], dt, fill=int(-b, b))), {})", "(dt,b)=(i64,4000000000000000)|(i32,2000000000)|(i16,30000)|(i8,127)|(u8,255)", AY_QUICK },
		{ "((T([6, 1, 9], dt), T([4, 1], dt)), {})", "dt=f32|f16|bf16|i32", AY_QUICK },
		{ "((T([3, 4], f32), T(s, dt)), {})", "dt=f16|f64|i32|b8 s=[3, 4]|[4]|[]", AY_QUICK },
		{ "((T([31], da), T([31], db)), {})", "(da,db)=(f16,bf16)|(i8,u8)|(i32,i64)|(i64,f16)|(b8,i32)|(f16,f32)|(f32,c64)|(c64,f64)|(b8,bf16)", AY_QUICK },
		{ "((T([8, 33], dt, stride=(66, 2)), T([8, 33], dt, stride=(1, 8), offset=3)), {})", "dt=f32|f16|bf16", AY_QUICK },
		{ "((T([9, 16], dt, stride=(0, 1)), T([9, 16], dt, stride=(1, 0))), {})", "dt=f32|f16", AY_QUICK },
		{ "((T([257], dt, fill=special), T([257], dt, fill=special)), {})", "dt=f32|f16|bf16|f64", AY_QUICK },
		{ "((T([257], dt, fill=heavy(x)), T([257], dt, fill=heavy(x))), {})", "(dt,x)=(f32,1)|(f16,1)|(bf16,1)|(f16,0.0001)", AY_QUICK }, /* f16: overflow, subnormals */
		{ "((T([257], dt, fill=exact), T([257], dt, fill=exact)), {})", "dt=f32|f16|bf16|i32", AY_QUICK },
		{ "((x, T([7, 9], dt)), {})", "dt=f32|f16|bf16 x=2|0.001 ; dt=i32 x=3", AY_QUICK },
		{ "((x, y), {})", "(x,y)=(0.75,-3.5)|(7,-5)", AY_QUICK },
		{ "aten::mul.Scalar((T(s, dt), x), {})", "dt=f32|f16|bf16 x=0.001|-3 s=[]|[0]|[3, 65] ; dt=i32 x=7|0.5 s=[3, 65] ; dt=b8 x=3 s=[65] ; dt=c64 x=2.5|(1+2j) s=[3, 65] ; dt=f32 x=(1+2j) s=[3, 65]", AY_QUICK },
		{ "((T([257], dt, fill=edge), T([257], dt, fill=edge)), {})", "dt=i64|i32|i16", AY_QUICK },
		{ "aten::mul.Scalar((T([65], i64, fill=edge), x), {})", "x=3|9007199254740993", AY_QUICK },
		{ "((T([4, 5, 33], dt), T([4, 5, 33], dt, stride=st)), {})", "dt=f32|i64 st=[1, 4, 20]|[33, 132, 1]|[5, 1, 20]", AY_QUICK },
		{ "((T([2, 3, 2, 2, 3, 5], dt), T(s, dt)), {})", "dt=f32|i32 s=[2, 3, 2, 2, 3, 5]|[3, 1, 2, 3, 1]|[2, 1, 2, 1, 3, 5]", AY_QUICK },
		{ "((T([2, 3, 4, 1, 5], dt), T([2, 1, 4, 3, 5], dt)), {})", "dt=f32|f16", AY_QUICK },
		{ "((T([12347], dt), T([12347], dt)), {})", "dt=f32|bf16", AY_QUICK },
		{ "((T(s, dt), T(s, dt)), {})", "dt=f16|f32|bf16 s=[]|[1]|[1024, 1024]|[20, 320, 15]|[16, 128, 64, 60]|[16, 7, 57, 32, 29]", AY_FULL },
		{ "aten::mul.Scalar((T(s, dt), x), {})", "dt=f16|f32|bf16 x=0.001|-0.999|100.001|-111.999 s=[]|[1]|[1024, 1024]|[20, 320, 15]|[16, 128, 64, 60]|[16, 7, 57, 32, 29]", AY_FULL },
		{ "((x, T(s, dt)), {})", "dt=f16|f32|bf16 x=0.001|-0.999|100.001|-111.999 s=[]|[1]|[1024, 1024]|[20, 320, 15]|[16, 128, 64, 60]|[16, 7, 57, 32, 29]", AY_FULL },
		{ "((T(s, dt), T(s, dt)), {})", "dt=f32|f16|bf16 s=[512, 1024]|[1024, 1024]|[16, 128, 64, 60]", AY_PERF },
		{ "aten::mul.Scalar((T(s, dt), 0.125), {})", "dt=f32|bf16 s=[512, 1024]|[16, 128, 64, 60]", AY_PERF },
	},
	.vary      = {
		{ "((T(s, da, fill=fa), T(t, db, fill=fb)), {})", "s=shape() t=fits(s) da=f32|f16|bf16|f64|c64|c128|i64|i32|i16|i8|u8|b8 db=da|da|f32|(da == c64 ? c64 : da == c128 ? c64 : f16)|bf16|f64|(da == f16 ? f32 : c64)|(da == f16 ? f64 : c128)|i64|i32|i16|i8|u8|b8 fa=None fb=None ; s=shape() t=fits(s) da=f32|f16|bf16|f64 db=da|f32|bf16 fa=None|'special'|'heavy' fb=None|'special'|'heavy'|'exact'" },
		{ "((T(t, da, fill=fa), T(s, db, fill=fb)), {})", "s=shape() t=fits(s) da=f32|f16|bf16|f64|c64|c128|i64|i32|i16|i8|u8|b8 db=da|da|f32|(da == c64 ? c64 : da == c128 ? c64 : f16)|bf16|f64|(da == f16 ? f32 : c64)|(da == f16 ? f64 : c128)|i64|i32|i16|i8|u8|b8 fa=None fb=None ; s=shape() t=fits(s) (da,fa)=(i64,'int(-9000000000000000, 9000000000000000)')|(i32,'int(-2147483648, 2147483647)')|(i16,'int(-32768, 32767)')|(i8,'int(-128, 127)')|(u8,'int(0, 255)') db=da|i64|i32 fb=fa" },
		{ "((x, T(s, dt)), {})", "s=shape() dt=f32|f16|bf16|f64|c64|c128 x=2|0.001|-111.999|True|inf ; s=shape() dt=i64|i32|i16|i8|u8|b8 x=3|-7|0.5|True ; s=shape() dt=f32|bf16|f64|c64|i32 x=(1-2j)" },
		{ "aten::mul.Scalar((T(s, dt), x), {})", "s=shape() dt=f32|f16|bf16|f64|c64|c128 x=2|0.001|-111.999|True|inf ; s=shape() dt=i64|i32|i16|i8|u8|b8 x=3|-7|0.5|True ; s=shape() dt=f32|bf16|f64|c64|i32 x=(1-2j)" },
	},
	.result    = result,
	.reference = mul,
	.cost      = cost,
	.aten_differs = aten_differs,
	.flags     = AY_ALIAS_SAFE | AY_INTEGRAL,
}, {0}};
