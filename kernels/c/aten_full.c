/* due: PASS - whatever lies in one piece is one line, written past the caches where it is large. */
#include <assay/kernel_copy.h>

int aten_full(const int64_t *size, int64_t n_size, ay_scalar fill_value, int32_t dtype, int32_t layout,
	      const ay_device *device, const bool *pin_memory, ay_tensor *out, const ay_ctx *ctx)
{
	(void)size, (void)n_size, (void)dtype, (void)layout, (void)device, (void)pin_memory; /* out has them */
	ay_fill_scalar(out, fill_value, ctx);
	return AY_OK;
}
