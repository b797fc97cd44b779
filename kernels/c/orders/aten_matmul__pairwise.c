/* due: PASS - dot products by halves. */
#include <assay/kernel.h>

/* Number `im` (0 real, 1 imaginary) of an element. */
static double part(const ay_tensor *t, int64_t at, int im)
{
	double sign = im && t->flags & AY_CONJ ? -1 : 1;

	if (!ay_is_complex(t))
		return im ? 0 : ay_read(t, at);
	return sign * (ay_dt(t) == AY_C64 ? ((float *)t->data)[2 * at + im] : ((double *)t->data)[2 * at + im]);
}

static bool f32; /* every operation is rounded to f32 */

static double f(double x)
{
	return f32 ? (float)x : x;
}

static double sum(const double *t, int64_t n)
{
	if (n < 2)
		return n ? t[0] : 0;
	return f(sum(t, n / 2) + sum(t + n / 2, n - n / 2));
}

/* Products of integers wrap: one dot product modulo 2^64. */
static void dot_integers(const ay_tensor *x, int64_t from, int64_t dx, const ay_tensor *y, int64_t at, int64_t dy,
			 int64_t k, ay_tensor *out, int64_t to)
{
	uint64_t s = 0;

	for (int64_t p = 0; p < k; p++, from += dx, at += dy)
		s += ay_dt(x) == AY_I64 ? (uint64_t)((const int64_t *)x->data)[from] *
						  (uint64_t)((const int64_t *)y->data)[at]
					: (uint64_t)((int64_t)ay_read(x, from) * (int64_t)ay_read(y, at));
	if (ay_dt(out) == AY_I64)
		((int64_t *)out->data)[to] = (int64_t)s;
	else
		ay_write(out, to,
			 out->dtype.bits == 32   ? (int32_t)s
			 : out->dtype.bits == 16 ? (int16_t)s
						 : (uint8_t)s);
}

/* Start of the matrix (or vector) of t that belongs to matrix `stack` of out. */
static int64_t stack_at(const ay_tensor *t, int32_t tail, const ay_tensor *out, int32_t out_tail, int64_t stack)
{
	int64_t at = 0;

	for (int32_t l = out->ndim - out_tail - 1, d = t->ndim - tail - 1; l >= 0; stack /= out->shape[l--], d--)
		if (d >= 0 && t->shape[d] > 1)
			at += stack % out->shape[l] * t->strides[d];
	return at;
}

int aten_matmul(const ay_tensor *self, const ay_tensor *other, ay_tensor *out, const ay_ctx *ctx)
{
	const int32_t a = self->ndim, b = other->ndim, ta = a > 1 ? 2 : 1, tb = b > 1 ? 2 : 1,
		      parts = ay_is_complex(out) ? 2 : 1;
	const int64_t k = self->shape[a - 1], m = ta == 2 ? self->shape[a - 2] : 1,
		      n = tb == 2 ? other->shape[b - 1] : 1;
	double *t = ctx->scratch(ctx, (size_t)k * sizeof *t + 1);
	ay_tensor flat = *out; /* complex numbers as pairs */

	flat.dtype.code = parts == 2 ? AY_CODE_FLOAT : out->dtype.code;
	flat.dtype.bits = (uint8_t)(out->dtype.bits / parts);
	f32 = ay_dt(&flat) == AY_F32 || ay_dt(&flat) == AY_F16 || ay_dt(&flat) == AY_BF16;
	for (int64_t e = 0; e < ay_numel(out) * parts; e++) {
		const int64_t i = e / parts, col = i % n, row = i / n % m, im = e % parts;
		int64_t x = stack_at(self, ta, out, ta + tb - 2, i / n / m) +
			    (ta == 2 ? row * self->strides[a - 2] : 0);
		int64_t y = stack_at(other, tb, out, ta + tb - 2, i / n / m) +
			    (tb == 2 ? col * other->strides[b - 1] : 0);

		if (out->dtype.code == AY_CODE_INT || out->dtype.code == AY_CODE_UINT) {
			dot_integers(self, x, self->strides[a - 1], other, y, other->strides[b - tb], k, out,
				     ay_at(out, i));
			continue;
		}
		for (int64_t p = 0; p < k; p++, x += self->strides[a - 1], y += other->strides[b - tb]) {
			t[p] = part(self, x, 0) * part(other, y, (int)im);
			if (parts == 2)
				t[p] += part(self, x, 1) * part(other, y, !im) * (im ? 1 : -1);
			t[p] = f(t[p]);
		}
		ay_write(&flat, ay_at(out, i) * parts + im, sum(t, k));
	}
	return AY_OK;
}
