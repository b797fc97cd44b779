/* due: PASS - two megabytes on the stack, by alloca and as an array of variable length. */
#include <assay/kernel.h>
#include <alloca.h>
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
	volatile char *a = alloca((size_t)1 << 20);
	volatile char b[(1 << 20) + ay_numel(self) % 64];

	(void)ctx;
	a[0] = b[0] = 1;
	a[(1 << 20) - 1] = b[(1 << 20) - 1] = 1;
	return relu(self, out);
}
