/* SPDX-License-Identifier: Apache-2.0
 *
 * y = max(x, 0); NaN stays NaN. The result is a choice, so it is exact, but for the sign of zero.
 */
#include "op/op.h"

static void relu(struct ay_ref *r)
{
	const num *x = ay_load_flat(r, ay_t(r->c, "self"), 0);

	for (int64_t i = r->lo; i < r->hi; i++) {
		num v = x[i - r->lo];

		*ay_val(r, 0, i, 0) = re(v) <= 0 ? 0 : v;
		*ay_mag(r, 0, i, 0) = re(v) > 0 ? -1 : 0;
	}
}

static int accepts(const struct ay_call *c, struct ay_err *err)
{
	enum ay_dt dt = ay_t(c, "self")->dt;

	return ay_dt_is_complex(dt) || dt == AY_DT_B8
		       ? ay_fail(err, AY_ERR_BIND, "relu has no meaning for %s", ay_dt_info(dt)->name)
		       : 0;
}

static void cost(const struct ay_call *c, struct ay_cost *k)
{
	k->flops = (double)ay_numel_of(ay_t(c, "self"));
	k->bytes = -1;
}

/* clang-format off */
const struct ay_op ay_ops_relu[] = {{
	.schemas   = AY_SCHEMAS("aten::relu(Tensor self) -> Tensor",
				"aten::relu.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"),
	.doc       = "out = max(self, 0), element by element. NaN stays NaN. Dtype and shape are those of self.",
	.cases     = {
		{ "((T(s, dt),), {})", "dt=f32|f16|bf16|f64 s=[]|[1]|[0, 3]|[7]|[129]|[3, 4117]|[2, 3, 4, 5]", AY_QUICK },
		{ "((T([257], dt, fill=fl),), {})", "fl='special' dt=f32|f16|bf16|f64 ; fl='edge' dt=i32|i64|u8", AY_QUICK },
		{ "((T([8, 33], dt, stride=(66, 2), offset=o),), {})", "dt=f32|f16 o=0|3", AY_QUICK },
		{ "((T([9, 16], dt, stride=st),), {})", "dt=f32|bf16 st=[1, 9]|[0, 1]|[1, 0]", AY_QUICK },
		{ "((T(s, dt),), {})", "dt=f32|f16|bf16 s=[1024, 1024]|[20, 320, 15]|[16, 128, 64, 60]", AY_FULL },
		{ "((T(s, dt),), {})", "dt=f32|bf16 s=[512, 1024]|[4096, 4096]", AY_PERF },
	},
	.vary      = {{ "((T(s, dt),), {})", "s=shape() dt=f32|f16|bf16|f64|i32|i64|u8" }},
	.accepts   = accepts,
	.reference = relu,
	.cost      = cost,
	.flags     = AY_EXTRA | AY_ALIAS_SAFE,
}, {
	.schemas   = AY_SCHEMAS("aten::relu_(Tensor(a!) self) -> Tensor(a!)"),
	.doc       = "self = max(self, 0) in place, element by element. NaN stays NaN.",
	.accepts   = accepts,
	.reference = relu,
	.cost      = cost,
	.flags     = AY_EXTRA | AY_ALIAS_SAFE,
}, {0}};
