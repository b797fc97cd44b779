/* due: MISMATCH - an i64 beyond 2^53 loses its last bits in a double. */
#include <assay/kernel.h>

static void relu_dense_f32(const float *x, float *y, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		y[i] = x[i] <= 0 ? 0 : x[i]; /* NaN is not <= 0 and stays */
}

int aten_relu(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	const int64_t n = ay_numel(self);

	(void)ctx;
	if (ay_is_complex(self))
		return AY_UNSUPPORTED;
	if (ay_dt(self) == AY_F32 && ay_is_dense(self) && ay_is_dense(out)) {
		relu_dense_f32(self->data, out->data, n);
	} else {
		for (int64_t i = 0; i < n; i++) {
			double v = ay_read(self, ay_at(self, i));

			ay_write(out, ay_at(out, i), v <= 0 ? 0 : v);
		}
	}
	return AY_OK;
}
