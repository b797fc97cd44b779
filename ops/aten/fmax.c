/* SPDX-License-Identifier: Apache-2.0
 *
 * out = the larger of self and other, element by element; where one of them is NaN, the other one.
 *
 * Error: none, the result is one of the two, but for the sign of zero: 0 and -0 are equal, and either may be given.
 * Where promotion changes a dtype, the choice is rounded to it once.
 *
 * What the original test missed: one NaN in each operand, the second at another place, is all that tells fmax from
 * maximum; never NaN on both sides, infinities, zeros, ties, integers, bools, broadcasting, mixed dtypes, strides.
 *
 * Cases: original 18 (9 + 9 with out=), all sound and distinct; here 18 full, one element in a hundred NaN.
 */
#include "op/op.h"

static void larger(struct ay_ref *r)
{
	const struct ay_view *self = ay_t(r->c, "self"), *other = ay_t(r->c, "other");
	const num *a = ay_load_flat(r, self, 0), *b = ay_load_flat(r, other, 0);
	const enum ay_dt dt = r->c->out[0]->view.dt;
	const bool copied = self->dt == dt && other->dt == dt;

	for (int64_t i = r->lo; i < r->hi; i++) {
		num x = a[i - r->lo], y = b[i - r->lo];
		double mag;
		num m;

		if (!copied && ay_dt_is_integral(dt)) { /* what is negative wraps in u8 before it is compared */
			x = ay_cast(AY_DT_I64, dt, x, &mag);
			y = ay_cast(AY_DT_I64, dt, y, &mag);
		}
		m = isnan(re(y)) || re(x) > re(y) ? x : y;

		*ay_val(r, 0, i, 0) = m;
		*ay_mag(r, 0, i, 0) = copied && m != 0 ? -1 : 0;
	}
}

static int result(const struct ay_call *c, int k, struct ay_meta *m, struct ay_err *err)
{
	(void)k;
	return ay_result_broadcast(c, m, err, "self", "other", NULL);
}

static int accepts(const struct ay_call *c, struct ay_err *err)
{
	return ay_dt_is_complex(ay_t(c, "self")->dt) || ay_dt_is_complex(ay_t(c, "other")->dt)
		       ? ay_fail(err, AY_ERR_BIND, "complex numbers have no order")
		       : 0;
}

static void cost(const struct ay_call *c, struct ay_cost *k)
{
	const struct ay_view *out = &c->out[0]->view;

	k->flops = (double)ay_numel_of(out);
	k->bytes = -1;
	if (out->dt == AY_DT_B8)
		k->bytes = ay_touched(out); /* where one is true the other need not be read */
}

/* Half NaN, so that every way to meet one occurs. */
static double often_nan(const struct ay_call *c, const struct ay_operand *o, const struct ay_fill *f, int64_t i,
			uint64_t bits)
{
	(void)c, (void)o, (void)f, (void)i;
	return bits >> 63 ? NAN : (double)(int64_t)(bits >> 60) - 4;
}

static double seldom_nan(const struct ay_call *c, const struct ay_operand *o, const struct ay_fill *f, int64_t i,
			 uint64_t bits)
{
	(void)c, (void)o, (void)f, (void)i;
	return bits % 100 ? (double)(bits >> 11) * 0x1p-52 - 1 : NAN;
}

static const struct ay_maker makers[] = { { "often_nan", often_nan, .anywhere = true },
					  { "seldom_nan", seldom_nan, .anywhere = true },
					  { 0 } };

/* clang-format off */
#define PAIR "x=shape() (s,t)=(x, x)|(x, fits(x))|(fits(x), x)|(fits(x), fits(x))"
const struct ay_op ay_ops_fmax[] = {{
	.schemas   = AY_SCHEMAS("aten::fmax(Tensor self, Tensor other) -> Tensor",
				"aten::fmax.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)"),
	.doc       = "out = the larger of self and other, element by element; where one of them is NaN it is the other one, and NaN "
		     "only where both are (C's fmax). self and other are broadcast against each other; the result's dtype follows "
		     "PyTorch's type promotion. Integers and bools have no NaN and give their maximum; complex numbers are refused. "
		     "The sign of a zero is free.",
	.cases     = {
		{ "((T(s, dt), T(s, dt)), {})", "dt=f32|f16|bf16 s=[]|[1]|[0, 3]|[7]|[129]|[3, 65]|[5, 4, 33] ; dt=f64|i64|i32|i16|i8|u8|b8 s=[3, 65]", AY_QUICK },
		{ "((T([257], dt, fill=special), T([257], dt, fill=special)), {})", "dt=f32|f16|bf16|f64", AY_QUICK },
		{ "((T([3, 65], dt, fill=often_nan), T([3, 65], dt, fill=often_nan)), {})", "dt=f32|f16|bf16|f64", AY_QUICK },
		{ "((T([257], dt, fill=heavy), T([257], dt, fill=heavy)), {})", "dt=f32|f16|bf16", AY_QUICK },
		{ "((T([257], dt, fill=uniform(1, 1.01)), T([257], dt, fill=uniform(1, 1.01))), {})", "dt=f32|f16|bf16", AY_QUICK },
		{ "((T([65], dt, fill=int(-b, b)), T([65], dt, fill=int(-b, b))), {})", "(dt,b)=(i64,4000000000000000)|(i32,2000000000)|(i16,30000)|(i8,127)|(u8,255)", AY_QUICK },
		{ "((T([4], i64, data=[9007199254740993, 9223372036854775806, -9007199254740993, -9223372036854775807]), T([4], i64, data=[9007199254740992, 9223372036854775807, -9007199254740994, -9223372036854775806])), {})", "", AY_QUICK },
		{ "((T([6, 1, 9], dt), T([4, 1], dt)), {})", "dt=f32|f16|bf16|i32", AY_QUICK },
		{ "((T([31], da), T([31], db)), {})", "(da,db)=(f16,bf16)|(f16,f32)|(f32,f64)|(i8,u8)|(i32,i64)|(i64,f16)|(b8,i32)|(i32,f32)", AY_QUICK },
		{ "((T([3, 4], f32), T(s, dt)), {})", "dt=f16|f64|i32 s=[4]|[]", AY_QUICK },
		{ "((T([8, 33], dt, stride=(66, 2)), T([8, 33], dt, stride=(1, 8), offset=3)), {})", "dt=f32|f16|bf16", AY_QUICK },
		{ "((T([9, 16], dt, stride=(0, 1)), T([9, 16], dt, stride=(1, 0))), {})", "dt=f32|f16|i32", AY_QUICK },
		{ "aten::fmax.out((T(s, dt), T(s, dt)), {'out': T(s, dt, stride=st, offset=1)})", "dt=f32|f16|bf16|i32 (s,st)=([],[])|([0, 3],[3, 1])|([7],[3])|([3, 65],[65, 1])|([3, 65],[1, 4])", AY_QUICK },
		{ "((T([513], dt, fill=edge), T([513], dt, fill=edge)), {})", "dt=i64|i32", AY_QUICK },
		{ "((T([4, 5, 33], f32), T([4, 5, 33], f32, stride=st)), {})", "st=[1, 4, 20]|[33, 132, 1]|[5, 1, 20]", AY_QUICK },
		{ "((T([2, 3, 2, 2, 3, 5], dt), T(s, dt)), {})", "dt=f32|i64 s=[3, 1, 2, 3, 1]|[2, 1, 2, 1, 3, 5]", AY_QUICK },
		{ "((T([12347], dt), T([12347], dt)), {})", "dt=f32|i64", AY_QUICK },
		{ "((T(s, dt, fill=seldom_nan), T(s, dt, fill=seldom_nan)), {})", "dt=f32|f16|bf16 s=[2, 3]|[128, 256]|[512, 512]", AY_FULL },
		{ "aten::fmax.out((T(s, dt, fill=seldom_nan), T(s, dt, fill=seldom_nan)), {'out': T(s, dt)})", "dt=f32|f16|bf16 s=[2, 3]|[128, 256]|[512, 512]", AY_FULL },
		{ "((T(s, dt), T(s, dt)), {})", "dt=f32|f16|bf16 s=[512, 512]|[2048, 2048]", AY_PERF },
	},
	.vary      = {{ "((T(s, da, fill=f), T(t, db, fill=g)), {})", PAIR " da=f32|f16|bf16|f64 db=da|da|da|f32|bf16|f64|i64 f='normal'|'mixed'|'special'|'often_nan'|'uniform(1, 1.01)'|'heavy' g=db == da ? f : 'normal' ; " PAIR " da=i64|i32|i16|i8|u8|b8 db=da|da|i64|u8|f16|b8 f=da == b8 ? 'bool(0.3)' : 'int(-100, 100)' g=f" }},
	.makers    = makers,
	.accepts   = accepts,
	.result    = result,
	.reference = larger,
	.cost      = cost,
	.promises  = "the sign of a zero",
	.flags     = AY_ALIAS_SAFE,
}, {0}};
