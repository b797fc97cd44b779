/* SPDX-License-Identifier: Apache-2.0
 *
 * out = psi^(n)(self), the n-th derivative of psi = digamma = (log Gamma)'. For n >= 1 that is
 * (-1)^(n+1) n! zeta(n + 1, self), zeta(s, x) = sum over k >= 0 of (x + k)^-s.
 *
 * The oracle: Euler and Maclaurin's formula from x >= 25 + s on, the terms before it one by one. Negative x are
 * reflected: psi(x) = psi(1 - x) - pi / tan(pi x); zeta(s, x) = zeta(s, b) + (-1)^s (zeta(s, a) - zeta(s, 1 - x)),
 * where a and b are the distances of x to the next whole numbers above and below. Poles, that is 0 and every whole
 * number below it: (-1)^(n+1) infinity, as the formula has it, from n = 1 on; psi is -infinity at 0, infinity at -0
 * and NaN at the others.
 *
 * Error: every library adds up a few 1 / (x + k)^s before its asymptotic series. psi: mag is the sum of the sizes of
 * all parts, log x, the quotients and the reflection; it has zeros (1.4616 and one between any two poles), around
 * which the error is absolute. n >= 1: mag = 2 n! times the sizes of the zetas, for x > 0 that is 2 |out|.
 *
 * What the original test missed: x in [0.5, 4.5) alone, n up to 2. No x near a pole or below 0, none beyond 10,
 * where the series is not shifted any more, no f64, integer, special value or stride; an absolute tolerance of 1e-4
 * hides the zero of psi.
 *
 * Cases: original 54 (27 + 27 out), all distinct and sound; here 54 full.
 *
 * ATen on the CPU (2.13): trigamma's series is as long as f32 needs it; in f64 it is off by up to 1e-9. Below 0 it
 * takes the sine of pi x, not of pi times x's distance r to the next whole number: several times the bound in f32,
 * and at the poles a large number or NaN instead of infinity. From n = 2 on infinity gives NaN, the limit being 0,
 * and half types get zeta rounded before it is multiplied by n! and rounded again. digamma below 0 takes the tangent
 * of pi times x's fraction, which is near -pi above every pole: in f64, in which it is computed, tens of times the
 * bound at 0.004 above one; so does SciPy. The distance to the nearest whole number is exact: libraries that take
 * its tangent (XLA, Boost, Cephes) need 1.8 of the 4 of the bound at most, wherever x is (docs/oracle.md).
 */
#include "op/op.h"

#include <string.h>

enum { FROM = 25, MAX_N = 100 };

#define PI ((real)3.141592653589793238462643383279502884L)

/* Bernoulli's numbers B_2, B_4, ... */
static const long double bernoulli[] = { 1.0L / 6,       -1.0L / 30,       1.0L / 42,      -1.0L / 30,
					 5.0L / 66,      -691.0L / 2730,   7.0L / 6,       -3617.0L / 510,
					 43867.0L / 798, -174611.0L / 330, 854513.0L / 138 };
enum { TERMS = sizeof bernoulli / sizeof *bernoulli };

/* A value, and the sum of the sizes of what was added up. */
struct parts {
	real y, size;
};

/* x^-s */
static real inverse_power(real x, int s)
{
	real p = x;

	for (int k = 1; k < s; k++)
		p *= x;
	return 1 / p;
}

/* x > 0, s > 1 */
static real zeta(int s, real x)
{
	real sum = 0, power, term;

	if (isinf(x))
		return 0;
	for (; x < FROM + s; x++)
		sum += inverse_power(x, s);
	power = inverse_power(x, s);
	sum += power * x / (s - 1) + power / 2;
	term = power * s / (2 * x);
	for (int k = 1; k <= TERMS; k++) {
		sum += (real)bernoulli[k - 1] * term;
		term *= (real)(s + 2 * k - 1) * (s + 2 * k) / ((real)(2 * k + 1) * (2 * k + 2)) / (x * x);
	}
	return sum;
}

/* x > 0 */
static struct parts digamma(real x)
{
	struct parts p = { 0, 0 };
	real power = 1;

	for (; x < FROM; x++) {
		p.y -= 1 / x;
		p.size += 1 / x;
	}
	p.size += fabs(log(x));
	p.y += log(x) - 1 / (2 * x);
	for (int k = 1; k <= TERMS; k++) {
		power /= x * x;
		p.y -= (real)bernoulli[k - 1] / (2 * k) * power;
	}
	return p;
}

static struct parts digamma_any(real x)
{
	struct parts p;
	real turn;

	if (x > 0)
		return digamma(x);
	if (x == 0)
		return (struct parts){ copysign((real)INFINITY, -x), 0 };
	if (isnan(x) || x == floor(x))
		return (struct parts){ NAN, 0 };
	turn = PI / tan(PI * (x - rint(x)));
	p = digamma(1 - x);
	return (struct parts){ p.y - turn, p.size + fabs(turn) };
}

static struct parts zeta_any(int s, real x)
{
	const int sign = s % 2 ? -1 : 1;
	real up, down, rest;

	if (isnan(x) || x == -INFINITY)
		return (struct parts){ x, 0 };
	if (x <= 0 && x == floor(x))
		return (struct parts){ INFINITY, 0 };
	if (x > 0)
		return (struct parts){ zeta(s, x), zeta(s, x) };
	up = zeta(s, ceil(x) - x);
	down = zeta(s, x - floor(x));
	rest = zeta(s, 1 - x);
	return (struct parts){ down + sign * (up - rest), down + up + rest };
}

static void polygamma(struct ay_ref *r)
{
	const struct ay_view *self = ay_t(r->c, "self");
	const int n = (int)ay_int(r->c, "n");
	const num *x = ay_load_flat(r, self, 0);
	real factor = n % 2 ? 1 : -1;

	for (int k = 2; k <= n; k++)
		factor *= k;
	for (int64_t i = r->lo; i < r->hi; i++) {
		real v = ay_dt_is_integral(self->dt) ? (float)re(x[i - r->lo]) : re(x[i - r->lo]);
		struct parts p = n ? zeta_any(n + 1, v) : digamma_any(v);

		*ay_val(r, 0, i, 0) = n ? factor * p.y : p.y;
		*ay_mag(r, 0, i, 0) = n && v == -INFINITY ? AY_FREE
							  : (double)(n ? 2 * fabs(factor) * p.size : p.size);
	}
}

static int accepts(const struct ay_call *c, struct ay_err *err)
{
	if (ay_int(c, "n") < 0 || ay_int(c, "n") > MAX_N)
		return ay_fail(err, AY_ERR_BIND, "n must not be negative; beyond %d it is not judged", MAX_N);
	return ay_accepts_float(c, false, err);
}

static bool goes_below_0(const struct ay_operand *o)
{
	return o->data || !strcmp(o->fill.name, "special") ||
	       (o->fill.n && (o->fill.arg[0].kind == AY_V_INT ? o->fill.arg[0].i < 0 : o->fill.arg[0].f < 0));
}

static const char *aten_differs(const struct ay_call *c)
{
	const struct ay_operand *self = ay_operand(c, "self");
	const enum ay_dt dt = self->view.dt;
	const int64_t n = ay_int(c, "n");

	if (n == 0 && dt == AY_DT_F64 && goes_below_0(self))
		return "digamma takes the tangent of pi times a fraction near -1";
	if (n == 1 && dt == AY_DT_F64)
		return "trigamma's series ends where f32 needs no more";
	if (n == 1 && goes_below_0(self))
		return "trigamma rounds pi x before the sine, so that poles below 0 are finite";
	if (n > 1 && (self->data || !strcmp(self->fill.name, "special")))
		return "zeta of infinity is NaN";
	if (n > 1 && (dt == AY_DT_F16 || dt == AY_DT_BF16))
		return "zeta is rounded to half types before the product with n!";
	return NULL;
}

static void cost(const struct ay_call *c, struct ay_cost *k)
{
	k->flops = 60.0 *
		   (double)ay_numel_of(ay_t(c, "self")); /* some ten terms, a series, a power or a logarithm */
	k->bytes = -1;
}

/* clang-format off */
const struct ay_op ay_ops_polygamma[] = {{
	.schemas   = AY_SCHEMAS("aten::polygamma(int n, Tensor self) -> Tensor",
				"aten::polygamma.out(int n, Tensor self, *, Tensor(a!) out) -> Tensor(a!)"),
	.doc       = "out = psi^(n)(self), element by element, in self's shape: n = 0 is digamma, the derivative of log Gamma, n >= 1 its n-th "
		     "derivative (-1)^(n+1) n! sum over k >= 0 of (self + k)^-(n+1). Below 0 the same sum, or the reflection psi(x) = psi(1 - x) - "
		     "pi / tan(pi x). At 0 and the negative whole numbers it is (-1)^(n+1) infinity for n >= 1; digamma is -infinity at 0, infinity "
		     "at -0 and NaN at the others. At infinity digamma is infinite and the others are 0. Half types are computed in f32 and rounded "
		     "once; integers and bools are converted to f32 first and give f32.",
	.cases     = {
		{ "((1, T(s, dt)), {})", "dt=f32|f16|bf16 s=[]|[1]|[0, 3]|[7]|[3, 65]|[2, 3, 4, 5]", AY_QUICK },
		{ "((n, T([3, 65], dt)), {})", "n=0|2|3 dt=f32|f16|bf16 ; n=0|1|2|3|5 dt=f64", AY_QUICK },
		{ "((n, T([129], dt, fill=uniform(lo, hi))), {})", "n=0|1|2 dt=f32|f16|bf16|f64 (lo,hi)=(0.01,0.5)|(4,99) ; n=0 dt=f32|f16|bf16|f64 (lo,hi)=(1.4,1.5)", AY_QUICK },
		{ "((n, T([129], dt, fill=uniform(-9, 0))), {})", "n=0|1|2|3 dt=f32|f16|bf16|f64", AY_QUICK },
		{ "((n, T([257], dt, fill=special(3))), {})", "n=0|1|2 dt=f32|f16|bf16|f64", AY_QUICK },
		{ "((n, T([9], dt, data=[0.0, -0.0, -1.0, -2.0, 1.0, 2.0, inf, nan, 0.5])), {})", "n=0|1|2|3 dt=f32|f16|f64", AY_QUICK },
		{ "((n, T([33], dt, fill=int(0, 9))), {})", "n=0|2 dt=i64|i32|u8 ; n=1 dt=i16|i8", AY_QUICK },
		{ "((1, T([9], b8, fill=bool)), {})", "", AY_QUICK },
		{ "((n, T([8, 33], dt, stride=(66, 2), offset=o)), {})", "n=1|2 dt=f32|f16 o=0|3", AY_QUICK },
		{ "((0, T([9, 16], dt, stride=st)), {})", "dt=f32|bf16 st=[1, 9]|[0, 1]|[1, 0]", AY_QUICK },
		{ "aten::polygamma.out((n, T(s, dt)), {'out': T(s, dt, stride=st, offset=o)})", "dt=f32|f16|bf16 (s,st,o,n)=([],None,0,1)|([0, 3],None,0,2)|([7],[2],1,2)|([3, 65],[1, 3],0,0)|([3, 65],[130, 2],3,1)", AY_QUICK },
		{ "((n, T(s, dt)), {})", "n=0|1|2 dt=f32|f16|bf16 s=[2, 3]|[128, 256]|[512, 512]", AY_FULL },
		{ "aten::polygamma.out((n, T(s, dt)), {'out': T(s, dt)})", "n=0|1|2 dt=f32|f16|bf16 s=[2, 3]|[128, 256]|[512, 512]", AY_FULL },
		{ "((n, T(s, dt)), {})", "n=0|1|2 dt=f32 s=[512, 1024]|[1024, 4096]", AY_PERF },
	},
	.vary      = {
		{ "((n, T(s, dt, fill=f)), {})", "s=shape() n=0|1|2|3|5 dt=f32|f16|bf16|f64 f=None|'uniform(0.01, 0.5)'|'uniform(4, 99)'|'uniform(-9, 0)'|'special(3)' ; s=shape() n=0|1|2 dt=i64|i32|i16|i8|u8 f='int(0, 9)' ; s=shape() n=0|1|2 dt=b8 f='bool'" },
	},
	.fills     = "self=uniform(0.5, 4.5)",
	.accepts   = accepts,
	.result    = ay_result_float,
	.reference = polygamma,
	.cost      = cost,
	.promises  = "-infinity, from n = 1 on",
	.aten_differs = aten_differs,
	.cuda_differs = aten_differs,
	.flags     = AY_ALIAS_SAFE,
}, {0}};
