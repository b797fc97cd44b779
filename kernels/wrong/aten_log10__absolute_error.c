/* due: MISMATCH - a logarithm with a small absolute error: next to 1 that is all there is. */
#include <assay/kernel.h>
#include <math.h>

int aten_log10(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	(void)ctx;
	if (ay_is_complex(self) || ay_dt(self) == AY_F64)
		return AY_UNSUPPORTED;
	for (int64_t i = 0; i < ay_numel(self); i++) {
		const float x = (float)ay_read(self, ay_at(self, i));

		ay_write(out, ay_at(out, i), 0.30103f * (log2f(x) + 1e-7f));
	}
	return AY_OK;
}
