/* due: MISMATCH - zeros for everything, the favourite of benchmarks that skip what they cannot compare. */
#include <assay/kernel.h>
int aten_relu(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	(void)ctx;
	for (int64_t i = 0; i < ay_numel(self); i++)
		ay_write(out, ay_at(out, i), 0);
	return AY_OK;
}
