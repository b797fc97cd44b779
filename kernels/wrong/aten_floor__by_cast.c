/* due: MISMATCH - through a 32-bit integer: huge values, infinities and -0 do not come back. */
#include <assay/kernel.h>
#include <math.h>

int aten_floor(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	(void)ctx;
	if (ay_is_complex(self) || ay_dt(self) == AY_F64 || self->dtype.code == AY_CODE_INT)
		return AY_UNSUPPORTED;
	for (int64_t i = 0; i < ay_numel(self); i++) {
		const float x = (float)ay_read(self, ay_at(self, i));

		ay_write(out, ay_at(out, i),
			 x - (float)(int32_t)x < 0 ? (float)(int32_t)x - 1 : (float)(int32_t)x);
	}
	return AY_OK;
}
