/* due: MISMATCH - an i64 beyond 2^53 loses its last bits in a double. */
#include <assay/kernel_convert.h>

int aten__to_copy(const ay_tensor *self, int32_t dtype, int32_t layout, const ay_device *device,
		  const bool *pin_memory, bool non_blocking, int32_t memory_format, ay_tensor *out,
		  const ay_ctx *ctx)
{
	(void)dtype, (void)layout, (void)device, (void)pin_memory, (void)non_blocking, (void)memory_format,
		(void)ctx;
	for (int64_t i = 0, n = ay_numel(out); i < n; i++)
		if (ay_dt(self) == AY_I64 && ay_dt(out) == AY_I64)
			ay_write(out, ay_at(out, i), ay_read(self, ay_at(self, i))); /* the mistake */
		else
			ay_convert(self, ay_at(self, i), out, ay_at(out, i));
	return AY_OK;
}
