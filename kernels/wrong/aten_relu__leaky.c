/* due: MISMATCH - a hundredth of negative values leaks through: another activation. */
#include <assay/kernel.h>
int aten_relu(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	(void)ctx;
	for (int64_t i = 0; i < ay_numel(self); i++) {
		const double x = ay_read(self, ay_at(self, i));

		ay_write(out, ay_at(out, i), x < 0 ? 0.01 * x : x);
	}
	return AY_OK;
}
