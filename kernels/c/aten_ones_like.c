/* due: PASS - whatever lies in one piece is one line, written past the caches where it is large. */
#include <assay/kernel_copy.h>

int aten_ones_like(const ay_tensor *self, int32_t dtype, int32_t layout, const ay_device *device,
		   const bool *pin_memory, int32_t memory_format, ay_tensor *out, const ay_ctx *ctx)
{
	(void)self, (void)dtype, (void)layout, (void)device, (void)pin_memory,
		(void)memory_format; /* out has them */
	ay_fill_scalar(out, (ay_scalar){ .kind = AY_SCALAR_INT, .v.i = 1 }, ctx);
	return AY_OK;
}
