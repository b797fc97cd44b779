/* SPDX-License-Identifier: Apache-2.0
 *
 * out = 0 where self < 0, values where self == 0, 1 where self > 0.
 *
 * Error: none, but for the sign of zero: 0 is computed or copied, and kernels that select by arithmetic lose the sign
 * of a -0 in values. PyTorch gives 0 where self is NaN (NumPy: NaN), on the CPU and on GPUs alike, and values,
 * whatever it is, at -0 too.
 *
 * What the original test missed: values is finite and normal, so that (self > 0) + (self == 0) * values, which makes
 * NaN of an infinite value beside a self that is not 0, passes. Never tested: NaN, infinities, -0, integers, bools,
 * broadcasting, strides.
 *
 * Cases: original 18 (9 + 9 with out=), all sound and distinct; here 18 full, self whole numbers, so that a fifth of
 * them is 0 (there a tenth).
 */
#include "op/op.h"

static void step(struct ay_ref *r)
{
	const num *a = ay_load_flat(r, ay_t(r->c, "self"), 0), *b = ay_load_flat(r, ay_t(r->c, "values"), 0);

	for (int64_t i = r->lo; i < r->hi; i++) {
		num x = a[i - r->lo], y = x == 0 ? b[i - r->lo] : (num)(re(x) > 0);

		*ay_val(r, 0, i, 0) = y;
		*ay_mag(r, 0, i, 0) = y != 0 ? -1 : 0;
	}
}

static int result(const struct ay_call *c, int k, struct ay_meta *m, struct ay_err *err)
{
	(void)k;
	return ay_result_broadcast(c, m, err, "self", "values", NULL);
}

/* PyTorch does not mix dtypes here. */
static int accepts(const struct ay_call *c, struct ay_err *err)
{
	const enum ay_dt dt = ay_t(c, "self")->dt;

	if (ay_dt_is_complex(dt))
		return ay_fail(err, AY_ERR_BIND, "complex numbers have no order");
	if (ay_t(c, "values")->dt != dt)
		return ay_fail(err, AY_ERR_BIND, "self and values must have one dtype");
	return 0;
}

static void cost(const struct ay_call *c, struct ay_cost *k)
{
	k->flops = (double)ay_numel_of(&c->out[0]->view);
	/* values is read where self is 0, which may be nowhere */
	k->bytes = ay_touched(&c->out[0]->view) + ay_touched(ay_t(c, "self"));
}

/* clang-format off */
#define PAIR "x=shape() (s,t)=(x, x)|(x, fits(x))|(fits(x), x)|(fits(x), fits(x))"
const struct ay_op ay_ops_heaviside[] = {{
	.schemas   = AY_SCHEMAS("aten::heaviside(Tensor self, Tensor values) -> Tensor",
				"aten::heaviside.out(Tensor self, Tensor values, *, Tensor(a!) out) -> Tensor(a!)"),
	.doc       = "out = 0 where self < 0, values where self == 0 (-0 too), 1 where self > 0, element by element; 0 where self is NaN. "
		     "self and values have the same dtype, which is the result's, and are broadcast against each other. values is "
		     "copied as it is, also NaN and infinities, and counts nowhere else. Complex numbers are refused. The sign of a "
		     "zero is free.",
	.cases     = {
		{ "((T(s, dt), T(s, dt)), {})", "dt=f32|f16|bf16 s=[]|[1]|[0, 3]|[7]|[129]|[3, 65]|[5, 4, 33] ; dt=f64|i64|i32|i16|i8|u8|b8 s=[3, 65]", AY_QUICK },
		{ "((T([257], dt, fill=special), T([257], dt, fill=special)), {})", "dt=f32|f16|bf16|f64", AY_QUICK },
		{ "((T([257], dt), T([257], dt, fill=special)), {})", "dt=f32|f16|bf16|f64", AY_QUICK },
		{ "((T([65], dt, fill=zeros), T([65], dt)), {})", "dt=f32|f16|bf16|i32", AY_QUICK },
		{ "((T([6, 1, 9], dt), T([4, 1], dt)), {})", "dt=f32|f16|bf16|i32", AY_QUICK },
		{ "((T([3, 65], dt), T(s, dt)), {})", "dt=f32|f16|i64 s=[]|[1]", AY_QUICK },
		{ "((T([8, 33], dt, stride=(66, 2)), T([8, 33], dt, stride=(1, 8), offset=3)), {})", "dt=f32|f16|bf16", AY_QUICK },
		{ "((T([9, 16], dt, stride=(0, 1)), T([9, 16], dt, stride=(1, 0))), {})", "dt=f32|f16|i32", AY_QUICK },
		{ "aten::heaviside.out((T(s, dt), T(s, dt)), {'out': T(s, dt, stride=st, offset=1)})", "dt=f32|f16|bf16|i32 (s,st)=([],[])|([0, 3],[3, 1])|([7],[3])|([3, 65],[65, 1])|([3, 65],[1, 4])", AY_QUICK },
		{ "((T([257], dt, fill=int(-1, 1)), T([257], dt, fill=edge)), {})", "dt=i64|i32", AY_QUICK },
		{ "((T([257], i64, fill=edge), T([257], i64)), {})", "", AY_QUICK },
		{ "((T([2, 3, 2, 2, 3, 5], dt), T(s, dt)), {})", "dt=f32|i64 s=[3, 1, 2, 3, 1]|[2, 1, 2, 1, 3, 5]", AY_QUICK },
		{ "((T([12347], dt), T([12347], dt)), {})", "dt=f32", AY_QUICK },
		{ "((T(s, dt), T(s, dt)), {})", "dt=f32|f16|bf16 s=[2, 3]|[128, 256]|[512, 512]", AY_FULL },
		{ "aten::heaviside.out((T(s, dt), T(s, dt)), {'out': T(s, dt)})", "dt=f32|f16|bf16 s=[2, 3]|[128, 256]|[512, 512]", AY_FULL },
		{ "((T(s, dt), T(s, dt)), {})", "dt=f32|f16|bf16 s=[512, 512]|[2048, 2048]", AY_PERF },
	},
	.vary      = {{ "((T(s, dt, fill=f), T(t, dt, fill=g)), {})", PAIR " dt=f32|f16|bf16|f64 f='int(-2, 2)'|'int(-1, 1)'|'mixed'|'special'|'zeros' g='normal'|'special'|'int(-9, 9)' ; " PAIR " dt=i64|i32|i16|i8|u8|b8 f='int(-2, 2)'|'int(0, 1)' g='int(-9, 9)'|'int(0, 100)'" }},
	.fills     = "self=int(-2, 2); values=int(-9, 9)",
	.accepts   = accepts,
	.result    = result,
	.reference = step,
	.cost      = cost,
	.promises  = "the sign of a zero",
	.flags     = AY_ALIAS_SAFE,
}, {0}};
