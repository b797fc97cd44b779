/* due: PASS - vectors of f32, f16 and bf16 through double: for |x|, t e^(-x^2 + p(t)) with t = 1 / (1 + |x| / 2)
 * and a Chebyshev fit p, good to 1.2e-7 of the result everywhere, tail too. f64 and integers through libm. */
#include <assay/kernel_elementwise.h>

typedef double wide __attribute__((vector_size(8 * AY_LANES)));
typedef int64_t longs __attribute__((vector_size(8 * AY_LANES)));

/* e^a for -200 <= a <= 1, to 1e-9: 2^k e^r. k is in the low bits of a sum that has no room behind the point. */
AY_INLINE wide exp_wide(wide a)
{
	const wide shifted = a * 1.4426950408889634 + 0x1.8p52, r = a - (shifted - 0x1.8p52) * 0.6931471805599453;
	wide p = r * (1 / 40320.0) + 1 / 5040.0;

	p = p * r + 1 / 720.0;
	p = p * r + 1 / 120.0;
	p = p * r + 1 / 24.0;
	p = p * r + 1 / 6.0;
	p = p * r + 0.5;
	p = p * r + 1;
	p = p * r + 1;
	return (wide)((longs)p + ((longs)shifted << 52));
}

/* Chebyshev fit: Numerical Recipes, section 6.2 (erfcc). From 12 on the result is 0 in f32. */
AY_INLINE ay_vec erfc_vec(ay_vec x, ay_vec unused, const float *k)
{
	const ay_vec size = ay_vec_abs(x), in = ay_select(size < 12, size, ay_vec_of(12));
	const wide z = __builtin_convertvector(in, wide), t = 1 / (1 + 0.5 * z);
	wide p = t * 0.17087277 - 0.82215223;
	ay_vec y;

	p = p * t + 1.48851587;
	p = p * t - 1.13520398;
	p = p * t + 0.27886807;
	p = p * t - 0.18628806;
	p = p * t + 0.09678418;
	p = p * t + 0.37409196;
	p = p * t + 1.00002368;
	p = p * t - 1.26551223;
	y = __builtin_convertvector(t * exp_wide(p - z * z), ay_vec);
	y = ay_select(x < 0, 2 - y, y);
	return ay_select(x == x, y, x);
}

static void erfc_one(const struct ay_map *m, int64_t to, int64_t from, int64_t from2)
{
	ay_write(m->out, to, erfc(ay_read_promoted(m->in[0], from)));
}

static void erfc_pieces(const void *job, int64_t from, int64_t to)
{
	ay_map_pieces(job, from, to, erfc_vec, erfc_one);
}

int aten_erfc(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	if (ay_is_complex(self))
		return AY_UNSUPPORTED;
	return ay_map((struct ay_map){ .out = out, .in = { self } }, erfc_pieces, 4, ctx);
}
