/* due: UNSUPPORTED - takes floating dtypes only. */
#include <assay/kernel.h>

int aten_empty_strided(const int64_t *size, int64_t n_size, const int64_t *stride, int64_t n_stride, int32_t dtype,
		       int32_t layout, const ay_device *device, const bool *pin_memory, ay_tensor *out,
		       const ay_ctx *ctx)
{
	(void)size, (void)n_size, (void)stride, (void)n_stride, (void)dtype, (void)layout, (void)device;
	(void)pin_memory, (void)ctx;
	if (out->dtype.code != AY_CODE_FLOAT && out->dtype.code != AY_CODE_BFLOAT)
		return AY_UNSUPPORTED;
	return AY_OK;
}
