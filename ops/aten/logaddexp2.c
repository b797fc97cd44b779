/* SPDX-License-Identifier: Apache-2.0
 *
 * out = log2(2^self + 2^other) = m + log2(1 + 2^-d), m the larger of the two, d the distance between them.
 *
 * Error: with t = 2^-d, which is at most 1, the last sum is off by |m| + t, the logarithm and the exponential by a few
 * t, and rounding d moves t by d t: mag = |m| + (2 + d) t. Where m is near 0 and the other far below, the result is
 * the logarithm alone and small: log1p has it, as PyTorch does, log2(1 + t) rounds t away and is refused.
 *
 * What the original test missed: normal numbers are never far apart, so 2^self + 2^other without the larger taken out
 * passes, which overflows from 128 on. Never tested: infinities (two of the same sign make NaN of d), NaN, large or
 * small distances, f64, broadcasting, mixed dtypes, strides.
 *
 * Cases: original 18 (9 + 9 with out=), all sound and distinct; here 18 full.
 */
#include "op/op.h"

static void logaddexp2(struct ay_ref *r)
{
	const num *a = ay_load_flat(r, ay_t(r->c, "self"), 0), *b = ay_load_flat(r, ay_t(r->c, "other"), 0);
	const enum ay_dt dt = r->c->out[0]->view.dt;
	const bool a_moves = ay_is_converted(r->c, "self", dt), b_moves = ay_is_converted(r->c, "other", dt);
	const real per_bit = (real)1.442695040888963407359924681001892137L; /* 1 / ln 2 */

	for (int64_t i = r->lo; i < r->hi; i++) {
		real x = re(a[i - r->lo]), y = re(b[i - r->lo]), m = x > y ? x : y, d = fabs(x - y), t = exp2(-d);

		if (x == y) /* infinities have no distance */
			d = 0, t = 1;
		*ay_val(r, 0, i, 0) = m + log1p(t) * per_bit;
		*ay_mag(r, 0, i, 0) = (double)(fabs(m) + (t > 0 ? (2 + d) * t : 0)) +
				      (a_moves ? ay_err_convert(dt, x) : 0) +
				      (b_moves ? ay_err_convert(dt, y) : 0);
		if (isnan(x) || isnan(y))
			*ay_val(r, 0, i, 0) = NAN;
	}
}

static int result(const struct ay_call *c, int k, struct ay_meta *m, struct ay_err *err)
{
	(void)k;
	return ay_result_broadcast(c, m, err, "self", "other", NULL);
}

static int accepts(const struct ay_call *c, struct ay_err *err)
{
	struct ay_meta m = { .dt = AY_DT_NONE };

	if (result(c, 0, &m, err))
		return -1;
	return ay_dt_is_float(m.dt)
		       ? 0
		       : ay_fail(err, AY_ERR_BIND, "logaddexp2 has no meaning for %s", ay_dt_info(m.dt)->name);
}

static void cost(const struct ay_call *c, struct ay_cost *k)
{
	k->flops = 20.0 * (double)ay_numel_of(&c->out[0]->view); /* an exponential and a logarithm */
	k->bytes = -1;
}

/* clang-format off */
#define PAIR "x=shape() (s,t)=(x, x)|(x, fits(x))|(fits(x), x)|(fits(x), fits(x))"
const struct ay_op ay_ops_logaddexp2[] = {{
	.schemas   = AY_SCHEMAS("aten::logaddexp2(Tensor self, Tensor other) -> Tensor",
				"aten::logaddexp2.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)"),
	.doc       = "out = log2(2^self + 2^other), element by element, computed so that nothing overflows: the larger of the two plus "
		     "log1p(2^-|self - other|) / ln 2. self and other are broadcast against each other; the result's dtype follows "
		     "PyTorch's type promotion and must be a real float. Half types are computed in f32 and rounded once. NaN gives NaN; "
		     "two infinities of one sign give that infinity, of different signs +inf; -inf beside x gives x.",
	.cases     = {
		{ "((T(s, dt), T(s, dt)), {})", "dt=f32|f16|bf16|f64 s=[]|[1]|[0, 3]|[7]|[129]|[3, 65]|[5, 4, 33]", AY_QUICK },
		{ "((T([513], dt, fill=special), T([513], dt, fill=special)), {})", "dt=f32|f16|bf16|f64", AY_QUICK },
		{ "((T([6], dt, data=[inf, -inf, inf, -inf, nan, 0.5]), T([6], dt, data=[inf, -inf, -inf, 3.0, inf, nan])), {})", "dt=f32|f16|bf16|f64", AY_QUICK },
		{ "((T([257], dt, fill=normal(x, 9)), T([257], dt, fill=normal(x, 9))), {})", "dt=f32|f16|bf16|f64 x=0|-200|200|2000", AY_QUICK },
		{ "((T([257], dt, fill=heavy), T([257], dt, fill=heavy)), {})", "dt=f32|f16|bf16|f64", AY_QUICK },
		{ "((T([257], dt, fill=uniform(-1.01, -0.99)), T([257], dt, fill=uniform(-1.01, -0.99))), {})", "dt=f32|f16|bf16|f64", AY_QUICK }, /* the result is near 0 */
		{ "((T([257], dt, fill=zeros), T([257], dt, fill=uniform(-24, -4))), {})", "dt=f32|f16|bf16|f64", AY_QUICK }, /* log1p alone */
		{ "((T([6, 1, 9], dt), T([4, 1], dt)), {})", "dt=f32|f16|bf16", AY_QUICK },
		{ "((T([31], da), T([31], db)), {})", "(da,db)=(f16,bf16)|(f16,f32)|(f32,f64)|(bf16,f32)|(i32,f32)|(f16,i64)", AY_QUICK },
		{ "((T([3, 4], f32), T(s, dt)), {})", "dt=f16|f64 s=[4]|[]", AY_QUICK },
		{ "((T([8, 33], dt, stride=(66, 2)), T([8, 33], dt, stride=(1, 8), offset=3)), {})", "dt=f32|f16|bf16", AY_QUICK },
		{ "((T([9, 16], dt, stride=(0, 1)), T([9, 16], dt, stride=(1, 0))), {})", "dt=f32|f16", AY_QUICK },
		{ "aten::logaddexp2.out((T(s, dt), T(s, dt)), {'out': T(s, dt, stride=st, offset=1)})", "dt=f32|f16|bf16|f64 (s,st)=([],[])|([0, 3],[3, 1])|([7],[3])|([3, 65],[65, 1])|([3, 65],[1, 4])", AY_QUICK },
		{ "((T(s, dt), T(s, dt)), {})", "dt=f32|f16|bf16 s=[2, 3]|[128, 256]|[512, 512]", AY_FULL },
		{ "aten::logaddexp2.out((T(s, dt), T(s, dt)), {'out': T(s, dt)})", "dt=f32|f16|bf16 s=[2, 3]|[128, 256]|[512, 512]", AY_FULL },
		{ "((T(s, dt), T(s, dt)), {})", "dt=f32|f16|bf16 s=[512, 512]|[2048, 2048]", AY_PERF },
	},
	.vary      = {{ "((T(s, da, fill=f), T(t, db, fill=g)), {})", PAIR " da=f32|f16|bf16|f64 db=da|da|da|f32|bf16|f64|i64|u8 f='normal'|'mixed'|'special'|'normal(0, 9)'|'normal(-200, 9)'|'uniform(-1.01, -0.99)'|'heavy' g=db == da ? f : 'normal' ; " PAIR " da=i32|i64|b8 db=f32|f16|f64 f='normal' g='normal'" }},
	.accepts   = accepts,
	.result    = result,
	.reference = logaddexp2,
	.cost      = cost,
	.flags     = AY_ALIAS_SAFE,
}, {0}};
