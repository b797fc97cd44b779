/* due: MISMATCH - f32 inputs are rounded to the 11 bits of TF32. */
#include <assay/kernel.h>

static float tf32(const ay_tensor *t, double x)
{
	uint32_t u = ay_f32_bits((float)x);

	return ay_dt(t) == AY_F32 ? ay_bits_f32((u + 0xfff + (u >> 13 & 1)) & ~0x1fffu)
				  : (float)x; /* the mistake */
}

int aten_matmul(const ay_tensor *self, const ay_tensor *other, ay_tensor *out, const ay_ctx *ctx)
{
	const int64_t m = self->shape[0], k = self->shape[self->ndim - 1], n = other->shape[other->ndim - 1];

	(void)ctx;
	if (self->ndim != 2 || other->ndim != 2 || out->dtype.code == AY_CODE_COMPLEX ||
	    out->dtype.code < AY_CODE_FLOAT)
		return AY_UNSUPPORTED; /* matrices of floats only */
	for (int64_t i = 0; i < m; i++) {
		for (int64_t j = 0; j < n; j++) {
			double sum = 0;

			for (int64_t p = 0; p < k; p++)
				sum += tf32(self, ay_read(self, i * self->strides[0] + p * self->strides[1])) *
				       tf32(other, ay_read(other, p * other->strides[0] + j * other->strides[1]));
			ay_write(out, i * out->strides[0] + j * out->strides[1], sum);
		}
	}
	return AY_OK;
}
