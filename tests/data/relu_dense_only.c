/* Right but for tensors of three and more dimensions that are not dense, of which no case of relu is listed;
 * for the tests of drawn cases. */
#include <assay/kernel.h>

int aten_relu(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	(void)ctx;
	for (int64_t i = 0, n = ay_numel(self); i < n; i++) {
		double x = ay_read(self, ay_at(self, i));

		ay_write(out, ay_at(out, i), x <= 0 && (self->ndim < 3 || ay_is_dense(self)) ? 0 : x);
	}
	return AY_OK;
}
