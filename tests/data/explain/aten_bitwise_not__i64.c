/* Wrong by one, in integers that no double holds. */
#include <assay/kernel.h>
int aten_bitwise_not(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	(void)ctx;
	for (int64_t i = 0; i < ay_numel(self); i++)
		((int64_t *)out->data)[ay_at(out, i)] = ~((int64_t *)self->data)[ay_at(self, i)] + 1;
	return AY_OK;
}
