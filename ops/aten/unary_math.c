/* SPDX-License-Identifier: Apache-2.0
 *
 * y = f(x), element by element, for analytic functions of one number: a row of the table each.
 *
 * Integers and bools are converted to f32 first and give f32. Half types are computed in f32 and rounded once.
 *
 * Error: mag = 2 |y|, 8 units of roundoff, whatever the condition of f at x: x is exact, and libraries (CUDA's,
 * SLEEF, glibc) keep the relative error of all of these within 1 to 4 ulp everywhere. So what is refused is a kernel
 * that loses x on the way: sin of an argument reduced with a rounded pi (multiples of pi/2, huge x), acosh by log(x
 * + sqrt(x^2 - 1)) near 1 and for huge x, log10 by a logarithm with an absolute error near 1, erfc as 1 - erf or
 * with a rounded x^2 in its tail, cosh and i0 with an exponential that overflows early. Complex numbers: the bound
 * of both parts comes from |y|.
 *
 * What the original tests missed: an absolute tolerance of 1e-4 beside the relative one, below which lie erfc's
 * tail, sin near its zeros, acosh and log10 near 1. Inputs are normal or uniform and small. No integer, f64 or
 * complex tensor, no special value, no stride, no huge or tiny argument; but for rsqrt nothing outside of the
 * domain.
 *
 * Cases (original, here in full): acosh 33, 18; asin 33, 18; cos 18, 18; cosh 34, 18; sin 18, 18; erfc 30, 18; log10
 * 35, 18; rsqrt 18, 18; i0 18, 18; special_entr 18, 18. All are distinct and sound; what is not here are the calls
 * of .int, .float, .complex and .Scalar (15, 15, 16, 12 and 17 of acosh, asin, cosh, erfc and log10), which take and
 * give plain numbers on the host and are no tensor kernels. entr's planted zero is among the special values.
 *
 * ATen on the CPU (2.13): exp(|x|) overflows at 88.73 (f64: 709.79). Its cosh is infinite from there on, although
 * cosh is finite up to 89.42 (710.48); so is its i0, where I0 is finite up to 91.9 (713.99), and NaN at infinities.
 * In half types the root of rsqrt is rounded before its reciprocal in elements that the vector loop leaves over (all
 * of a strided tensor's), and the logarithm of special_entr before its product everywhere. On a GPU both are
 * computed in f32.
 */
#include "op/op.h"

#include <string.h>

#define LN10 ((real)2.302585092994045684017991454684364208L)

/* The power series: all terms are positive, nothing cancels. They grow up to k = x/2 and shrink from there. */
static real bessel_i0(real x)
{
	const real q = x * x / 4;
	real sum = 1, term = 1;

	for (int k = 1; term > sum * (real)0x1p-66 && sum < INFINITY; k++) {
		term *= q / ((real)k * k);
		sum += term;
	}
	return sum;
}

static real entropy(real x)
{
	if (x > 0)
		return 0 - x * log(x); /* 0 at 1, not -0 */
	return x < 0 ? -INFINITY : x;  /* 0, or NaN */
}

typedef num (*unary_fn)(num x);

static void apply(struct ay_ref *r, unary_fn f)
{
	const struct ay_view *self = ay_t(r->c, "self");
	const bool integers = ay_dt_is_integral(self->dt);
	const num *x = ay_load_flat(r, self, 0);

	for (int64_t i = r->lo; i < r->hi; i++) {
		num v = x[i - r->lo], y = f(integers ? (num)(float)re(v) : v);

		*ay_val(r, 0, i, 0) = y;
		*ay_mag(r, 0, i, 0) = 2 * (double)fabs(y);
	}
}

/* flops: what a reduction of the argument and a polynomial take, about. */
/* clang-format off */
/*	  name          y = f(x)           flops */
#define UNARY(U) \
	U(acosh,        acosh(x),          20) \
	U(asin,         asin(x),           20) \
	U(cos,          cos(x),            20) \
	U(cosh,         cosh(x),           20) \
	U(sin,          sin(x),            20) \
	U(erfc,         erfc(re(x)),       30) \
	U(log10,        log(x) / LN10,     20) \
	U(rsqrt,        1 / sqrt(x),       2)  \
	U(i0,           bessel_i0(re(x)),  60) \
	U(special_entr, entropy(re(x)),    20)
/* clang-format on */

#define U(name, y, per_element)                                                \
	static num name##_of(num x)                                            \
	{                                                                      \
		return y;                                                      \
	}                                                                      \
	static void name##_ref(struct ay_ref *r)                               \
	{                                                                      \
		apply(r, name##_of);                                           \
	}                                                                      \
	static void name##_cost(const struct ay_call *c, struct ay_cost *k)    \
	{                                                                      \
		k->flops = per_element * (double)ay_numel_of(ay_t(c, "self")); \
		k->bytes = -1;                                                 \
	}
UNARY(U)
#undef U

static int accepts(const struct ay_call *c, struct ay_err *err)
{
	return ay_accepts_float(c, true, err);
}

static int accepts_real(const struct ay_call *c, struct ay_err *err)
{
	return ay_accepts_float(c, false, err);
}

/* What ATen does otherwise, see above. */
static const char *aten_differs(const struct ay_call *c)
{
	enum { HALF = 1 << AY_DT_F16 | 1 << AY_DT_BF16, ANY = HALF | 1 << AY_DT_F32 | 1 << AY_DT_F64 };
	static const struct {
		const char *base;
		int dtypes;
		const char *why;
	} known[] = {
		{ "cosh", 1 << AY_DT_F32 | 1 << AY_DT_F64, "cosh overflows where the exponential does" },
		{ "i0", ANY, "I0 overflows where the exponential does, and is NaN at infinity" },
		{ "rsqrt", HALF, "the root is rounded to half types before its reciprocal" },
		{ "special_entr", HALF, "the logarithm is rounded to half types before the product" },
	};

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (!strcmp(c->s->base, known[i].base) && known[i].dtypes >> ay_t(c, "self")->dt & 1)
			return known[i].why;
	return NULL;
}

static const char *cuda_differs(const struct ay_call *c)
{
	if (!strcmp(c->s->base, "i0"))
		return "I0 overflows where the exponential does, and is NaN at infinity";
	return !strcmp(c->s->base, "log10") && ay_dt_is_complex(ay_t(c, "self")->dt)
		       ? "the modulus of a complex number is rounded before its logarithm"
		       : NULL;
}

/* --- fills -----------------------------------------------------------------------------------------------------
 */

/* Argument i of a fill, a number within reason. */
static int arg_or(const struct ay_fill *f, int i, int otherwise)
{
	if (i >= f->n || (f->arg[i].kind != AY_V_INT && f->arg[i].kind != AY_V_FLOAT))
		return otherwise;
	return (int)fmax(-1e6, fmin(1e6, f->arg[i].kind == AY_V_INT ? (double)f->arg[i].i : f->arg[i].f));
}

/* sizes(lo, hi): every binade from 2^lo to 2^(hi + 1) as likely as any other. */
static double sizes(const struct ay_call *c, const struct ay_operand *o, const struct ay_fill *f, int64_t i,
		    uint64_t bits)
{
	const int lo = arg_or(f, 0, -9), hi = arg_or(f, 1, 9), n = hi > lo ? hi - lo + 1 : 1;

	(void)c, (void)o, (void)i;
	return ldexp(1 + (double)(uint32_t)bits * 0x1p-32, lo + (int)((bits >> 33) % (unsigned)n));
}

/* The same with both signs. */
static double scales(const struct ay_call *c, const struct ay_operand *o, const struct ay_fill *f, int64_t i,
		     uint64_t bits)
{
	const double x = sizes(c, o, f, i, bits);

	return bits >> 32 & 1 ? -x : x;
}

/* turns(n): multiples of pi/2 up to n of them, as near as the dtype has them: zeros and extremes of sin and cos. */
static double turns(const struct ay_call *c, const struct ay_operand *o, const struct ay_fill *f, int64_t i,
		    uint64_t bits)
{
	const int64_t most = arg_or(f, 0, 1000), n = most > 0 ? most : 0;

	(void)c, (void)o, (void)i;
	return (double)((int64_t)(bits >> 32) % (2 * n + 1) - n) * 0x1.921fb54442d18p+0;
}

static const struct ay_maker makers[] = { { "sizes", sizes }, { "scales", scales }, { "turns", turns }, { 0 } };

/* --- the entries -----------------------------------------------------------------------------------------------
 */
/* clang-format off */
#define HALVES "Half types are computed in f32 and rounded once; integers and bools are converted to f32 first and give f32."

/* wide: dtypes beside f32 and the half types. inputs: what self is filled with. ints: and where it holds integers. hard:
 * fills for drawn cases of floats. */
#define ENTRY(name, takes, wide, words, inputs, ints, hard, ...) { \
	.schemas   = AY_SCHEMAS("aten::" #name "(Tensor self) -> Tensor", \
				"aten::" #name ".out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"), \
	.doc       = words " The shape is that of self. " HALVES, \
	.cases     = { \
		{ "((T(s, dt),), {})", "dt=f32|f16 s=[]|[1] ; dt=f32|f16|bf16 s=[0, 3]|[7]|[129]|[3, 65]|[2, 3, 4, 5] ; dt=" wide " s=[0]|[3, 65]", AY_QUICK }, \
		{ "((T([33], dt, fill=" ints "),), {})", "dt=i64|i32|i16|i8|u8", AY_QUICK }, \
		{ "((T([9], b8, fill=bool),), {})", "", AY_QUICK }, \
		{ "((T([257], dt, fill=special),), {})", "dt=f32|f16|bf16|f64", AY_QUICK }, \
		{ "((T([8, 33], dt, stride=(66, 2), offset=o),), {})", "dt=f32|f16|bf16 o=0|3", AY_QUICK }, \
		{ "((T([9, 16], dt, stride=st),), {})", "dt=f32|bf16 st=[1, 9]|[0, 1]|[1, 0]", AY_QUICK }, \
		{ "aten::" #name ".out((T(s, dt),), {'out': T(s, dt, stride=st, offset=o)})", "dt=f32 (s,st,o)=([],None,0) ; dt=f32|f16|bf16 (s,st,o)=([0, 3],None,0)|([7],[2],1)|([3, 65],[1, 3],0)|([3, 65],[130, 2],3) ; dt=" wide " (s,st,o)=([3, 65],[130, 2],1)", AY_QUICK }, \
		{ "((T(s, dt),), {})", "dt=f32|bf16 s=[512, 1024]|[16, 128, 64, 60]", AY_PERF }, \
		__VA_ARGS__ \
	}, \
	.vary      = {{ "((T(s, dt, fill=f),), {})", \
			"s=shape() dt=f32|f16|bf16|" wide " f=None ; s=shape() dt=f32|f16|bf16|f64 f='special' ; s=shape() " hard " ; " \
			"s=shape() dt=i64|i32|i16|i8|u8 f='" ints "' ; s=shape() dt=b8 f='bool'" }}, \
	.fills     = inputs, \
	.makers    = makers, \
	.accepts   = takes, \
	.result    = ay_result_float, \
	.reference = name##_ref, \
	.cost      = name##_cost, \
	.aten_differs = aten_differs, \
	.cuda_differs = cuda_differs, \
	.flags     = AY_ALIAS_SAFE, \
}
#define HARD(fill) "((T([257], dt, fill=" fill "),), {})"
/* The two grids that the original tests have. */
#define TESTED(name, last) \
	{ "((T(s, dt),), {})", "dt=f32|f16|bf16 s=[2, 3]|[128, 256]|" last, AY_FULL }, \
	{ "aten::" #name ".out((T(s, dt),), {'out': T(s, dt)})", "dt=f32|f16|bf16 s=[2, 3]|[128, 256]|" last, AY_FULL }
#define ACCURACY(fill) \
	{ "((T(s, dt" fill "),), {})", "dt=f16|f32|bf16 s=[]|[1]|[1024, 1024]|[20, 320, 15]|[16, 128, 64, 60]|[16, 7, 57, 32, 29]", AY_FULL }

const struct ay_op ay_ops_unary_math[] = {
ENTRY(acosh, accepts, "f64|c64|c128",
	"out = acosh(self) = log(self + sqrt(self^2 - 1)), element by element; NaN below 1, infinity at infinity. Complex numbers: the "
	"principal value, cut along the reals below 1. Keep the relative error near 1, where the formula cancels, and mind that self^2 "
	"overflows.",
	"self=uniform(1, 10)", "int(1, 9)",
	"(dt,f)=(f32,'sizes(0, 126)')|(bf16,'sizes(0, 126)')|(f16,'sizes(0, 14)')|(f64,'sizes(0, 1000)')|(f32,'uniform(1, 1.01)')|(f64,'uniform(1, 1.01)')",
	{ HARD("uniform(1, 1.01)"), "dt=f32|f16|bf16|f64", AY_QUICK },
	{ HARD("sizes(0, hi)"), "(dt,hi)=(f32,126)|(bf16,126)|(f16,14)|(f64,1000)", AY_QUICK },
	TESTED(acosh, "[512, 512]")),
ENTRY(asin, accepts, "f64|c64|c128",
	"out = asin(self), element by element, in [-pi/2, pi/2]; NaN outside of [-1, 1]. Complex numbers: the principal value, cut along "
	"the reals outside of [-1, 1].",
	"self=uniform(-1, 1)", "int(-1, 1)",
	"(dt,f)=(f32,'scales(-40, -1)')|(bf16,'scales(-20, -1)')|(f16,'scales(-12, -1)')|(f64,'scales(-60, -1)')|(f32,'uniform(0.99, 1)')|(f64,'uniform(-2, 2)')",
	{ HARD("uniform(0.99, 1)"), "dt=f32|f16|bf16|f64", AY_QUICK },
	{ HARD("uniform(-2, 2)"), "dt=f32|f16|bf16|f64", AY_QUICK },
	{ HARD("scales(lo, -1)"), "(dt,lo)=(f32,-40)|(bf16,-20)|(f16,-12)|(f64,-60)", AY_QUICK },
	TESTED(asin, "[512, 512]")),
ENTRY(cos, accepts, "f64|c64|c128",
	"out = cos(self), element by element, self in radians; NaN at infinities. Every finite self has its cosine: reduce huge arguments "
	"with all bits of pi that they need.",
	NULL, "int(-9, 9)",
	"(dt,f)=(f32,'scales(4, 126)')|(bf16,'scales(4, 126)')|(f16,'scales(4, 14)')|(f64,'scales(4, 1000)')|(f32,'turns(2000)')|(f16,'turns(2000)')|(bf16,'turns(200)')|(f64,'turns(20000)')",
	{ HARD("turns(n)"), "(dt,n)=(f32,2000)|(f16,2000)|(bf16,200)|(f64,20000)", AY_QUICK },
	{ HARD("scales(lo, 3)"), "(dt,lo)=(f32,-20)|(bf16,-6)|(f16,-8)|(f64,-30)", AY_QUICK },
	{ HARD("scales(4, hi)"), "(dt,hi)=(f32,126)|(bf16,126)|(f16,14)|(f64,1000)", AY_QUICK },
	{ "((T([65], i64, fill=int(-4000000000000000, 4000000000000000)),), {})", "", AY_QUICK },
	ACCURACY("")),
ENTRY(cosh, accepts, "f64|c64|c128",
	"out = cosh(self) = (exp(self) + exp(-self)) / 2, element by element; infinity at both infinities. It overflows ln 2 later than the "
	"exponential does.",
	"self=uniform(-3, 3)", "int(-9, 9)",
	"(dt,f)=(f32,'uniform(-88, 88)')|(bf16,'uniform(-88, 88)')|(f16,'uniform(-12, 12)')|(f64,'uniform(-709, 709)')|(f32,'uniform(88.5, 89.6)')|(f32,'scales(-12, 1)')|(f64,'scales(-27, 1)')",
	{ HARD("uniform(-x, x)"), "(dt,x)=(f32,88)|(bf16,88)|(f16,12)|(f64,709)", AY_QUICK },
	{ HARD("uniform(lo, hi)"), "(dt,lo,hi)=(f32,88.5,89.6)|(f64,709.5,710.6)", AY_QUICK },
	{ HARD("scales(lo, 1)"), "(dt,lo)=(f32,-12)|(bf16,-5)|(f16,-6)|(f64,-27)", AY_QUICK },
	TESTED(cosh, "[512, 512]")),
ENTRY(sin, accepts, "f64|c64|c128",
	"out = sin(self), element by element, self in radians; NaN at infinities. Every finite self has its sine: reduce huge arguments "
	"with all bits of pi that they need.",
	NULL, "int(-9, 9)",
	"(dt,f)=(f32,'scales(4, 126)')|(bf16,'scales(-20, 3)')|(f16,'scales(4, 14)')|(f64,'scales(4, 1000)')|(f32,'turns(2000)')|(f16,'turns(2000)')|(bf16,'turns(200)')|(f64,'turns(20000)')",
	{ HARD("turns(n)"), "(dt,n)=(f32,2000)|(f16,2000)|(bf16,200)|(f64,20000)", AY_QUICK },
	{ HARD("scales(lo, 3)"), "(dt,lo)=(f32,-40)|(bf16,-20)|(f16,-12)|(f64,-60)", AY_QUICK },
	{ HARD("scales(4, hi)"), "(dt,hi)=(f32,126)|(bf16,126)|(f16,14)|(f64,1000)", AY_QUICK },
	{ "((T([65], i64, fill=int(-4000000000000000, 4000000000000000)),), {})", "", AY_QUICK },
	ACCURACY("")),
ENTRY(erfc, accepts_real, "f64",
	"out = erfc(self) = 1 - erf(self) = 2 / sqrt(pi) * integral of exp(-t^2) from self to infinity, element by element; 2 at -infinity, 0 "
	"at infinity. The tail keeps its relative error down to the smallest normal number.",
	NULL, "int(-4, 4)",
	"(dt,f)=(f32,'uniform(3, 9.5)')|(bf16,'uniform(0, 9.5)')|(f16,'uniform(0, 4.2)')|(f64,'uniform(4, 27)')|(f32,'scales(-26, 1)')|(f64,'scales(-54, 1)')|(f32,'uniform(-4, 0)')",
	{ HARD("uniform(lo, hi)"), "(dt,lo,hi)=(f32,0,3)|(f32,3,9.5)|(bf16,0,9.5)|(f16,0,4.2)|(f64,0,4)|(f64,4,27)", AY_QUICK },
	{ HARD("uniform(-4, 0)"), "dt=f32|f16|bf16|f64", AY_QUICK },
	{ HARD("scales(lo, 1)"), "(dt,lo)=(f32,-26)|(bf16,-9)|(f16,-12)|(f64,-54)", AY_QUICK },
	TESTED(erfc, "[1024, 1024]")),
ENTRY(log10, accepts, "f64|c64|c128",
	"out = log10(self), element by element; -infinity at 0 and -0, NaN below. Complex numbers: the principal value, cut along the "
	"negative reals. The relative error stays small near 1.",
	"self=uniform(0.01, 1.01)", "int(1, 99)",
	"(dt,f)=(f32,'sizes(-126, 126)')|(bf16,'sizes(-126, 126)')|(f16,'sizes(-24, 14)')|(f64,'sizes(-1022, 1000)')|(f32,'uniform(0.99, 1.01)')|(f64,'uniform(0.99, 1.01)')|(f32,'normal')",
	{ HARD("uniform(0.99, 1.01)"), "dt=f32|f16|bf16|f64", AY_QUICK },
	{ HARD("sizes(lo, hi)"), "(dt,lo,hi)=(f32,-126,126)|(bf16,-126,126)|(f16,-24,14)|(f64,-1022,1000)", AY_QUICK },
	{ HARD("normal"), "dt=f32|f16|bf16|f64", AY_QUICK },
	TESTED(log10, "[1024, 1024]")),
ENTRY(rsqrt, accepts, "f64|c64|c128",
	"out = 1 / sqrt(self), element by element; infinity at 0, -infinity at -0, 0 at infinity, NaN below 0.",
	"self=uniform(0.1, 9)", "int(0, 9)",
	"(dt,f)=(f32,'sizes(-126, 126)')|(bf16,'sizes(-126, 126)')|(f16,'sizes(-24, 14)')|(f64,'sizes(-1022, 1000)')|(f32,'normal')|(f16,'normal')",
	{ HARD("sizes(lo, hi)"), "(dt,lo,hi)=(f32,-126,126)|(bf16,-126,126)|(f16,-24,14)|(f64,-1022,1000)", AY_QUICK },
	{ HARD("normal"), "dt=f32|f16|bf16|f64", AY_QUICK },
	ACCURACY(", fill=normal")),
ENTRY(i0, accepts_real, "f64",
	"out = I0(self), the modified Bessel function of the first kind of order 0: the sum over k >= 0 of (self / 2)^(2k) / (k!)^2, element by "
	"element; infinity at both infinities. It grows like exp(|self|) / sqrt(2 pi |self|) and overflows later than the exponential.",
	"self=normal(0, 3)", "int(-9, 9)",
	"(dt,f)=(f32,'uniform(-88, 88)')|(bf16,'uniform(-88, 88)')|(f16,'uniform(-14, 14)')|(f64,'uniform(-709, 709)')|(f32,'uniform(7, 9)')|(f32,'uniform(88.8, 92.4)')|(f32,'scales(-12, 2)')|(f64,'scales(-27, 2)')",
	{ HARD("uniform(-x, x)"), "(dt,x)=(f32,88)|(bf16,88)|(f16,14)|(f64,709)", AY_QUICK },
	{ HARD("uniform(lo, hi)"), "(dt,lo,hi)=(f32,7,9)|(f32,88.8,92.4)|(f64,7,9)|(f64,709.8,714.4)", AY_QUICK },
	{ HARD("scales(lo, 2)"), "(dt,lo)=(f32,-12)|(bf16,-5)|(f16,-6)|(f64,-27)", AY_QUICK },
	TESTED(i0, "[512, 512]")),
ENTRY(special_entr, accepts_real, "f64",
	"out = -self * log(self), element by element; 0 at 0, -infinity below 0 and at infinity. The relative error stays small near 1.",
	"self=uniform(-0.2, 0.8)", "int(0, 9)",
	"(dt,f)=(f32,'sizes(-126, 118)')|(bf16,'sizes(-126, 118)')|(f16,'sizes(-24, 11)')|(f64,'sizes(-1022, 1000)')|(f32,'uniform(0.99, 1.01)')|(f64,'uniform(0.99, 1.01)')",
	{ HARD("uniform(0.99, 1.01)"), "dt=f32|f16|bf16|f64", AY_QUICK },
	{ HARD("sizes(lo, hi)"), "(dt,lo,hi)=(f32,-126,118)|(bf16,-126,118)|(f16,-24,11)|(f64,-1022,1000)", AY_QUICK },
	{ HARD("uniform(0, 3)"), "dt=f32|f16|bf16|f64", AY_QUICK },
	TESTED(special_entr, "[512, 512]")),
{0}};
