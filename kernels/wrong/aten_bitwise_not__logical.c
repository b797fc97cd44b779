/* due: MISMATCH - !x is right for bools alone. */
#include <assay/kernel.h>

int aten_bitwise_not(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	(void)ctx;
	if (ay_dt(self) == AY_I64)
		return AY_UNSUPPORTED;
	for (int64_t i = 0; i < ay_numel(self); i++) {
		const double x = ay_read(self, ay_at(self, i));

		ay_write(out, ay_at(out, i), x == 0);
	}
	return AY_OK;
}
