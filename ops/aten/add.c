/* SPDX-License-Identifier: Apache-2.0
 *
 * out = self + alpha * other, with broadcasting and type promotion; add_ writes self. sub takes alpha * other away
 * from self, rsub alpha * self from other.
 *
 * Error: the product and the sum are rounded once each, in f32 for half types, so mag = |self| + |alpha * other|.
 * Integers wrap; two bools give their "or", and have no difference. The original grids never broadcast, mix dtypes
 * or strides, and have no integers, no alpha = 1 (rsub has) and nothing that is not finite: the quick rows do. An
 * absolute tolerance of 1e-4 there hides what becomes of 0.001 * other in elements that cancel.
 *
 * Cases: sub: original 650, all distinct; here 650, of which the two of plain numbers are quick: the original has
 * them on the CPU, where no candidate is called. rsub: original 144, all sound and distinct; here 144, half of them
 * with out=. sub.int, .float, .complex and their mixtures take no tensors.
 *
 * ATen on the CPU rounds alpha, and self or other where it is a number, to a half dtype before it computes, and
 * rounds alpha * other again in elements that its vector loop leaves over (all of a strided tensor's). On a GPU it
 * computes in f32 as described, and so can everyone.
 */
#include "op/op.h"

/* x + factor * alpha * y */
static void combine(struct ay_ref *r, const char *plain, const char *scaled, int factor)
{
	const num *a = ay_load_flat(r, ay_t(r->c, plain), 0), *b = ay_load_flat(r, ay_t(r->c, scaled), 0);
	const num alpha = factor * ay_number(r->c, "alpha");
	const enum ay_dt dt = r->c->out[0]->view.dt;
	const bool a_moves = ay_is_converted(r->c, plain, dt), b_moves = ay_is_converted(r->c, scaled, dt);

	for (int64_t i = r->lo; i < r->hi; i++) {
		num x = a[i - r->lo], y = ay_times(r, alpha, b[i - r->lo]);

		*ay_val(r, 0, i, 0) = x + y;
		*ay_mag(r, 0, i, 0) = (double)(fabs(x) + fabs(y));
		if (a_moves)
			*ay_mag(r, 0, i, 0) += ay_err_convert(dt, x);
		if (b_moves && alpha != 0)
			*ay_mag(r, 0, i, 0) += (double)fabs(alpha) * ay_err_convert(dt, b[i - r->lo]);
	}
}

static void add(struct ay_ref *r)
{
	combine(r, "self", "other", 1);
}

static void sub(struct ay_ref *r)
{
	combine(r, "self", "other", -1);
}

static void rsub(struct ay_ref *r)
{
	combine(r, "other", "self", -1);
}

static int result(const struct ay_call *c, int k, struct ay_meta *m, struct ay_err *err)
{
	(void)k;
	return ay_result_broadcast(c, m, err, "self", "other", NULL);
}

/* PyTorch: a float alpha needs a float result, a bool alpha a bool one; an in-place result must fit into self. */
static int accepts(const struct ay_call *c, struct ay_err *err)
{
	enum ay_class alpha = ay_dt_info(ay_t(c, "alpha")->dt)->cls;
	struct ay_meta m = { .dt = AY_DT_NONE };
	const struct ay_view *self = ay_t(c, "self");

	if (result(c, 0, &m, err))
		return -1;
	if (alpha > AY_CLASS_INT && alpha > ay_dt_info(m.dt)->cls)
		return ay_fail(err, AY_ERR_BIND, "alpha must be an integer where the result is %s",
			       ay_dt_info(m.dt)->name);
	if (alpha == AY_CLASS_BOOL && m.dt != AY_DT_B8)
		return ay_fail(err, AY_ERR_BIND, "a bool alpha is for bool tensors only");
	if (ay_schema_inplace(c->s) && ay_dt_info(m.dt)->cls > ay_dt_info(self->dt)->cls)
		return ay_fail(err, AY_ERR_BIND, "the result is %s, which self cannot hold",
			       ay_dt_info(m.dt)->name);
	return 0;
}

/* PyTorch refuses bools here, so that a difference is not mistaken for "not". */
static int accepts_sub(const struct ay_call *c, struct ay_err *err)
{
	if (ay_t(c, "self")->dt == AY_DT_B8 || ay_t(c, "other")->dt == AY_DT_B8)
		return ay_fail(err, AY_ERR_BIND, "%s has no meaning for bools", c->s->base);
	return accepts(c, err);
}

static const char *aten_differs(const struct ay_call *c)
{
	const enum ay_dt dt = c->out[0]->view.dt;

	if (dt != AY_DT_F16 && dt != AY_DT_BF16)
		return NULL;
	return ay_number(c, "alpha") != 1 || ay_is_number(c, "self") || ay_is_number(c, "other")
		       ? "numbers, and alpha * other, are rounded to half types before the sum"
		       : NULL;
}

static void cost(const struct ay_call *c, struct ay_cost *k)
{
	k->flops = 2.0 * (double)ay_numel_of(&c->out[0]->view);
	k->bytes = -1;
	if (ay_number(c, "alpha") == 0 && ay_dt_is_integral(c->out[0]->view.dt))
		k->bytes = 0; /* what alpha scales need not be read, and in place nothing is left to do */
	else if (c->out[0]->view.dt == AY_DT_B8)
		k->bytes = ay_touched(&c->out[0]->view); /* "or": where one is true the other need not be read */
}

/* clang-format off */

/* Edges of both differences. A difference has a sign: every row tells self - other from other - self. */
#define DIFFERENCE(name)                                                                                              \
		{ "((T(s, dt), T(s, dt)), {'alpha': a})", "dt=f32|f16|bf16 a=1|-0.999 s=[]|[1]|[0, 3]|[129]|[3, 65]|[5, 4, 33]", AY_QUICK }, \
		{ "((T(s, dt), T(s, dt)), {'alpha': a})", "dt=f64|c64|c128 a=2.5 s=[3, 65] ; dt=i64|i32|i16|i8|u8 a=1|3 s=[3, 65]", AY_QUICK }, \
		{ "((T([65], dt, fill=int(-b, b)), T([65], dt, fill=int(-b, b))), {'alpha': 3})", "(dt,b)=(i32,2000000000)|(i64,4000000000000000)|(i16,30000)|(u8,127)", AY_QUICK }, \
		{ "((T([6, 1, 9], dt), T([4, 1], dt)), {})", "dt=f32|f16|bf16|i32", AY_QUICK }, \
		{ "((T([3, 4], f32), T(s, dt)), {})", "dt=f16|f64|i32 s=[4]|[]", AY_QUICK }, \
		{ "((T([31], da), T([31], db)), {'alpha': 2})", "(da,db)=(f16,bf16)|(i8,u8)|(i32,i64)|(i64,f16)|(f16,f32)|(f32,c64)", AY_QUICK }, \
		{ "((T([8, 33], dt, stride=(66, 2)), T([8, 33], dt, stride=(1, 8), offset=3)), {'alpha': 0.5})", "dt=f32|f16|bf16", AY_QUICK }, \
		{ "((T([9, 16], dt, stride=(0, 1)), T([9, 16], dt, stride=(1, 0))), {})", "dt=f32|f16", AY_QUICK }, \
		{ "((T([257], dt, fill=special), T([257], dt, fill=special)), {'alpha': a})", "dt=f32|f16|bf16 a=1|-1", AY_QUICK }, \
		{ "((T([257], dt, fill=heavy), T([257], dt, fill=heavy)), {'alpha': 3})", "dt=f32|f16|bf16", AY_QUICK }, \
		{ "((T([257], dt, fill=uniform(1, 1.01)), T([257], dt, fill=uniform(1, 1.01))), {})", "dt=f32|f16|bf16", AY_QUICK }, \
		{ "((T([257], dt, fill=exact), T([257], dt, fill=exact)), {})", "dt=f32|f16|bf16|i32", AY_QUICK }, \
		{ "((T([257], dt, fill=edge), T([257], dt, fill=edge)), {'alpha': a})", "dt=i64|i32 a=1|3 ; dt=i64 a=9007199254740993", AY_QUICK }, \
		{ "((T([4, 5, 33], dt), T([4, 5, 33], dt, stride=st)), {})", "dt=f32|i64 st=[1, 4, 20]|[33, 132, 1]|[5, 1, 20]", AY_QUICK }, \
		{ "((T([2, 3, 2, 2, 3, 5], dt), T(s, dt)), {})", "dt=f32|i32 s=[3, 1, 2, 3, 1]|[2, 1, 2, 1, 3, 5]", AY_QUICK }, \
		{ "((T([12347], dt), T([12347], dt)), {})", "dt=f32|bf16", AY_QUICK }, \
		{ "aten::" name ".Scalar((T([65], i64, fill=edge), x, a), {})", "(x,a)=(9007199254740993,1)|(3,9007199254740993)", AY_QUICK }, \
		{ "aten::" name ".Scalar((T(s, dt), x, 2), {})", "dt=f32|f16|bf16 x=0.75|-3 s=[]|[0]|[3, 65] ; dt=i32 x=7 s=[3, 65] ; dt=i32 x=0.5 s=[3, 65]", AY_QUICK }
#define PAIR "x=shape() (s,t)=(x, x)|(x, fits(x))|(fits(x), x)|(fits(x), fits(x))"

const struct ay_op ay_ops_add[] = {{
	.schemas   = AY_SCHEMAS("aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
				"aten::add.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor",
				"aten::add.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)",
				"aten::add.Scalar_out(Tensor self, Scalar other, Scalar alpha=1, *, Tensor(a!) out) -> Tensor(a!)"),
	.doc       = "out = self + alpha * other, element by element. self and other are broadcast against each other; the "
		     "result's dtype follows PyTorch's type promotion (a number or a 0-dim tensor only counts if its kind is "
		     "higher). Half types are computed in f32 and rounded once. Integers wrap around.",
	.cases     = {
		{ "((T(s, dt), T(s, dt)), {'alpha': a})", "dt=f32|f16|bf16 a=1|-0.999 s=[]|[1]|[0, 3]|[7]|[129]|[3, 65]|[5, 4, 33]", AY_QUICK },
		{ "((T(s, dt), T(s, dt)), {'alpha': a})", "dt=f64|c64 a=2.5 s=[3, 65] ; dt=i64|i32|i16|i8|u8 a=1|3 s=[3, 65] ; dt=b8 a=1 s=[65]", AY_QUICK },
		{ "((T([65], dt, fill=int(-b, b)), T([65], dt, fill=int(-b, b))), {'alpha': 3})", "(dt,b)=(i32,2000000000)|(i64,4000000000000000)|(i16,30000)|(u8,127)", AY_QUICK },
		{ "((T([6, 1, 9], dt), T([4, 1], dt)), {})", "dt=f32|f16|bf16|i32", AY_QUICK },
		{ "((T([3, 4], f32), T(s, dt)), {})", "dt=f16|f64|i32|b8 s=[3, 4]|[4]|[]", AY_QUICK },
		{ "((T([31], da), T([31], db)), {'alpha': 2})", "(da,db)=(f16,bf16)|(i8,u8)|(i32,i64)|(i64,f16)|(b8,i32)|(f16,f32)", AY_QUICK },
		{ "((T([8, 33], dt, stride=(66, 2)), T([8, 33], dt, stride=(1, 8), offset=3)), {'alpha': 0.5})", "dt=f32|f16|bf16", AY_QUICK },
		{ "((T([9, 16], dt, stride=(0, 1)), T([9, 16], dt, stride=(1, 0))), {})", "dt=f32|f16", AY_QUICK },
		{ "((T([257], dt, fill=special), T([257], dt, fill=special)), {'alpha': -1})", "dt=f32|f16|bf16", AY_QUICK },
		{ "((T([257], dt, fill=heavy), T([257], dt, fill=heavy)), {'alpha': 3})", "dt=f32|f16|bf16", AY_QUICK },
		{ "((T([257], dt, fill=exact), T([257], dt, fill=exact)), {})", "dt=f32|f16|bf16|i32", AY_QUICK },
		{ "((2, T([7, 9], dt)), {'alpha': 3})", "dt=f32|f16|i32", AY_QUICK },
		{ "aten::add.Scalar((T(s, dt), x, 2), {})", "dt=f32|f16|bf16 x=0.75|-3 s=[]|[0]|[3, 65] ; dt=i32 x=7 s=[3, 65]", AY_QUICK },
		{ "((T([257], dt, fill=edge), T([257], dt, fill=edge)), {'alpha': a})", "dt=i64|i32 a=1|3 ; dt=i64 a=9007199254740993", AY_QUICK },
		{ "((T([4, 5, 33], dt), T([4, 5, 33], dt, stride=st)), {})", "dt=f32|f16|i64 st=[1, 4, 20]|[33, 132, 1]|[5, 1, 20]", AY_QUICK },
		{ "((T([2, 3, 2, 1, 5], dt), T([2, 1, 2, 3, 1], dt)), {})", "dt=f32|i64", AY_QUICK },
		{ "((T([2, 3, 2, 2, 3, 5], dt), T(s, dt)), {})", "dt=f32|i32 s=[2, 3, 2, 2, 3, 5]|[3, 1, 2, 3, 1]|[2, 1, 2, 1, 3, 5]", AY_QUICK },
		{ "((T([12347], dt), T([12347], dt)), {})", "dt=f32|bf16", AY_QUICK },
		{ "aten::add.Scalar((T([65], i64, fill=edge), x, a), {})", "(x,a)=(9007199254740993,1)|(3,9007199254740993)", AY_QUICK },
		{ "((T(s, dt), T(s, dt)), {'alpha': a})", "dt=f16|f32|bf16 a=0.001|-0.999|100.001|-111.999 s=[]|[1]|[1024, 1024]|[20, 320, 15]|[16, 128, 64, 60]|[16, 7, 57, 32, 29]", AY_FULL },
		{ "aten::add.Scalar((T(s, dt), x, a), {})", "dt=f16|f32|bf16 a=0.001|-0.999|100.001|-111.999 x=0.001|-0.999|100.001|-111.999 s=[]|[1]|[1024, 1024]|[20, 320, 15]|[16, 128, 64, 60]|[16, 7, 57, 32, 29]", AY_FULL },
		{ "((x, T(s, dt)), {'alpha': a})", "dt=f16|f32|bf16 a=0.001|-0.999|100.001|-111.999 x=0.001|-0.999|100.001|-111.999 s=[]|[1]|[1024, 1024]|[20, 320, 15]|[16, 128, 64, 60]|[16, 7, 57, 32, 29]", AY_FULL },
		{ "((T(s, dt), T(s, dt)), {})", "dt=f32|f16|bf16 s=[512, 1024]|[1024, 1024]|[16, 128, 64, 60]", AY_PERF },
	},
	.vary      = {
		{ "((p, T(t, db, fill=g)), {'alpha': a})", PAIR " da=f32|f16|bf16|f64 db=da|da|f32|f16|f64|i64|u8 f='normal'|'mixed'|'heavy'|'special'|'exact' g=db == da ? f : 'normal' p=T(s, da, fill=f)|T(s, da, fill=f)|T(s, da, fill=f)|2|-0.75 a=1|2|-3|p == 2 ? 1 : 0|0.5|-0.999|100.001 ; " PAIR " da=i64|i32|i16|i8|u8 db=da|da|i64|i32|i16|u8 a=1|2|-3|0 f='int(-100, 100)' g='int(0, 200)' p=T(s, da, fill=f)|T(s, da, fill=f)|T(s, da, fill=f)|7 ; " PAIR " da=c64|c128 db=da|da|f32|f64|i64 a=1|2|-3|0|0.5|(1-0.5j) f='normal'|'mixed'|'exact' g='normal'|'exact' p=T(s, da, fill=f) ; " PAIR " da=b8 db=b8|b8|i32|f16 a=1|1|0|2|db == b8 g='bool' p=T(s, da, fill=bool)" },
		{ "aten::add.Scalar((T(s, dt, fill=f), x, a), {})", "s=shape() dt=f32|f16|bf16|f64 x=0.75|-3|0|100.001|True a=1|2|-0.999|0.5|0 f='normal'|'mixed'|'heavy'|'special'|'exact' ; s=shape() dt=i64|i32|i16|i8|u8|b8 x=7|-3|0|120 a=1|2|-3|0 f=dt == b8 ? 'bool' : 'int(-100, 100)' ; s=shape() dt=i64|i32|u8 x=0.5|-2.25 a=1|0.5|3 f='int(-100, 100)' ; s=shape() dt=c64|c128 x=0.75|-3|(2+1j) a=1|-0.5|(1-0.5j) f='normal'|'mixed'|'exact'" },
	},
	.accepts   = accepts,
	.result    = result,
	.reference = add,
	.cost      = cost,
	.aten_differs = aten_differs,
	.flags     = AY_ALIAS_SAFE | AY_INTEGRAL,
}, {
	.schemas   = AY_SCHEMAS("aten::add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)",
				"aten::add_.Scalar(Tensor(a!) self, Scalar other, Scalar alpha=1) -> Tensor(a!)"),
	.doc       = "self = self + alpha * other in place. other is broadcast to self's shape; the result is rounded to self's dtype.",
	.accepts   = accepts,
	.result    = result,
	.reference = add,
	.cost      = cost,
	.aten_differs = aten_differs,
	.flags     = AY_ALIAS_SAFE | AY_INTEGRAL,
}, {
	.schemas   = AY_SCHEMAS("aten::sub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
				"aten::sub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor",
				"aten::sub.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)",
				"aten::sub.Scalar_out(Tensor self, Scalar other, Scalar alpha=1, *, Tensor(a!) out) -> Tensor(a!)"),
	.doc       = "out = self - alpha * other, element by element. self and other are broadcast against each other; the "
		     "result's dtype follows PyTorch's type promotion (a number or a 0-dim tensor only counts if its kind is "
		     "higher). Half types are computed in f32 and rounded once. Integers wrap around; bools are refused.",
	.cases     = {
		DIFFERENCE("sub"),
		{ "((2, T([7, 9], dt)), {'alpha': 3})", "dt=f32|f16|i32", AY_QUICK },
		{ "((x, y), {'alpha': a})", "(x,y,a)=(0.75,-3.5,0.5)|(7,-5,3)", AY_QUICK },
		{ "((T(s, dt), T(s, dt)), {'alpha': a})", "dt=f16|f32|bf16 a=0.001|-0.999|100.001|-111.999 s=[]|[1]|[1024, 1024]|[20, 320, 15]|[16, 128, 64, 60]|[16, 7, 57, 32, 29]", AY_FULL },
		{ "aten::sub.Scalar((T(s, dt), x, a), {})", "dt=f16|f32|bf16 a=0.001|-0.999|100.001|-111.999 x=0.001|-0.999|100.001|-111.999 s=[]|[1]|[1024, 1024]|[20, 320, 15]|[16, 128, 64, 60]|[16, 7, 57, 32, 29]", AY_FULL },
		{ "((x, T(s, dt)), {'alpha': a})", "dt=f16|f32|bf16 a=0.001|-0.999|100.001|-111.999 x=0.001|-0.999|100.001|-111.999 s=[]|[1]|[1024, 1024]|[20, 320, 15]|[16, 128, 64, 60]|[16, 7, 57, 32, 29]", AY_FULL },
		{ "((T(s, dt), T(s, dt)), {})", "dt=f32|f16|bf16 s=[512, 1024]|[16, 128, 64, 60]", AY_PERF },
	},
	.vary      = {
		{ "((p, T(t, db, fill=g)), {'alpha': a})", PAIR " da=f32|f16|bf16|f64 db=da|da|f32|f16|f64|i64|u8 f='normal'|'mixed'|'heavy'|'special'|'exact' g=db == da ? f : 'normal' p=T(s, da, fill=f)|T(s, da, fill=f)|T(s, da, fill=f)|2|-0.75 a=1|2|-3|p == 2 ? 1 : 0|0.5|-0.999|100.001 ; " PAIR " da=i64|i32|i16|i8|u8 db=da|da|i64|i32|i16|u8 a=1|2|-3|0 f='int(-100, 100)' g='int(0, 200)' p=T(s, da, fill=f)|T(s, da, fill=f)|T(s, da, fill=f)|7 ; " PAIR " da=c64|c128 db=da|da|f32|f64|i64 a=1|2|-3|0|0.5|(1-0.5j) f='normal'|'mixed'|'exact' g='normal'|'exact' p=T(s, da, fill=f)" },
		{ "aten::sub.Scalar((T(s, dt, fill=f), x, a), {})", "s=shape() dt=f32|f16|bf16|f64 x=0.75|-3|0|100.001|True a=1|2|-0.999|0.5|0 f='normal'|'mixed'|'heavy'|'special'|'exact' ; s=shape() dt=i64|i32|i16|i8|u8 x=7|-3|0|120 a=1|2|-3|0 f=dt == b8 ? 'bool' : 'int(-100, 100)' ; s=shape() dt=i64|i32|u8 x=0.5|-2.25 a=1|0.5|3 f='int(-100, 100)' ; s=shape() dt=c64|c128 x=0.75|-3|(2+1j) a=1|-0.5|(1-0.5j) f='normal'|'mixed'|'exact'" },
	},
	.accepts   = accepts_sub,
	.result    = result,
	.reference = sub,
	.cost      = cost,
	.aten_differs = aten_differs,
	.flags     = AY_ALIAS_SAFE | AY_INTEGRAL,
}, {
	.schemas   = AY_SCHEMAS("aten::rsub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
				"aten::rsub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor",
				"aten::rsub.Tensor_out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)",
				"aten::rsub.Scalar_out(Tensor self, Scalar other, Scalar alpha=1, *, Tensor(a!) out) -> Tensor(a!)"),
	.doc       = "out = other - alpha * self, element by element: sub with its arguments the other way round. self and other are "
		     "broadcast against each other; the result's dtype follows PyTorch's type promotion (a number or a 0-dim tensor only "
		     "counts if its kind is higher). Half types are computed in f32 and rounded once. Integers wrap around; bools are "
		     "refused.",
	.cases     = {
		DIFFERENCE("rsub"),
		{ "aten::rsub.Tensor_out((T(s, dt), T(s, dt)), {'alpha': 0.5, 'out': T(s, dt, stride=st, offset=1)})", "dt=f32|f16|bf16 (s,st)=([],[])|([7],[3])|([3, 65],[65, 1])|([3, 65],[1, 4])", AY_QUICK },
		{ "aten::rsub.Scalar_out((T(s, dt), x, 2), {'out': T(s, dt, stride=st, offset=1)})", "dt=f32|f16|bf16 x=0.75 (s,st)=([7],[3])|([3, 65],[1, 4])", AY_QUICK },
		{ "((T(s, dt), T(s, dt)), {'alpha': a})", "a=1.0|0.5 dt=f32|f16|bf16 s=[2, 3]|[128, 256]|[512, 512]", AY_FULL },
		{ "aten::rsub.Scalar((T(s, dt), x, a), {})", "a=1.0|0.5 x=-2.0|0.0|3.25 dt=f32|f16|bf16 s=[2, 3]|[128, 256]|[512, 512]", AY_FULL },
		{ "aten::rsub.Tensor_out((T(s, dt), T(s, dt)), {'alpha': a, 'out': T(s, dt)})", "a=1.0|0.5 dt=f32|f16|bf16 s=[2, 3]|[128, 256]|[512, 512]", AY_FULL },
		{ "aten::rsub.Scalar_out((T(s, dt), x, a), {'out': T(s, dt)})", "a=1.0|0.5 x=-2.0|0.0|3.25 dt=f32|f16|bf16 s=[2, 3]|[128, 256]|[512, 512]", AY_FULL },
		{ "((T(s, dt), T(s, dt)), {})", "dt=f32|f16|bf16 s=[512, 512]|[2048, 2048]", AY_PERF },
		{ "aten::rsub.Scalar((T(s, dt), 1), {})", "dt=f32|bf16 s=[512, 1024]|[2048, 2048]", AY_PERF },
	},
	.vary      = {
		{ "((T(s, da, fill=f), T(t, db, fill=g)), {'alpha': a})", PAIR " da=f32|f16|bf16|f64 db=da|da|f32|f16|f64|i64|u8 f='normal'|'mixed'|'heavy'|'special'|'exact' g=db == da ? f : 'normal' a=1|2|-3|0|0.5|-0.999|100.001 ; " PAIR " da=i64|i32|i16|i8|u8 db=da|da|i64|i32|i16|u8 a=1|2|-3|0 f='int(-100, 100)' g='int(0, 200)' ; " PAIR " da=c64|c128 db=da|da|f32|f64|i64 a=1|2|-3|0|0.5|(1-0.5j) f='normal'|'mixed'|'exact' g='normal'|'exact'" },
		{ "aten::rsub.Scalar((T(s, dt, fill=f), x, a), {})", "s=shape() dt=f32|f16|bf16|f64 x=0.75|-3|0|100.001|True a=1|2|-0.999|0.5 f='normal'|'mixed'|'heavy'|'special'|'exact' ; s=shape() dt=i64|i32|i16|i8|u8 x=7|-3|0|120 a=1|2|-3 f=dt == b8 ? 'bool' : 'int(-100, 100)' ; s=shape() dt=i64|i32|u8 x=0.5|-2.25 a=1|0.5|3 f='int(-100, 100)' ; s=shape() dt=c64|c128 x=0.75|-3|(2+1j) a=1|-0.5|(1-0.5j) f='normal'|'mixed'|'exact'" },
	},
	.accepts   = accepts_sub,
	.result    = result,
	.reference = rsub,
	.cost      = cost,
	.aten_differs = aten_differs,
	.flags     = AY_ALIAS_SAFE | AY_INTEGRAL,
}, {0}};
