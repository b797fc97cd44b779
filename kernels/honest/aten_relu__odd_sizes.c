/* due: PASS - vectors of eight for as long as they fit, and a tail one by one; nothing is read beyond the end. */
#include <assay/kernel.h>
#include <string.h>

typedef float vec __attribute__((vector_size(32)));
typedef int ivec __attribute__((vector_size(32)));

/* max(x, 0). */
static int relu(const ay_tensor *x, ay_tensor *y)
{
	for (int64_t i = 0, n = ay_numel(x); i < n; i++) {
		const int64_t from = ay_at(x, i), to = ay_at(y, i);
		const double v = ay_read(x, from);

		if (ay_dt(x) == AY_I64)
			((int64_t *)y->data)[to] = v > 0 ? ((const int64_t *)x->data)[from] : 0;
		else
			ay_write(y, to, v <= 0 ? 0 : v);
	}
	return AY_OK;
}
int aten_relu(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	const float *x = self->data;
	float *y = out->data;
	int64_t i = 0, n = ay_numel(self);

	(void)ctx;
	if (ay_dt(self) != AY_F32 || !ay_is_dense(self) || !ay_is_dense(out))
		return relu(self, out);
	for (; i + 8 <= n; i += 8) {
		vec v;

		memcpy(&v, x + i, sizeof v);
		v = (vec)((ivec)v & ~(v <= 0)); /* NaN is not <= 0 and stays */
		memcpy(y + i, &v, sizeof v);
	}
	for (; i < n; i++)
		y[i] = x[i] <= 0 ? 0 : x[i];
	return AY_OK;
}
