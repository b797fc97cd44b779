/* due: OVERRUN - reads as if self were dense: an expanded tensor is shorter than that. */
#include <assay/kernel.h>
int aten_relu(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	(void)ctx;
	for (int64_t i = 0; i < ay_numel(self); i++) {
		const double x = ay_read(self, i);

		ay_write(out, ay_at(out, i), x <= 0 ? 0 : x);
	}
	return AY_OK;
}
