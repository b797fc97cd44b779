/* due: UNSUPPORTED - takes no call at all. */
#include <assay/kernel.h>
int aten_relu(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	(void)self, (void)out, (void)ctx;
	return AY_UNSUPPORTED;
}
