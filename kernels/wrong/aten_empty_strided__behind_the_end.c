/* due: OVERRUN - marks the end of the tensor with a byte behind it. */
#include <assay/kernel.h>

int aten_empty_strided(const int64_t *size, int64_t n_size, const int64_t *stride, int64_t n_stride, int32_t dtype,
		       int32_t layout, const ay_device *device, const bool *pin_memory, ay_tensor *out,
		       const ay_ctx *ctx)
{
	size_t last = 0;

	(void)dtype, (void)layout, (void)device, (void)pin_memory, (void)ctx, (void)n_stride;
	for (int64_t d = 0; d < n_size; d++)
		last += (size_t)((size[d] - 1) * stride[d]);
	if (ay_numel(out))
		((uint8_t *)out->data)[(last + 1) * (out->dtype.bits / 8)] = 0;
	return AY_OK;
}
