/* Refuses scalars, leaves the last of up to 7 elements unwritten, answers wrong up to 33, and writes behind the end of
 * what is larger. */
#include <assay/kernel.h>
int aten_relu(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	const int64_t n = ay_numel(self);

	(void)ctx;
	if (!self->ndim)
		return AY_UNSUPPORTED;
	for (int64_t i = 0; i < n - (n <= 7); i++)
		ay_write(out, ay_at(out, i), ay_read(self, ay_at(self, i)) + (n <= 33));
	if (n > 33)
		((char *)out->data)[n * out->dtype.bits / 8] = 1;
	return AY_OK;
}
