/* SPDX-License-Identifier: Apache-2.0
 *
 * out = self == other, self > other, self <= other, element by element, as bools.
 *
 * Error: none. Both sides are first rounded to the dtype that type promotion gives: an i64 beside an f32 is compared
 * as an f32, and 0.1 beside f16 as the f16 next to it. Within one dtype nothing is rounded: neighbours differ, and so
 * do integers beyond 2^53. A number that an integer dtype does not hold wraps (300 is equal to the u8 44). NaN is not
 * equal to, above or below anything; 0 and -0 are equal.
 *
 * What the original test missed: eq has none at HEAD. gt and le are tested on normal numbers, among which no two are
 * equal, so > and >= or <= and < pass alike, and against the number 0. Never tested: integers, bools, NaN,
 * infinities, neighbours, broadcasting, mixed dtypes, strides.
 *
 * Cases: eq: original 0, intended 36 (commit c2549d3: whole numbers 0..9); gt: original 36; le: original 36; all
 * distinct. Here 36 full each. The forms for numbers, strings, devices and enums, and eq of two lists (.Tensor_list
 * too), give a single bool to TorchScript: no tensor kernels.
 */
#include "op/op.h"

#define row_load  AY_NUM(ay_row_load)
#define row_store AY_NUM(ay_row_store)

static int result(const struct ay_call *c, int k, struct ay_meta *m, struct ay_err *err)
{
	(void)k;
	if (ay_result_broadcast(c, m, err, "self", "other", NULL))
		return -1;
	m->dt = AY_DT_B8;
	return 0;
}

/* The dtype that both sides are compared in. */
static enum ay_dt common_dtype(const struct ay_call *c)
{
	struct ay_meta m = { .dt = AY_DT_NONE };
	struct ay_err err = { 0 };

	ay_result_broadcast(c, &m, &err, "self", "other", NULL);
	return m.dt;
}

/* Complex numbers have no order. */
static int accepts_ordered(const struct ay_call *c, struct ay_err *err)
{
	return ay_dt_is_complex(ay_t(c, "self")->dt) || ay_dt_is_complex(ay_t(c, "other")->dt)
		       ? ay_fail(err, AY_ERR_BIND, "%s has no meaning for complex numbers", c->s->base)
		       : 0;
}

/* An argument as the common dtype holds it. */
static const num *load_as(struct ay_ref *r, const char *name, enum ay_dt dt)
{
	const struct ay_view *v = ay_t(r->c, name);
	const int64_t n = r->hi - r->lo;
	num *x = ay_load_flat(r, v, 0);
	void *stored;

	if (v->dt == dt)
		return x;
	stored = ay_alloc(r->tmp, (size_t)n * (size_t)ay_dt_info(dt)->bytes + 1);
	row_store(dt, stored, 1, n, x);
	row_load(dt, stored, 1, n, x);
	return x;
}

#define COMPARE(name, truth)                                                         \
	static void name(struct ay_ref *r)                                           \
	{                                                                            \
		const enum ay_dt dt = common_dtype(r->c);                            \
		const num *a = load_as(r, "self", dt), *b = load_as(r, "other", dt); \
                                                                                     \
		for (int64_t i = r->lo; i < r->hi; i++) {                            \
			const num x = a[i - r->lo], y = b[i - r->lo];                \
                                                                                     \
			*ay_val(r, 0, i, 0) = truth;                                 \
		}                                                                    \
	}

COMPARE(eq, x == y)
COMPARE(gt, re(x) > re(y))
COMPARE(le, re(x) <= re(y))

static void cost(const struct ay_call *c, struct ay_cost *k)
{
	k->flops = (double)ay_numel_of(&c->out[0]->view);
	k->bytes = -1;
}

/* Neighbours: of 1 for floats, below the largest for integers. A comparison in a narrower dtype finds them
 * equal. */
static double close_by(const struct ay_call *c, const struct ay_operand *o, const struct ay_fill *f, int64_t i,
		       uint64_t bits)
{
	const int mant = ay_dt_info(o->view.dt)->mant;
	const double k = (double)(bits >> 62);

	(void)c, (void)f, (void)i;
	if (o->view.dt == AY_DT_B8)
		return (double)(bits >> 63);
	if (ay_dt_is_integral(o->view.dt)) /* 53 bits are what a double carries into i64 */
		return ldexp(1, mant < 53 ? mant : 53) - 1 - k;
	return 1 + ldexp(k, 1 - mant);
}

/* Nothing but special values, and few of them, so that they meet each other. */
static double special(const struct ay_call *c, const struct ay_operand *o, const struct ay_fill *f, int64_t i,
		      uint64_t bits)
{
	const struct ay_dt_info *d = ay_dt_info(o->view.dt);
	const double least = ldexp(1, d->emin - d->mant + 1), most = (double)ay_dt_max(o->view.dt);
	const double list[] = { NAN, INFINITY, -INFINITY, 0.0, -0.0, least, most, 1 };

	(void)c, (void)f, (void)i;
	return list[bits >> 61];
}

static const struct ay_maker makers[] = { { "close", close_by, .anywhere = true },
					  { "special", special, .anywhere = true },
					  { 0 } };

/* clang-format off */

#define SCHEMAS(name)                                                                            \
	AY_SCHEMAS("aten::" name ".Tensor(Tensor self, Tensor other) -> Tensor",                 \
		   "aten::" name ".Scalar(Tensor self, Scalar other) -> Tensor",                 \
		   "aten::" name ".Scalar_out(Tensor self, Scalar other, *, Tensor(a!) out) -> Tensor(a!)", \
		   "aten::" name ".Tensor_out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)")

/* Whole numbers meet each other: ties are what tells > from >=. */
#define EDGES(name)                                                                                                   \
		{ "((T(s, dt, fill=int(-2, 2)), T(s, dt, fill=int(-2, 2))), {})", "dt=f32|f16|bf16 s=[]|[1]|[0, 3]|[7]|[129]|[3, 65]|[5, 4, 33] ; dt=f64|i64|i32|i16|i8 s=[3, 65]", AY_QUICK }, \
		{ "((T([3, 65], dt, fill=int(0, 3)), T([3, 65], dt, fill=int(0, 3))), {})", "dt=u8|b8", AY_QUICK }, \
		{ "((T([65], dt, fill=close), T([65], dt, fill=close)), {})", "dt=f32|f16|bf16|f64|i64|i32|i16|i8|u8", AY_QUICK }, \
		{ "((T([8], i64, data=[9007199254740993, 9007199254740992, 9007199254740993, -9007199254740993, 9223372036854775807, 9223372036854775806, -9223372036854775807, 0]), T([8], i64, data=[9007199254740992, 9007199254740993, 9007199254740993, -9007199254740994, 9223372036854775806, 9223372036854775807, -9223372036854775807, 1])), {})", "", AY_QUICK }, \
		{ "((T([257], dt, fill=special), T([257], dt, fill=special)), {})", "dt=f32|f16|bf16|f64", AY_QUICK }, \
		{ "((T([257], dt, fill=special), T([257], dt, fill=int(-1, 1))), {})", "dt=f32|f16|bf16", AY_QUICK }, \
		{ "((T([6, 1, 9], dt, fill=int(-2, 2)), T([4, 1], dt, fill=int(-2, 2))), {})", "dt=f32|f16|bf16|i32", AY_QUICK }, \
		{ "((T([31], da, fill=int(0, 3)), T([31], db, fill=int(0, 3))), {})", "(da,db)=(f16,bf16)|(f16,f32)|(f32,f64)|(i8,u8)|(i32,i64)|(i64,f16)|(b8,i32)|(i32,f32)|(u8,bf16)|(b8,f32)", AY_QUICK }, \
		{ "((T([4], i64, data=[16777216, 16777217, 16777218, 16777219]), T([4], f32, data=[16777216.0, 16777216.0, 16777216.0, 16777220.0])), {})", "", AY_QUICK }, \
		{ "((T([3, 65], dt, fill=int(-2, 2)), T(s, db, fill=int(-1, 1))), {})", "dt=f32|f16|i32 db=f64|i64 s=[65]|[]", AY_QUICK }, \
		{ "((T([8, 33], dt, stride=(66, 2), fill=int(-2, 2)), T([8, 33], dt, stride=(1, 8), offset=3, fill=int(-2, 2))), {})", "dt=f32|f16|bf16", AY_QUICK }, \
		{ "((T([9, 16], dt, stride=(0, 1), fill=int(-2, 2)), T([9, 16], dt, stride=(1, 0), fill=int(-2, 2))), {})", "dt=f32|f16|i64", AY_QUICK }, \
		{ "aten::" name ".Scalar((T(s, dt, fill=int(-2, 2)), x), {})", "dt=f32|f16|bf16 x=0|1.0|-2 s=[]|[0]|[3, 65] ; dt=i64|i32|i8 x=1 s=[3, 65] ; dt=i64|i32|i8 x=0.5 s=[31] ; dt=b8 x=True s=[31]", AY_QUICK }, \
		{ "aten::" name ".Scalar((T([31], dt, fill=uniform(0.09, 0.11)), 0.1), {})", "dt=f32|f16|bf16|f64", AY_QUICK }, \
		{ "aten::" name ".Scalar((T([4], dt, data=[0.1, 0.09, 0.11, -0.1]), 0.1), {})", "dt=f32|f16|bf16|f64", AY_QUICK }, \
		{ "((T([65], i64, data=x + x + x + x + x), T([65], i64, data=y + y + y + y + y)), {})", "x=[9007199254740993, 9007199254740992, -9007199254740993, 9223372036854775807, 9223372036854775806, -9223372036854775807, 4611686018427387905, 0, 18014398509481985, -18014398509481983, 36028797018963969, 72057594037927937, 5] y=[9007199254740992, 9007199254740993, -9007199254740992, 9223372036854775806, 9223372036854775807, -9223372036854775806, 4611686018427387904, 0, 18014398509481984, -18014398509481984, 36028797018963968, 72057594037927936, 5]", AY_QUICK }, \
		{ "aten::" name ".Scalar((T([9], i64, data=[9223372036854775807, 9223372036854775806, 9223372036854775805, 9007199254740994, 9007199254740993, 9007199254740992, -9223372036854775806, -9223372036854775807, 0]), x), {})", "x=9223372036854775806|-9223372036854775807|9007199254740993", AY_QUICK }, \
		{ "((T([4, 5, 33], dt, fill=int(-2, 2)), T([4, 5, 33], dt, stride=st, fill=int(-2, 2))), {})", "dt=f32|i64 st=[1, 4, 20]|[33, 132, 1]|[5, 1, 20]", AY_QUICK }, \
		{ "((T([2, 3, 2, 2, 3, 5], dt, fill=int(-2, 2)), T(s, dt, fill=int(-2, 2))), {})", "dt=f32|i32 s=[3, 1, 2, 3, 1]|[2, 1, 2, 1, 3, 5]", AY_QUICK }, \
		{ "((T([12347], dt, fill=int(-2, 2)), T([12347], dt, fill=int(-2, 2))), {})", "dt=f32|i64", AY_QUICK }, \
		{ "aten::" name ".Scalar((T([257], dt, fill=special), x), {})", "dt=f32|f16|bf16 x=0|1", AY_QUICK }

/* fill: the original's. */
#define GRID(name, fill)                                                                                              \
		{ "((T(s, dt, fill=" fill "), T(s, dt, fill=" fill ")), {})", "dt=f16|f32|bf16 s=[]|[1]|[1024, 1024]|[20, 320, 15]|[16, 128, 64, 60]|[16, 7, 57, 32, 29]", AY_FULL }, \
		{ "aten::" name ".Scalar((T(s, dt, fill=" fill "), 0), {})", "dt=f16|f32|bf16 s=[]|[1]|[1024, 1024]|[20, 320, 15]|[16, 128, 64, 60]|[16, 7, 57, 32, 29]", AY_FULL }, \
		{ "((T(s, dt, fill=int(-9, 9)), T(s, dt, fill=int(-9, 9))), {})", "dt=f32|f16|i64 s=[512, 1024]|[16, 128, 64, 60]", AY_PERF }, \
		{ "aten::" name ".Scalar((T(s, dt, fill=int(-9, 9)), 0), {})", "dt=f32|i64 s=[512, 1024]|[16, 128, 64, 60]", AY_PERF }

#define RULES                                                                                                         \
	" element by element, as bools. self and other are broadcast against each other and compared in the dtype that "      \
	"PyTorch's type promotion gives (a number or a 0-dim tensor only counts if its kind is higher), to which both are "   \
	"rounded first; within one dtype the comparison is exact. NaN compares false with everything, 0 and -0 are equal."
#define PAIR "x=shape() (s,t)=(x, x)|(x, fits(x))|(fits(x), x)|(fits(x), fits(x))"

const struct ay_op ay_ops_compare[] = {{
	.schemas   = SCHEMAS("eq"),
	.doc       = "out = self == other," RULES " Complex numbers are equal where both parts are.",
	.cases     = {
		EDGES("eq"),
		{ "((T([3, 65], dt, fill=int(0, 1)), T([3, 65], dt, fill=int(0, 1))), {})", "dt=c64|c128", AY_QUICK },
		{ "((T([31], da, fill=int(0, 1)), T([31], db, fill=int(0, 1))), {})", "(da,db)=(c64,f32)|(i32,c64)", AY_QUICK },
		GRID("eq", "int(0, 9)"),
	},
	.vary      = {
		{ "((T(s, da, fill=f), T(t, db, fill=g)), {})", PAIR " da=f32|f16|bf16|f64 db=da|da|da|f32|bf16|f64|i64|u8 f=db == da ? one('int(-2, 2)', 'close', 'special') : 'int(-1, 3)' g=db == da ? f : 'int(0, 3)' ; " PAIR " da=i64|i32|i16|i8|u8 db=da|da|i64|i32|f16|f32|u8 f=db == da ? one('int(0, 3)', 'close') : 'int(0, 3)' g=f ; " PAIR " da=b8 db=b8|b8|i64|f32 f='bool' g='int(0, 1)' ; " PAIR " da=c64|c128 db=da|da|f32|i32 f='int(0, 1)' g='int(0, 1)'" },
		{ "aten::eq.Scalar((T(s, dt, fill=f), x), {})", "s=shape() dt=f32|f16|bf16|f64 (x,f)=(0,'int(-2, 2)')|(1.0,'int(-2, 2)')|(True,'int(-2, 2)')|(-1,'int(-2, 2)')|(0.1,'uniform(0.09, 0.11)')|(1,'close')|(0,'special')|(inf,'special') ; s=shape() dt=i64|i32|i16|i8|u8 (x,f)=(1,'int(0, 3)')|(2,'int(0, 3)')|(1.0,'int(0, 3)')|(True,'int(0, 3)') ; s=shape() dt=b8 x=1|0|True|1.0 f='bool' ; s=shape() dt=c64|c128 x=1|0.0|(1+0j) f='int(0, 1)'" },
	},
	.makers    = makers,
	.result    = result,
	.reference = eq,
	.cost      = cost,
	.flags     = AY_EXACT,
}, {
	.schemas   = SCHEMAS("gt"),
	.doc       = "out = self > other," RULES " Complex numbers have no order and are refused.",
	.cases     = { EDGES("gt"), GRID("gt", "normal") },
	.vary      = {
		{ "((T(s, da, fill=f), T(t, db, fill=g)), {})", PAIR " da=f32|f16|bf16|f64 db=da|da|da|f32|bf16|f64|i64|u8 f=db == da ? one('int(-2, 2)', 'close', 'special') : 'int(-1, 3)' g=db == da ? f : 'int(0, 3)' ; " PAIR " da=i64|i32|i16|i8|u8 db=da|da|i64|i32|f16|f32|u8 f=db == da ? one('int(0, 3)', 'close') : 'int(0, 3)' g=f ; " PAIR " da=b8 db=b8|b8|i64|f32 f='bool' g='int(0, 1)'" },
		{ "aten::gt.Scalar((T(s, dt, fill=f), x), {})", "s=shape() dt=f32|f16|bf16|f64 (x,f)=(0,'int(-2, 2)')|(1.0,'int(-2, 2)')|(True,'int(-2, 2)')|(-1,'int(-2, 2)')|(0.1,'uniform(0.09, 0.11)')|(1,'close')|(0,'special')|(inf,'special') ; s=shape() dt=i64|i32|i16|i8|u8 (x,f)=(1,'int(0, 3)')|(2,'int(0, 3)')|(1.0,'int(0, 3)')|(True,'int(0, 3)')|(0.5,'int(0, 3)')|(1.5,'int(0, 3)') ; s=shape() dt=b8 x=0|0.5|False f='bool'" },
	},
	.makers    = makers,
	.accepts   = accepts_ordered,
	.result    = result,
	.reference = gt,
	.cost      = cost,
	.flags     = AY_EXACT,
}, {
	.schemas   = SCHEMAS("le"),
	.doc       = "out = self <= other," RULES " Complex numbers have no order and are refused.",
	.cases     = { EDGES("le"), GRID("le", "normal") },
	.vary      = {
		{ "((T(s, da, fill=f), T(t, db, fill=g)), {})", PAIR " da=f32|f16|bf16|f64 db=da|da|da|f32|bf16|f64|i64|u8 f=db == da ? one('int(-2, 2)', 'close', 'special') : 'int(-1, 3)' g=db == da ? f : 'int(0, 3)' ; " PAIR " da=i64|i32|i16|i8|u8 db=da|da|i64|i32|f16|f32|u8 f=db == da ? one('int(0, 3)', 'close') : 'int(0, 3)' g=f ; " PAIR " da=b8 db=b8|b8|i64|f32 f='bool' g='int(0, 1)'" },
		{ "aten::le.Scalar((T(s, dt, fill=f), x), {})", "s=shape() dt=f32|f16|bf16|f64 (x,f)=(0,'int(-2, 2)')|(1.0,'int(-2, 2)')|(True,'int(-2, 2)')|(-1,'int(-2, 2)')|(0.1,'uniform(0.09, 0.11)')|(1,'close')|(0,'special')|(inf,'special') ; s=shape() dt=i64|i32|i16|i8|u8 (x,f)=(1,'int(0, 3)')|(2,'int(0, 3)')|(1.0,'int(0, 3)')|(True,'int(0, 3)')|(0.5,'int(0, 3)')|(1.5,'int(0, 3)') ; s=shape() dt=b8 x=0|0.5|False f='bool'" },
	},
	.makers    = makers,
	.accepts   = accepts_ordered,
	.result    = result,
	.reference = le,
	.cost      = cost,
	.flags     = AY_EXACT,
}, {0}};
