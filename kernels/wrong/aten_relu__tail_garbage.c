/* due: MISMATCH - the last element of an odd number gets its neighbour's value. */
#include <assay/kernel.h>
int aten_relu(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	(void)ctx;
	for (int64_t i = 0; i < ay_numel(self); i++) {
		const double x = ay_read(self, ay_at(self, i && i == ay_numel(self) - 1 ? i - 1 : i));

		ay_write(out, ay_at(out, i), x <= 0 ? 0 : x);
	}
	return AY_OK;
}
