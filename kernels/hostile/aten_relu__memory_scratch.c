/* due: OOM - takes scratch until there is none left, and then complains. */
#include <assay/kernel.h>

int aten_relu(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	(void)self, (void)out;
	while (ctx->scratch(ctx, (size_t)1 << 40))
		;
	return 12;
}
