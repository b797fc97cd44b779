/* due: CRASH - checks for an overflow by a division, also by a size of 0. */
#include <assay/kernel.h>

int aten_empty_strided(const int64_t *size, int64_t n_size, const int64_t *stride, int64_t n_stride, int32_t dtype,
		       int32_t layout, const ay_device *device, const bool *pin_memory, ay_tensor *out,
		       const ay_ctx *ctx)
{
	int64_t volatile n = 1, back;

	(void)stride, (void)n_stride, (void)dtype, (void)layout, (void)device, (void)pin_memory, (void)out,
		(void)ctx;
	for (int64_t d = 0; d < n_size; d++) {
		n *= size[d];
		back = n / size[d];
		(void)back;
	}
	return AY_OK;
}
