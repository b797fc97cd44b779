/* due: MISMATCH (--full) - an element beyond the first 2^20 is wrong. */
#include <assay/kernel.h>

static void relu_dense_f32(const float *x, float *y, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		y[i] = x[i] <= 0 ? 0 : x[i]; /* NaN is not <= 0 and stays */
}

/* i64 does not fit into ay_read's double. */
static void relu_i64(const ay_tensor *self, ay_tensor *out, int64_t n)
{
	const int64_t *x = self->data;
	int64_t *y = out->data;

	for (int64_t i = 0; i < n; i++) {
		int64_t v = x[ay_at(self, i)];

		y[ay_at(out, i)] = v > 0 ? v : 0;
	}
}

int aten_relu(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	const int64_t n = ay_numel(self);

	(void)ctx;
	if (ay_is_complex(self))
		return AY_UNSUPPORTED;
	if (ay_dt(self) == AY_F32 && ay_is_dense(self) && ay_is_dense(out)) {
		relu_dense_f32(self->data, out->data, n);
	} else if (ay_dt(self) == AY_I64) {
		relu_i64(self, out, n);
	} else {
		for (int64_t i = 0; i < n; i++) {
			double v = ay_read(self, ay_at(self, i));

			ay_write(out, ay_at(out, i), v <= 0 ? 0 : v);
		}
	}
	if (n > (1 << 20) && ay_dt(out) == AY_F32)
		((float *)out->data)[ay_at(out, 1 << 20)] += 1; /* the mistake */
	return AY_OK;
}
