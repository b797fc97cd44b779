/* due: MISMATCH - the last row is a copy of the one before. */
#include <assay/kernel.h>

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
				sum += ay_read(self, (m > 1 && i == m - 1 ? i - 1 : i) * self->strides[0] +
							     p * self->strides[1]) * /* the mistake */
				       ay_read(other, p * other->strides[0] + j * other->strides[1]);
			ay_write(out, i * out->strides[0] + j * out->strides[1], sum);
		}
	}
	return AY_OK;
}
