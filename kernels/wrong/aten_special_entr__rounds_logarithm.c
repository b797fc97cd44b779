/* due: MISMATCH - half types: the logarithm is rounded to bf16 before the product. */
#include <assay/kernel.h>
#include <math.h>

int aten_special_entr(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	(void)ctx;
	if (ay_is_complex(self) || ay_dt(self) == AY_F64)
		return AY_UNSUPPORTED;
	for (int64_t i = 0; i < ay_numel(self); i++) {
		const float x = (float)ay_read(self, ay_at(self, i));

		ay_write(out, ay_at(out, i),
			 x > 0   ? -x * ay_from_bf16(ay_to_bf16(logf(x)))
			 : x < 0 ? -INFINITY
				 : x);
	}
	return AY_OK;
}
