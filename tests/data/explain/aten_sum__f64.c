/* Wrong in the thirteenth digit. */
#include <assay/kernel.h>
int aten_sum(const ay_tensor *self, int32_t dtype, ay_tensor *out, const ay_ctx *ctx)
{
	double s = 0;

	(void)dtype, (void)ctx;
	for (int64_t i = 0; i < ay_numel(self); i++)
		s += ay_read(self, ay_at(self, i));
	ay_write(out, 0, s * (1 + 1e-13));
	return AY_OK;
}
