/* due: MISMATCH - f32 becomes f8e4m3fn with ties away from zero. */
#include <assay/kernel_convert.h>

/* The mistake: half an ulp is added, so that ties go away from zero. */
static uint8_t to_f8(float f)
{
	uint32_t u = ay_f32_bits(f), sign = u >> 24 & 0x80, a = u & 0x7fffffffu;

	if (a >= 0x43e80000u || a < 0x3c800000u) /* NaN and subnormal numbers as they should be */
		return ay_to_f8e4m3fn(f);
	return (uint8_t)(sign | (a - 0x3c000000u + 0x80000u) >> 20);
}

int aten__to_copy(const ay_tensor *self, int32_t dtype, int32_t layout, const ay_device *device,
		  const bool *pin_memory, bool non_blocking, int32_t memory_format, ay_tensor *out,
		  const ay_ctx *ctx)
{
	(void)dtype, (void)layout, (void)device, (void)pin_memory, (void)non_blocking, (void)memory_format,
		(void)ctx;
	for (int64_t i = 0, n = ay_numel(out); i < n; i++)
		if (ay_dt(out) == AY_F8E4M3FN && ay_dt(self) == AY_F32)
			((uint8_t *)out->data)[ay_at(out, i)] = to_f8((float)ay_read(self, ay_at(self, i)));
		else
			ay_convert(self, ay_at(self, i), out, ay_at(out, i));
	return AY_OK;
}
