/* SPDX-License-Identifier: Apache-2.0
 *
 * out = log(x / (1 - x)), x = self clamped to [eps, 1 - eps] where eps is given.
 *
 * Error: the quotient is rounded twice, and a logarithm turns a relative error of its argument into an absolute one:
 * mag = 2 (|out| + 1). 1 - x is exact from 1/2 on, so the result keeps its digits near 1. The bounds of the clamp
 * are numbers of the type that is computed in, f32 for f32 and the half types: 1 - 1e-6 is 0.99999899 there, and
 * elements that are clamped get its logit.
 *
 * What the original test missed: for f16 and bf16 rounding to the storage type makes 1 - 1e-6 a 1 and its logit
 * infinite; the reference does so and infinity equals infinity. Never tested: 0 and 1 without eps, values outside of
 * [0, 1], NaN, f64, integers, strides; an absolute tolerance of 1e-4 hides what happens around 1/2, where it is 0.
 *
 * Cases: original 54 (27 + 27 out), all distinct and sound but for the clamp of half types; here 54 full.
 *
 * ATen on the CPU computes half types in half: 1 - eps, 1 - x and the quotient are rounded, each of them. On a GPU
 * it computes in f32 as described.
 */
#include "op/op.h"

/* PyTorch: a negative eps is as good as none. */
static double eps_of(const struct ay_call *c)
{
	return ay_is_none(c, "eps") ? -1 : ay_float(c, "eps");
}

static int accepts(const struct ay_call *c, struct ay_err *err)
{
	if (!(eps_of(c) <= 0.5))
		return ay_fail(err, AY_ERR_BIND,
			       "eps is at most 1/2: else there is nothing between eps and 1 - eps");
	return ay_accepts_float(c, false, err);
}

static void logit(struct ay_ref *r)
{
	const struct ay_view *self = ay_t(r->c, "self");
	const bool wide = self->dt == AY_DT_F64, integers = ay_dt_is_integral(self->dt);
	const double eps = eps_of(r->c), lo = wide ? eps : (float)eps, hi = wide ? 1 - eps : 1 - (float)eps;
	const num *x = ay_load_flat(r, self, 0);

	for (int64_t i = r->lo; i < r->hi; i++) {
		real v = integers ? (float)re(x[i - r->lo]) : re(x[i - r->lo]), y;

		if (eps >= 0 && v < lo)
			v = lo;
		if (eps >= 0 && v > hi)
			v = hi;
		y = log(v / (1 - v)); /* below 0 and above 1 the quotient is negative: NaN */
		*ay_val(r, 0, i, 0) = y;
		*ay_mag(r, 0, i, 0) = 2 * ((double)fabs(y) + 1);
	}
}

static const char *aten_differs(const struct ay_call *c)
{
	const enum ay_dt dt = ay_t(c, "self")->dt;

	return dt == AY_DT_F16 || dt == AY_DT_BF16
		       ? "bounds and quotient are rounded to half types before the logarithm"
		       : NULL;
}

static void cost(const struct ay_call *c, struct ay_cost *k)
{
	k->flops = 20.0 * (double)ay_numel_of(ay_t(c, "self")); /* a quotient and a logarithm */
	k->bytes = -1;
}

/* clang-format off */
const struct ay_op ay_ops_logit[] = {{
	.schemas   = AY_SCHEMAS("aten::logit(Tensor self, float? eps=None) -> Tensor",
				"aten::logit.out(Tensor self, float? eps=None, *, Tensor(a!) out) -> Tensor(a!)"),
	.doc       = "out = log(x / (1 - x)), element by element, in self's shape. x is self; with eps (at most 1/2) elements below eps become "
		     "eps and those above 1 - eps become 1 - eps. Without eps, or with a negative one, 0 gives -infinity, 1 infinity, and what is "
		     "outside of [0, 1] NaN; NaN stays NaN either way. Half types are computed in f32, the bounds too, and rounded once; integers "
		     "and bools are converted to f32 first and give f32.",
	.cases     = {
		{ "((T(s, dt), e), {})", "e=None|0.001 dt=f32|f16|bf16 s=[]|[1]|[0, 3]|[7]|[3, 65]|[2, 3, 4, 5] ; e=None|0.1 dt=f64 s=[0]|[3, 65]", AY_QUICK },
		{ "((T([257], dt, fill=uniform(lo, hi)), e), {})", "dt=f32|f16|bf16|f64 (lo,hi,e)=(0,1,0.25)|(-0.5,1.5,None)|(-0.5,1.5,1e-6)|(0.49,0.51,None)|(0,0.001,None)|(0.98,1,None)|(0.98,1,0.01)|(-0.5,1.5,0.0)", AY_QUICK },
		{ "((T([257], dt, fill=special(m)), e), {})", "dt=f32|f16|bf16|f64 (m,e)=(0.5,None)|(0.5,1e-06)", AY_QUICK },
		{ "((T([9], dt, data=[0.0, -0.0, 1.0, 0.5, 0.25, -1.0, 2.0, inf, nan]), e), {})", "dt=f32|f16|bf16|f64 e=None|1e-06|0.0|-1.0", AY_QUICK },
		{ "((T([33], dt, fill=int(-1, 2)), e), {})", "dt=i64|i32|i16|i8|u8 e=None|0.01", AY_QUICK },
		{ "((T([9], b8, fill=bool), 0.01), {})", "", AY_QUICK },
		{ "((T([8, 33], dt, stride=(66, 2), offset=o), 0.01), {})", "dt=f32|f16|bf16 o=0|3", AY_QUICK },
		{ "((T([9, 16], dt, stride=st),), {})", "dt=f32|bf16 st=[1, 9]|[0, 1]|[1, 0]", AY_QUICK },
		{ "aten::logit.out((T(s, dt), e), {'out': T(s, dt, stride=st, offset=o)})", "dt=f32|f16|bf16 (s,st,o,e)=([],None,0,None)|([0, 3],None,0,0.1)|([7],[2],1,0.1)|([3, 65],[1, 3],0,None)|([3, 65],[130, 2],3,0.1)", AY_QUICK },
		{ "((T(s, dt, fill=uniform(lo, hi)), e), {})", "(e,lo,hi)=(None,0.001,0.999)|(1e-06,-0.01,1.01)|(0.001,-0.01,1.01) dt=f32|f16|bf16 s=[2, 3]|[128, 256]|[512, 512]", AY_FULL },
		{ "aten::logit.out((T(s, dt, fill=uniform(lo, hi)), e), {'out': T(s, dt)})", "(e,lo,hi)=(None,0.001,0.999)|(1e-06,-0.01,1.01)|(0.001,-0.01,1.01) dt=f32|f16|bf16 s=[2, 3]|[128, 256]|[512, 512]", AY_FULL },
		{ "((T(s, dt), 1e-06), {})", "dt=f32|bf16 s=[512, 1024]|[16, 128, 64, 60]", AY_PERF },
	},
	.vary      = {{ "((T(s, dt, fill=f), e), {})", "s=shape() dt=f32|f16|bf16|f64 e=None|None|0.001|1e-06|0.25|0.4|0.0|-1.0 f='uniform(0.05, 0.95)'|'uniform(-0.5, 1.5)'|'uniform(0.49, 0.51)'|'uniform(0, 0.01)'|'uniform(0.9, 1)'|'special(0.5)'|'mixed' ; s=shape() dt=i64|i32|i16|i8|u8|b8 e=None|0.01 f='int(-1, 2)'|'int(0, 1)'" }},
	.fills     = "self=uniform(0.05, 0.95)",
	.accepts   = accepts,
	.result    = ay_result_float,
	.reference = logit,
	.cost      = cost,
	.aten_differs = aten_differs,
	.flags     = AY_ALIAS_SAFE,
}, {0}};
