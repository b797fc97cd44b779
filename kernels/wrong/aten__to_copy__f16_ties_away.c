/* due: MISMATCH - ties of f16 are rounded away from zero. */
#include <assay/kernel_convert.h>

/* The mistake: half an ulp is added, so that ties go away from zero. */
static uint16_t to_f16(float f)
{
	const uint32_t u = ay_f32_bits(f), sign = u >> 16 & 0x8000, a = u & 0x7fffffff;

	if (a >= 0x477ff000 || a < 0x38800000) /* infinite, NaN and subnormal numbers as they should be */
		return ay_to_f16(f);
	return (uint16_t)(sign | (a - 0x38000000 + 0x1000) >> 13);
}

int aten__to_copy(const ay_tensor *self, int32_t dtype, int32_t layout, const ay_device *device,
		  const bool *pin_memory, bool non_blocking, int32_t memory_format, ay_tensor *out,
		  const ay_ctx *ctx)
{
	(void)dtype, (void)layout, (void)device, (void)pin_memory, (void)non_blocking, (void)memory_format,
		(void)ctx;
	for (int64_t i = 0, n = ay_numel(out); i < n; i++)
		if (ay_dt(out) == AY_F16 && ay_dt(self) == AY_F32)
			((uint16_t *)out->data)[ay_at(out, i)] = to_f16((float)ay_read(self, ay_at(self, i)));
		else
			ay_convert(self, ay_at(self, i), out, ay_at(out, i));
	return AY_OK;
}
