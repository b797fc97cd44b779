/* SPDX-License-Identifier: Apache-2.0
 *
 * y = f(x), element by element, where y is a number of the dtype already, or one product of two: floor, neg, sgn,
 * square, bitwise_not.
 *
 * Error: none. floor and neg keep the sign of zero; bits must be equal. sgn of a real number is -1, 0 or 1, exact
 * but for the sign of 0; of NaN it is 0, as PyTorch has it. square is one product, which is exact in f32 for half
 * types and rounded once: half an ulp, no more. Complex square and sgn: products and a quotient in f32 (f64), mag =
 * 2 |y|, both parts. Where the absolute value of a complex number is more than the dtype holds, libraries divide by
 * infinity: its sgn is not judged. Integers wrap around.
 *
 * What the original tests missed: floor and sgn are compared by tolerance, on normal numbers in three dtypes, where
 * a floor is one of -4 .. 3: no whole number, huge value, -0, NaN or infinity, no integer. neg and square have no
 * integer, which wraps; sgn no complex number, for which it was made, and no zero. bitwise_not has two integer
 * dtypes and 16 bits of them. Strides: one layout of square.out.
 *
 * Cases (original, here in full): floor 35, 18; neg 18, 18; sgn 18, 18; square 27, 27; bitwise_not 18, 18. All are
 * distinct and sound; what is not here are the 17 calls of floor.int, .float and .Scalar, which take and give plain
 * numbers on the host and are no tensor kernels; nor are neg.int, .float, .complex and .Scalar, which no suite tests.
 *
 * ATen on the CPU subtracts complex numbers from 0, and so loses the sign of zeros that neg turns.
 */
#include "op/op.h"

/* A value and its weight, as ay_mag has it. */
struct judged {
	num y;
	double mag;
};

static struct judged floor_of(num x, enum ay_dt dt)
{
	return (struct judged){ ay_dt_is_integral(dt) ? x : floor(re(x)), -1 };
}

static struct judged neg_of(num x, enum ay_dt dt)
{
	(void)dt;
	return (struct judged){ -x, -1 };
}

static struct judged sgn_of(num x, enum ay_dt dt)
{
	if (ay_dt_is_complex(dt))
		return x == 0 ? (struct judged){ 0, 0 }
			      : (struct judged){ x / fabs(x), fabs(x) > ay_dt_max(dt) ? AY_FREE : 2 };
	return (struct judged){ (re(x) > 0) - (re(x) < 0), 0 };
}

static struct judged square_of(num x, enum ay_dt dt)
{
	if (ay_dt_is_integral(dt)) {
		uint64_t whole = (uint64_t)(int64_t)re(x);

		return (struct judged){ (num)(int64_t)(whole * whole), 0 };
	}
	return (struct judged){ x * x, ay_dt_is_complex(dt) ? 2 * (double)fabs(x * x) : 0 };
}

static struct judged bitwise_not_of(num x, enum ay_dt dt)
{
	return (struct judged){ dt == AY_DT_B8 ? re(x) == 0 : -re(x) - 1, -1 };
}

#define FUNCTIONS(F) F(floor) F(neg) F(sgn) F(square) F(bitwise_not)
#define F(name)                                                              \
	static void name##_ref(struct ay_ref *r)                             \
	{                                                                    \
		const struct ay_view *self = ay_t(r->c, "self");             \
		const num *x = ay_load_flat(r, self, 0);                     \
                                                                             \
		for (int64_t i = r->lo; i < r->hi; i++) {                    \
			struct judged j = name##_of(x[i - r->lo], self->dt); \
                                                                             \
			*ay_val(r, 0, i, 0) = j.y;                           \
			*ay_mag(r, 0, i, 0) = j.mag;                         \
		}                                                            \
	}
FUNCTIONS(F)
#undef F

/* As pow has it: a bool and the number 2 give i64. */
static int result_square(const struct ay_call *c, int k, struct ay_meta *m, struct ay_err *err)
{
	if (ay_result_like_first(c, k, m, err))
		return -1;
	if (m->dt == AY_DT_B8)
		m->dt = AY_DT_I64;
	return 0;
}

enum { BOOLS = 1, INTS = 2, FLOATS = 4, COMPLEX = 8 };

/* takes: classes of dtypes. No function here is defined for 8-bit floats. */
static int accept(const struct ay_call *c, unsigned takes, struct ay_err *err)
{
	const struct ay_dt_info *d = ay_dt_info(ay_t(c, "self")->dt);
	struct ay_meta m = { .dt = AY_DT_NONE };

	if (!(takes >> d->cls & 1) || (d->cls == AY_CLASS_FLOAT && d->bytes == 1))
		return ay_fail(err, AY_ERR_BIND, "%s has no meaning for %s", c->s->base, d->name);
	if (c->op->result(c, 0, &m, err))
		return -1;
	if (ay_has_arg(c, "out") && ay_t(c, "out")->dt != m.dt)
		return ay_fail(err, AY_ERR_BIND, "out must be %s", ay_dt_info(m.dt)->name);
	return 0;
}

#define ACCEPTS(name, takes)                                                   \
	static int accepts_##name(const struct ay_call *c, struct ay_err *err) \
	{                                                                      \
		return accept(c, takes, err);                                  \
	}
ACCEPTS(floor, INTS | FLOATS)
ACCEPTS(neg, INTS | FLOATS | COMPLEX)
ACCEPTS(sgn, BOOLS | INTS | FLOATS | COMPLEX)
ACCEPTS(square, BOOLS | INTS | FLOATS | COMPLEX)
ACCEPTS(bitwise_not, BOOLS | INTS)

static const char *neg_differs(const struct ay_call *c)
{
	return ay_dt_is_complex(ay_t(c, "self")->dt) ? "complex numbers are subtracted from 0, which gives no -0"
						     : NULL;
}

static void cost(const struct ay_call *c, struct ay_cost *k)
{
	k->flops = (double)ay_numel_of(ay_t(c, "self"));
	k->bytes = -1;
}

/* clang-format off */
/* few: the three dtypes that see every shape; more: the others. more_vary: hard fills, for drawn cases. */
#define ENTRY(name, words, gives, few, more, more_vary, ...) \
	.schemas   = AY_SCHEMAS("aten::" #name "(Tensor self) -> Tensor", \
				"aten::" #name ".out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"), \
	.doc       = words, \
	.cases     = { \
		{ "((T(s, dt),), {})", "dt=" few " s=[]|[1]|[0, 3]|[7]|[129]|[3, 65]|[2, 3, 4, 5] ; dt=" more " s=[1]|[3, 65]", AY_QUICK }, \
		{ "((T([8, 33], dt, stride=(66, 2), offset=o),), {})", "dt=" few " o=0|3", AY_QUICK }, \
		{ "((T([9, 16], dt, stride=st),), {})", "dt=" few " st=[1, 9]|[0, 1]|[1, 0]", AY_QUICK }, \
		{ "((T([257], dt, fill=edge),), {})", "dt=i64|i32|i8|u8", AY_QUICK }, \
		{ "((T(s, dt),), {})", "dt=" few " s=[12347]|[2, 3, 2, 2, 3, 5]", AY_QUICK }, \
		{ "((T(s, dt),), {})", "dt=" few " s=[512, 1024]|[16, 128, 64, 60]", AY_PERF }, \
		__VA_ARGS__ \
	}, \
	.vary      = {{ "((T(s, dt, fill=f),), {})", "s=shape() dt=" few "|" more " f=None ; " more_vary }}, \
	.accepts   = accepts_##name, \
	.result    = gives, \
	.reference = name##_ref, \
	.cost      = cost, \
	.flags     = AY_ALIAS_SAFE
#define LINE(fill) "((T([257], dt, fill=" fill "),), {})"
#define EDGES "s=shape() (dt,f)=(i64,'int(-9000000000000000, 9000000000000000)')|(i32,'int(-2147483648, 2147483647)')|(i16,'int(-32768, 32767)')|(i8,'int(-128, 127)')|(u8,'int(0, 255)')"
#define DATA(list) "((T([len(x)], dt, data=x),), {})", list
#define OUT(name, few) \
	{ "aten::" #name ".out((T(s, dt),), {'out': T(s, dt, stride=st, offset=o)})", "dt=" few " (s,st,o)=([],None,0)|([0, 3],None,0)|([7],[2],1)|([3, 65],[1, 3],0)|([3, 65],[130, 2],3)", AY_QUICK }
/* The two grids that the original tests have. */
#define TESTED(name, last) \
	{ "((T(s, dt),), {})", "dt=f32|f16|bf16 s=[2, 3]|[128, 256]|" last, AY_FULL }, \
	{ "aten::" #name ".out((T(s, dt),), {'out': T(s, dt)})", "dt=f32|f16|bf16 s=[2, 3]|[128, 256]|" last, AY_FULL }
#define ACCURACY(fill, dts) \
	{ "((T(s, dt" fill "),), {})", "dt=" dts " s=[]|[1]|[1024, 1024]|[20, 320, 15]|[16, 128, 64, 60]|[16, 7, 57, 32, 29]", AY_FULL }

const struct ay_op ay_ops_unary_exact[] = {{
ENTRY(floor,
	"out = the largest whole number that is not above self, element by element, in self's shape and dtype. -0, infinities and NaN stay as "
	"they are; so do integers.",
	ay_result_like_first, "f32|f16|bf16", "f64|i64|i32|i16|i8|u8",
	"s=shape() dt=f32|f16|bf16|f64 f='special'|'normal(0, 5)'|'int(-300, 300)' ; s=shape() (dt,f)=(f32,'heavy(3000)')|(bf16,'heavy(0.1)')|(f16,'heavy(2)')|(f64,'heavy(1e+17)')",
	{ LINE("normal(0, 5)"), "dt=f32|f16|bf16|f64", AY_QUICK },
	{ LINE("special"), "dt=f32|f16|bf16|f64", AY_QUICK },
	{ LINE("heavy(w)"), "(dt,w)=(f32,3000)|(f32,100000000)|(bf16,0.1)|(bf16,100000000)|(f16,2)|(f64,1000000)|(f64,100000000000000000)", AY_QUICK },
	{ LINE("int(-300, 300)"), "dt=f32|f16|bf16|i64|i32|i16", AY_QUICK },
	{ DATA("x=[-0.0, 0.0, 0.5, -0.5, 0.9999, -0.9999, 1.5, -1.5, 2.5, -2.5, 1e-7, -1e-7, -1.0, 1.0, 2049.5, -2049.5] dt=f32|f16|bf16|f64 ; x=[0.99999994, -1.0000001, 8388607.5, -8388607.5, 2147483647.0, -2147483904.0, 3e9, -3e9, 1e-45, -1e-45] dt=f32"), AY_QUICK },
	OUT(floor, "f32|f16|bf16"),
	TESTED(floor, "[512, 512]")),
}, {
ENTRY(neg,
	"out = -self, element by element, in self's shape and dtype. The sign of zeros and infinities turns, NaN stays NaN. Integers wrap around: "
	"the least one is its own negative, and u8 counts modulo 256. Bools have none.",
	ay_result_like_first, "f32|f16|bf16", "f64|c64|c128|i64|i32|i16|i8|u8",
	"s=shape() dt=f32|f16|bf16|f64|c64 f='special' ; " EDGES,
	{ LINE("special"), "dt=f32|f16|bf16|f64|c64", AY_QUICK },
	{ DATA("x=[-9223372036854775808, 9223372036854775807, 0, 1, -1] dt=i64 ; x=[-2147483648, 2147483647, 0, 1, -1] dt=i32 ; x=[-32768, 32767, 0, 1, -1] dt=i16 ; x=[-128, 127, 0, 1, -1] dt=i8 ; x=[0, 1, 127, 128, 255] dt=u8"), AY_QUICK },
	OUT(neg, "f32|f16|i32"),
	ACCURACY("", "f16|f32|bf16")),
	.aten_differs = neg_differs,
}, {
ENTRY(sgn,
	"out = the sign of self, element by element, in self's shape and dtype: 1 above 0, -1 below, 0 at both zeros and at NaN; a bool is its own "
	"sign. A complex number is divided by its absolute value, the square of which may overflow; 0 stays 0.",
	ay_result_like_first, "f32|f16|bf16", "f64|c64|c128|i64|i32|i16|i8|u8|b8",
	"s=shape() dt=f32|f16|bf16|f64 f='special'|'int(-1, 1)' ; s=shape() (dt,f)=(c64,'heavy(1e-20)')|(c64,'heavy(1e+30)')|(c128,'heavy(1e-200)')|(c128,'heavy(1e+250)')|(c64,'int(-1, 1)') ; " EDGES,
	{ LINE("special"), "dt=f32|f16|bf16|f64", AY_QUICK },
	{ LINE("int(-1, 1)"), "dt=f32|f16|bf16|f64|c64|i64|i8|u8", AY_QUICK },
	{ LINE("heavy(w)"), "(dt,w)=(c64,1e-20)|(c64,1e30)|(c128,1e-200)|(c128,1e250)|(c64,1)", AY_QUICK },
	{ DATA("x=[(2e38+2e38j), (-3e38+1j), (0-2j), (2+0j), (0+0j), (-1e-38+1e-38j), (3e38-1e-38j)] dt=c64|c128"), AY_QUICK },
	OUT(sgn, "f32|f16|c64"),
	TESTED(sgn, "[512, 512]")),
	.promises  = "complex numbers whose absolute value the dtype does not hold",
}, {
ENTRY(square,
	"out = self * self, element by element, in self's shape and dtype; bools give i64. Half types are multiplied in f32 and rounded once. "
	"Integers wrap around. Complex: (a + bi)^2 = a^2 - b^2 + 2abi.",
	result_square, "f32|f16|bf16", "f64|c64|c128|i64|i32|i16|i8|u8|b8",
	"s=shape() dt=f32|f16|bf16|f64 f='special' ; s=shape() (dt,f)=(f32,'heavy(1e+10)')|(f32,'heavy(1e-20)')|(bf16,'heavy(1e+10)')|(f16,'heavy(0.1)')|(f16,'heavy(0.0001)')|(f64,'heavy(1e+100)') ; " EDGES,
	{ LINE("special"), "dt=f32|f16|bf16|f64", AY_QUICK },
	{ LINE("heavy(w)"), "(dt,w)=(f32,1e10)|(f32,1e-20)|(bf16,1e10)|(f16,0.1)|(f16,0.0001)|(f64,1e100)|(c64,1)", AY_QUICK },
	{ LINE("exact(-15, 15)"), "dt=f32|f16|bf16|i32|c64", AY_QUICK },
	{ LINE("int(-b, b)"), "(dt,b)=(i64,4000000000000000)|(i32,2000000000)|(i16,30000)|(i8,127)|(u8,127)", AY_QUICK },
	{ "aten::square.out((T(s, dt),), {'out': T(s, dt, stride=st, offset=o)})", "dt=f32|f16|bf16 (s,st,o)=([],None,0)|([0, 3],None,0)|([7],[2],1)|([3, 65],[1, 3],0)|([3, 65],[130, 2],3)", AY_QUICK },
	{ "((T(s, dt),), {})", "dt=f32|f16|bf16 s=[2, 3]|[128, 256]|[1024, 1024]", AY_FULL },
	{ "aten::square.out((T(s, dt),), {'out': T(s, dt, stride=[s[1] * k, k])})", "k=1|2 dt=f32|f16|bf16 s=[2, 3]|[128, 256]|[1024, 1024]", AY_FULL }),
	.k_out     = 0.5,
}, {
ENTRY(bitwise_not,
	"out = self with every bit turned, element by element, in self's shape and dtype: -self - 1 for signed integers, 255 - self for u8. "
	"Bools: not self.",
	ay_result_like_first, "i32|i16|b8", "i64|i8|u8",
	EDGES,
	{ LINE("int(-b, b)"), "(dt,b)=(i64,4000000000000000)|(i32,2000000000)|(i16,30000)|(i8,127)|(u8,127)", AY_QUICK },
	{ DATA("x=[-9223372036854775808, 9223372036854775807, 0, 1, -1] dt=i64 ; x=[-2147483648, 2147483647, 0, 1, -1] dt=i32 ; x=[-32768, 32767, 0, 1, -1] dt=i16 ; x=[-128, 127, 0, 1, -1] dt=i8 ; x=[0, 1, 127, 128, 255] dt=u8 ; x=[True, False, False] dt=b8"), AY_QUICK },
	OUT(bitwise_not, "i32|u8|b8"),
	{ "((T(s, dt, fill=int(-32767, 32766)),), {})", "dt=i16|i32 s=[]|[1]|[1024, 1024]|[20, 320, 15]|[16, 128, 64, 60]|[16, 7, 57, 32, 29]", AY_FULL },
	{ "((T(s, b8),), {})", "s=[]|[1]|[1024, 1024]|[20, 320, 15]|[16, 128, 64, 60]|[16, 7, 57, 32, 29]", AY_FULL }),
}, {0}};
