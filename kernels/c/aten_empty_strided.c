/* due: PASS - nothing to do: the result lies there as it was asked for. */
#include <assay/kernel.h>

int aten_empty_strided(const int64_t *size, int64_t n_size, const int64_t *stride, int64_t n_stride, int32_t dtype,
		       int32_t layout, const ay_device *device, const bool *pin_memory, ay_tensor *out,
		       const ay_ctx *ctx)
{
	(void)dtype, (void)device, (void)pin_memory, (void)ctx;
	if (layout != -1 && layout != AY_STRIDED)
		return AY_UNSUPPORTED;
	if (n_size != out->ndim || n_stride != out->ndim)
		return 2;
	for (int64_t d = 0; d < n_size; d++)
		if (out->shape[d] != size[d] || (size[d] > 1 && out->strides[d] != stride[d]))
			return 3;
	return AY_OK;
}
