/* due: OVERRUN - rounds the dense loop up to eight elements: the last store ends behind the tensor. */
#include <assay/kernel.h>
int aten_relu(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	const int64_t n = ay_numel(self);

	(void)ctx;
	for (int64_t i = 0; i < (n + 7) / 8 * 8; i++) {
		const double x = i < n ? ay_read(self, ay_at(self, i)) : 0;

		if (i < n)
			ay_write(out, ay_at(out, i), x <= 0 ? 0 : x);
		else if (ay_is_dense(out))
			ay_write(out, i, 0);
	}
	return AY_OK;
}
