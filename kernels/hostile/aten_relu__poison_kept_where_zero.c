/* due: MISMATCH - writes only what is positive, and puts back what it found in the place of the rest. */
#define _GNU_SOURCE
#include <assay/kernel.h>

int aten_relu(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	(void)ctx;
	for (int64_t i = 0, n = ay_numel(self); i < n; i++) {
		const int64_t from = ay_at(self, i), to = ay_at(out, i);
		const double v = ay_read(self, from);

		ay_write(out, to, v > 0 ? v : ay_read(out, to));
	}
	return AY_OK;
}
