/* due: BUILD - alpha is a double here, an ay_scalar in the contract: the compiler says so. */
#include <assay/kernel_iter.h>
int aten_add_Tensor(const ay_tensor *self, const ay_tensor *other, double alpha, ay_tensor *out, const ay_ctx *ctx)
{
	const double f = alpha;

	(void)ctx;
	if (ay_is_complex(out))
		return AY_UNSUPPORTED;
	for (int64_t i = 0; i < ay_numel(out); i++) {
		const double x = ay_read(self, ay_broadcast_at(self, out, i)),
			     y = ay_read(other, ay_broadcast_at(other, out, i));

		ay_write(out, ay_at(out, i), x + f * y);
	}
	return AY_OK;
}
