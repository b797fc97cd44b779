/* due: MISMATCH - ties of bf16 are rounded away from zero. */
#include <assay/kernel_convert.h>

/* The mistake: half an ulp is added, so that ties go away from zero. */
static uint16_t to_bf16(float f)
{
	const uint32_t u = ay_f32_bits(f);

	return (u & 0x7fffffff) > 0x7f800000 ? ay_to_bf16(f) : (uint16_t)((u + 0x8000) >> 16);
}

int aten__to_copy(const ay_tensor *self, int32_t dtype, int32_t layout, const ay_device *device,
		  const bool *pin_memory, bool non_blocking, int32_t memory_format, ay_tensor *out,
		  const ay_ctx *ctx)
{
	(void)dtype, (void)layout, (void)device, (void)pin_memory, (void)non_blocking, (void)memory_format,
		(void)ctx;
	for (int64_t i = 0, n = ay_numel(out); i < n; i++)
		if (ay_dt(out) == AY_BF16 && ay_dt(self) == AY_F32)
			((uint16_t *)out->data)[ay_at(out, i)] = to_bf16((float)ay_read(self, ay_at(self, i)));
		else
			ay_convert(self, ay_at(self, i), out, ay_at(out, i));
	return AY_OK;
}
