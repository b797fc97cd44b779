/* due: MISMATCH - exp(y log |x|): negative bases are never NaN and lose their sign. */
#include <assay/kernel_convert.h>
#include <complex.h>
#include <math.h>

typedef struct {
	double re, im;
} pair;

static pair read_pair(const ay_tensor *t, int64_t at)
{
	const double sign = t->flags & AY_CONJ ? -1 : 1;

	switch (ay_dt(t)) {
	case AY_C128:
		return (pair){ ((const double *)t->data)[2 * at], sign * ((const double *)t->data)[2 * at + 1] };
	case AY_C64:
		return (pair){ ((const float *)t->data)[2 * at], sign * ((const float *)t->data)[2 * at + 1] };
	case AY_C32:
		return (pair){ ay_from_f16(((const uint16_t *)t->data)[2 * at]),
			       sign * ay_from_f16(((const uint16_t *)t->data)[2 * at + 1]) };
	default: return (pair){ ay_read(t, at), 0 };
	}
}

static void write_pair(const ay_tensor *t, int64_t at, pair x)
{
	if (ay_dt(t) == AY_C128) {
		((double *)t->data)[2 * at] = x.re;
		((double *)t->data)[2 * at + 1] = x.im;
	} else if (ay_dt(t) == AY_C64) {
		((float *)t->data)[2 * at] = (float)x.re;
		((float *)t->data)[2 * at + 1] = (float)x.im;
	} else {
		((uint16_t *)t->data)[2 * at] = ay_to_f16((float)x.re);
		((uint16_t *)t->data)[2 * at + 1] = ay_to_f16((float)x.im);
	}
}

/* Where t, stretched to out's shape, has the element with flat index i of out; *step: to the next one in the last
 * dim. */
static int64_t stretched_at(const ay_tensor *t, const ay_tensor *out, int64_t i, int64_t *step)
{
	int64_t at = 0;

	*step = 0;
	for (int32_t d = out->ndim - 1; d >= 0; d--) {
		const int32_t k = d - (out->ndim - t->ndim);

		if (k >= 0 && t->shape[k] != 1) {
			at += i % out->shape[d] * t->strides[k];
			*step = d == out->ndim - 1 ? t->strides[k] : *step;
		}
		i /= out->shape[d];
	}
	return at;
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

static double real_power(double x, double y)
{
	return exp(y * log(fabs(x)));
}

/* Element `to` of out from elements of a and b. */
static void power_one(const ay_tensor *a, int64_t ia, const ay_tensor *b, int64_t ib, ay_tensor *out, int64_t to)
{
	if (ay_is_integral(out)) {
		ay_write_int(out, to, int_power(ay_read_int(a, ia), ay_read_int(b, ib)));
	} else if (ay_is_complex(out)) {
		const pair x = read_pair(a, ia), y = read_pair(b, ib);
		const double complex f = cpow(__builtin_complex(x.re, x.im), __builtin_complex(y.re, y.im));

		write_pair(out, to, (pair){ creal(f), cimag(f) });
	} else {
		ay_write(out, to, real_power(ay_read(a, ia), ay_read(b, ib)));
	}
}

int aten_pow_Tensor_Tensor(const ay_tensor *self, const ay_tensor *exponent, ay_tensor *out, const ay_ctx *ctx)
{
	const int64_t n = ay_numel(out), line = out->ndim ? out->shape[out->ndim - 1] : 1;
	const int64_t so = out->ndim ? out->strides[out->ndim - 1] : 1;

	(void)ctx;
	for (int64_t i = 0; i < n; i += line) {
		int64_t sa, sb, ia = stretched_at(self, out, i, &sa), ib = stretched_at(exponent, out, i, &sb);
		const int64_t io = ay_at(out, i);

		for (int64_t j = 0; j < line; j++)
			power_one(self, ia + j * sa, exponent, ib + j * sb, out, io + j * so);
	}
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
