/* due: MISMATCH - self + other, whatever alpha says. */
#include <assay/kernel_iter.h>
int aten_add_Tensor(const ay_tensor *self, const ay_tensor *other, ay_scalar alpha, ay_tensor *out,
		    const ay_ctx *ctx)
{
	(void)ctx, (void)alpha;
	if (ay_is_complex(out))
		return AY_UNSUPPORTED;
	for (int64_t i = 0; i < ay_numel(out); i++) {
		const double x = ay_read(self, ay_broadcast_at(self, out, i)),
			     y = ay_read(other, ay_broadcast_at(other, out, i));

		ay_write(out, ay_at(out, i), x + y);
	}
	return AY_OK;
}
