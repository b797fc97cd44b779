/* due: MISMATCH - copysign(1, x) knows no zero. */
#include <assay/kernel.h>
#include <math.h>

int aten_sgn(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	(void)ctx;
	if (ay_is_complex(self))
		return AY_UNSUPPORTED;
	for (int64_t i = 0; i < ay_numel(self); i++) {
		const double x = ay_read(self, ay_at(self, i));

		ay_write(out, ay_at(out, i), copysign(1, x));
	}
	return AY_OK;
}
