/* due: OVERRUN - clears all from the first element to the last, and what lies between. */
#include <assay/kernel.h>
#include <string.h>

int aten_empty_strided(const int64_t *size, int64_t n_size, const int64_t *stride, int64_t n_stride, int32_t dtype,
		       int32_t layout, const ay_device *device, const bool *pin_memory, ay_tensor *out,
		       const ay_ctx *ctx)
{
	size_t last = 0;

	(void)dtype, (void)layout, (void)device, (void)pin_memory, (void)ctx, (void)n_stride;
	for (int64_t d = 0; d < n_size; d++)
		last += (size_t)((size[d] - 1) * stride[d]);
	if (ay_numel(out))
		memset(out->data, 0, (last + 1) * (out->dtype.bits / 8));
	return AY_OK;
}
