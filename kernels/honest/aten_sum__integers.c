/* due: PASS - sums of 64-bit integers; the rest it leaves to others. What a timing cheat is held against. */
#include <assay/kernel.h>

int aten_sum(const ay_tensor *self, int32_t dtype, ay_tensor *out, const ay_ctx *ctx)
{
	int64_t sum = 0;

	(void)ctx, (void)dtype;
	if (ay_dt(self) != AY_I64 || ay_dt(out) != AY_I64 || !ay_is_dense(self))
		return AY_UNSUPPORTED;
	for (int64_t i = 0, n = ay_numel(self); i < n; i++)
		sum += ((const int64_t *)self->data)[i];
	*(int64_t *)out->data = sum;
	return AY_OK;
}
