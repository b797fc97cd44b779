/* due: MISMATCH - an i64 beyond 2^53 loses its last bits in a double. */
#include <assay/kernel_complex.h>
#include <assay/kernel_convert.h>
#include <assay/kernel_iter.h>
#include <math.h>

/* The mistake: a double has 53 bits. */
static int64_t read_int(const ay_tensor *t, int64_t at)
{
	return (int64_t)ay_read(t, at);
}

static int64_t int_power(int64_t x, int64_t y)
{
	uint64_t p = 1, b = (uint64_t)x;

	if (y < 0)
		return x == 1 ? 1 : x == -1 ? (y % 2 ? -1 : 1) : 0;
	for (; y; y >>= 1, b *= b)
		p *= y & 1 ? b : 1;
	return (int64_t)p;
}

static double complex read_any(const ay_tensor *t, int64_t at)
{
	return __builtin_complex(ay_read_part(t, at, 0), ay_read_part(t, at, 1));
}

/* Element `to` of out from elements of a and b. */
static void power_one(const ay_tensor *a, int64_t ia, const ay_tensor *b, int64_t ib, ay_tensor *out, int64_t to)
{
	if (ay_is_integral(out)) {
		ay_write_int(out, to, int_power(read_int(a, ia), read_int(b, ib)));
	} else if (ay_is_complex(out)) {
		const double complex z = cpow(read_any(a, ia), read_any(b, ib));

		ay_write_part(out, to, 0, creal(z));
		ay_write_part(out, to, 1, cimag(z));
	} else {
		ay_write(out, to, pow(ay_read(a, ia), ay_read(b, ib)));
	}
}

int aten_pow_Tensor_Tensor(const ay_tensor *self, const ay_tensor *exponent, ay_tensor *out, const ay_ctx *ctx)
{
	const struct ay_lines l = ay_find_lines(out, 2, self, exponent, AY_PIECE);

	(void)ctx;
	for (struct ay_piece p = ay_piece_at(&l, 0); p.index < l.count; ay_next_piece(&l, &p))
		for (int64_t e = 0; e < p.n; e++)
			power_one(self, p.in[0] + e * l.step[0], exponent, p.in[1] + e * l.step[1], out,
				  p.out + e);
	return AY_OK;
}

int aten_pow_Tensor_Scalar(const ay_tensor *self, ay_scalar exponent, ay_tensor *out, const ay_ctx *ctx)
{
	const ay_tensor t = ay_scalar_tensor(&exponent);

	return aten_pow_Tensor_Tensor(self, &t, out, ctx);
}

int aten_pow_Scalar(ay_scalar self, const ay_tensor *exponent, ay_tensor *out, const ay_ctx *ctx)
{
	const ay_tensor t = ay_scalar_tensor(&self);

	return aten_pow_Tensor_Tensor(&t, exponent, out, ctx);
}
