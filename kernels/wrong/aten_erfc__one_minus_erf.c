/* due: MISMATCH - 1 - erf(x) has no digits left where erf(x) is nearly 1. */
#include <assay/kernel.h>
#include <math.h>

int aten_erfc(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	(void)ctx;
	if (ay_is_complex(self) || ay_dt(self) == AY_F64)
		return AY_UNSUPPORTED;
	for (int64_t i = 0; i < ay_numel(self); i++) {
		const float x = (float)ay_read(self, ay_at(self, i));

		ay_write(out, ay_at(out, i), 1 - erff(x));
	}
	return AY_OK;
}
