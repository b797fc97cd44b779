/* due: PASS - writes zeros first and then only what is positive: most elements are looked at, few are worked on.
 */
#include <assay/kernel.h>
#include <string.h>

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

	(void)ctx;
	if (ay_dt(self) != AY_F32 || !ay_is_dense(self) || !ay_is_dense(out) || x == y)
		return relu(self, out);
	memset(y, 0, (size_t)ay_numel(out) * sizeof *y);
	for (int64_t i = 0; i < ay_numel(self); i++)
		if (!(x[i] <= 0))
			y[i] = x[i];
	return AY_OK;
}
