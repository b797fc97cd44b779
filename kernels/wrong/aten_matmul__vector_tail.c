/* due: OVERRUN - works on eight columns at a time without a tail: reads and writes behind the last row. */
#include <assay/kernel.h>

int aten_matmul(const ay_tensor *self, const ay_tensor *other, ay_tensor *out, const ay_ctx *ctx)
{
	const float *a = self->data, *b = other->data;
	float *c = out->data;

	(void)ctx;
	if (self->ndim != 2 || other->ndim != 2 || ay_dt(out) != AY_F32 || !ay_is_dense(self) ||
	    !ay_is_dense(other) || !ay_is_dense(out))
		return AY_UNSUPPORTED; /* dense f32 matrices only */
	const int64_t m = self->shape[0], k = self->shape[1], n = other->shape[1];

	for (int64_t i = 0; i < m; i++) {
		for (int64_t j = 0; j < n; j += 8) { /* the mistake: n may not be a multiple of eight */
			float sum[8] = { 0 };

			for (int64_t p = 0; p < k; p++)
				for (int l = 0; l < 8; l++)
					sum[l] += a[i * k + p] * b[p * n + j + l];
			for (int l = 0; l < 8; l++)
				c[i * n + j + l] = sum[l];
		}
	}
	return AY_OK;
}
