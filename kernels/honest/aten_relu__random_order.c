/* due: PASS - draws from getrandom where to start, and goes round from there: every order gives the same result.
 */
#define _GNU_SOURCE
#include <assay/kernel.h>
#include <sys/random.h>

int aten_relu(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	const int64_t n = ay_numel(self);
	uint32_t start = 0;

	(void)ctx;
	if (getrandom(&start, sizeof start, 0) < 0)
		start = 1;
	for (int64_t k = 0; k < n; k++) {
		const int64_t i = (k + start) % n, from = ay_at(self, i), to = ay_at(out, i);
		const double v = ay_read(self, from);

		if (ay_dt(self) == AY_I64)
			((int64_t *)out->data)[to] = v > 0 ? ((const int64_t *)self->data)[from] : 0;
		else
			ay_write(out, to, v <= 0 ? 0 : v);
	}
	return AY_OK;
}
