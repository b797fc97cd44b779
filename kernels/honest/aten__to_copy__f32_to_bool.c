/* due: PASS - f32 as bool; the rest it leaves to others. What a timing cheat is held against. */
#include <assay/kernel.h>

int aten__to_copy(const ay_tensor *self, int32_t dtype, int32_t layout, const ay_device *device,
		  const bool *pin_memory, bool non_blocking, int32_t memory_format, ay_tensor *out,
		  const ay_ctx *ctx)
{
	const float *x = self->data;
	uint8_t *y = out->data;

	(void)dtype, (void)layout, (void)device, (void)pin_memory, (void)non_blocking, (void)memory_format,
		(void)ctx;
	if (ay_dt(self) != AY_F32 || ay_dt(out) != AY_B8 || !ay_is_dense(self) || !ay_is_dense(out))
		return AY_UNSUPPORTED;
	for (int64_t i = 0, n = ay_numel(self); i < n; i++)
		y[i] = x[i] != 0;
	return AY_OK;
}
