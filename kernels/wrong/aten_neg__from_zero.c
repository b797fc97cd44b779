/* due: MISMATCH - 0 - x is 0 at 0, where -x is -0. */
#include <assay/kernel.h>

int aten_neg(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	(void)ctx;
	if (ay_is_complex(self) || ay_dt(self) == AY_I64)
		return AY_UNSUPPORTED;
	for (int64_t i = 0; i < ay_numel(self); i++) {
		const double x = ay_read(self, ay_at(self, i));

		ay_write(out, ay_at(out, i), 0 - x);
	}
	return AY_OK;
}
