/* due: PASS - takes 256 MiB from malloc in every call, touches some of it, and gives it back. */
#include <assay/kernel.h>
#include <stdlib.h>

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
	const size_t bytes = 256 << 20;
	volatile char *p = malloc(bytes);

	(void)ctx;
	if (!p)
		return 5;
	for (size_t i = 0; i < bytes; i += bytes / 64)
		p[i] = 1;
	free((void *)p);
	return relu(self, out);
}
