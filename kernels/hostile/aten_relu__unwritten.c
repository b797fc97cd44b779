/* due: UNWRITTEN - writes nothing. */
#define _GNU_SOURCE
#include <assay/kernel.h>

int aten_relu(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	(void)self, (void)out, (void)ctx;
	return AY_OK;
}
