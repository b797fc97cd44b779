/* SPDX-License-Identifier: Apache-2.0
 *
 * item and _local_scalar_dense, which item calls: out = the one element of self, as a number: bool for b8, int for
 * integers, float for floats, complex for complex.
 *
 * Judged exactly, kind and value: f16, bf16, f32 and 8-bit floats all fit in a double, i64 in an int. -0.0 keeps
 * its sign, NaN is NaN, a conjugated view gives the conjugate, a negated one the negative.
 *
 * What the original tests missed: they compare with ==, for which 3, 3.0 and True are equal, NaN is never right
 * and -0.0 is 0; 0-dim tensors of _local_scalar_dense by an absolute 1e-5, which passes a 0 that is one in 10^5.
 * They draw one normal number a dtype, never a bool, f64, complex, an integer beyond 2^53 or an infinity, and
 * never an element that does not lie at the start of its storage.
 *
 * Cases: item original 6, all sound; here 6 full. _local_scalar_dense original 8 (5 + 3), all sound; here 8 full.
 * There is nothing to time: on a GPU they wait for the queue, on a CPU it is one load.
 */
#include "op/op.h"

static int accepts(const struct ay_call *c, struct ay_err *err)
{
	const struct ay_view *self = ay_t(c, "self");

	if (ay_numel_of(self) != 1)
		return ay_fail(err, AY_ERR_BIND, "self has %lld elements; %s is for one",
			       (long long)ay_numel_of(self), c->s->base);
	return 0;
}

static void item(const struct ay_call *c, int k, struct ay_value *want)
{
	static const enum ay_kind kinds[] = { [AY_CLASS_BOOL] = AY_V_BOOL,
					      [AY_CLASS_INT] = AY_V_INT,
					      [AY_CLASS_FLOAT] = AY_V_FLOAT,
					      [AY_CLASS_COMPLEX] = AY_V_COMPLEX };
	const struct ay_view *self = ay_t(c, "self");
	long double complex x;

	(void)k;
	ay_row_load_lz(self->dt, self->data, 1, 1, &x);
	if (self->conj)
		x = conjl(x);
	if (self->neg)
		x = -x;
	*want = (struct ay_value){ .kind = kinds[ay_dt_info(self->dt)->cls] };
	switch (want->kind) {
	case AY_V_BOOL: want->b = creall(x) != 0; break;
	case AY_V_INT: want->i = (int64_t)creall(x); break;
	case AY_V_FLOAT: want->f = (double)creall(x); break;
	default: want->c[0] = (double)creall(x); want->c[1] = (double)cimagl(x);
	}
}

static void cost(const struct ay_call *c, struct ay_cost *k)
{
	k->flops = 0;
	k->bytes = ay_dt_info(ay_t(c, "self")->dt)->bytes;
}

/* clang-format off */
#define QUICK \
		{ "((T(s, dt),), {})", "dt=f32|f16|bf16|f64|i64|i32|i16|i8|c64|c128|c32 s=[]|[1]|[1, 1, 1] ; dt=u8|f8e4m3fn|f8e5m2 s=[]|[1]", AY_QUICK }, \
		{ "((T([], b8, data=[x]),), {})", "x=0|1", AY_QUICK }, \
		{ "((T([1], dt, data=[x]),), {})", "dt=f32|f16|bf16|f64 x=nan|inf|-inf|0.0|-0.0|0.1|-65504.0|5.960464477539063e-08", AY_QUICK }, \
		{ "((T([1], dt, data=[x]),), {})", "(dt,x)=(f32,1e-45)|(f32,3.4028234663852886e+38)|(f64,5e-324)|(f64,1.7976931348623157e+308)|(f64,0.1)|(bf16,3.3895313892515355e+38)", AY_QUICK }, \
		{ "((T([1], dt, data=[x]),), {})", "(dt,x)=(i64,9223372036854775807)|(i64,-9223372036854775807)|(i64,9007199254740993)|(i64,-9007199254740993)|(i32,2147483647)|(i32,-2147483648)|(i16,-32768)|(i8,-128)|(u8,255)|(u8,128)", AY_QUICK }, \
		{ "((T([1, 1], dt, stride=(7, 3), offset=o),), {})", "dt=f32|f16|i64|i8|c64 o=1|5", AY_QUICK }, \
		{ "((T([], dt, conj=True),), {})", "dt=c64|c128", AY_QUICK }

const struct ay_op ay_ops_item[] = {{
	.schemas   = AY_SCHEMAS("aten::item(Tensor self) -> Scalar"),
	.doc       = "out = the only element of self as a number: a bool for b8, an int for integer dtypes, a float for floating ones, a "
		     "complex for complex ones. The value is exact. self may have any number of dimensions, all of size 1. A kernel sets "
		     "out->kind (AY_SCALAR_BOOL, ..._INT, ..._FLOAT, ..._COMPLEX) and the member of out->v that belongs to it.",
	.cases     = {
		QUICK,
		{ "((T([1], dt),), {})", "dt=f16|f32|bf16|i16|i32|i64", AY_FULL },
	},
	.vary      = {{ "((v,), {})", "s=[]|[1]|[1, 1]|[1, 1, 1]|[1, 1, 1, 1, 1, 1] dt=f32|f16|bf16|f64|i64|i32|i16|i8|u8|c64|c128 o=0|0|1|5 v=T(s, dt)|T(s, dt, offset=o)|T(s, c64, conj=True)|T(s, b8, data=[1])|T(s, b8, data=[0])|T(s, f16, data=[nan])|T(s, f32, data=[-inf])|T(s, f64, data=[5e-324])|T(s, f32, data=[-0.0])|T(s, i64, data=[9007199254740993])|T(s, i64, data=[-9223372036854775807])|T(s, i32, data=[-2147483648])|T(s, u8, data=[255])" }},
	.accepts   = accepts,
	.scalar    = item,
	.cost      = cost,
	.flags     = AY_EXACT,
}, {
	.schemas   = AY_SCHEMAS("aten::_local_scalar_dense(Tensor self) -> Scalar"),
	.doc       = "out = the only element of self as a number: a bool for b8, an int for integer dtypes, a float for floating ones, a "
		     "complex for complex ones. The value is exact. self may have any number of dimensions, all of size 1. A kernel sets "
		     "out->kind (AY_SCALAR_BOOL, ..._INT, ..._FLOAT, ..._COMPLEX) and the member of out->v that belongs to it.",
	.cases     = {
		QUICK,
		{ "((T([1], dt, neg=True),), {})", "dt=f32|f64|c64", AY_QUICK },
		{ "((T([1], dt),), {})", "dt=f16|f32|bf16|i32|i64", AY_FULL },
		{ "((T([], dt),), {})", "dt=f16|f32|bf16", AY_FULL },
	},
	.vary      = {{ "((v,), {})", "s=[]|[1]|[1, 1]|[1, 1, 1]|[1, 1, 1, 1, 1, 1] dt=f32|f16|bf16|f64|i64|i32|i16|i8|u8|c64|c128 o=0|0|1|5 v=T(s, dt)|T(s, dt, offset=o)|T(s, c64, conj=True)|T(s, f32, neg=True)|T(s, b8, data=[1])|T(s, b8, data=[0])|T(s, f16, data=[nan])|T(s, f32, data=[-inf])|T(s, f64, data=[5e-324])|T(s, f32, data=[-0.0])|T(s, i64, data=[9007199254740993])|T(s, i64, data=[-9223372036854775807])|T(s, i32, data=[-2147483648])|T(s, u8, data=[255])" }},
	.accepts   = accepts,
	.scalar    = item,
	.cost      = cost,
	.flags     = AY_EXACT,
}, {0}};
