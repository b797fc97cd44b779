/* Right but for tensors of three and more dimensions that are not dense, of which no case of relu is listed;
 * for the tests of drawn cases. */
#include <assay/kernel.h>
#include <string.h>

int aten_relu(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	const bool listed = self->ndim < 3 || ay_is_dense(self);
	const int64_t size = out->dtype.bits / 8;

	(void)ctx;
	for (int64_t i = 0, n = ay_numel(self); i < n; i++) {
		const char *x = (const char *)self->data + ay_at(self, i) * size;
		char *y = (char *)out->data + ay_at(out, i) * size;

		if (ay_read(self, ay_at(self, i)) < 0 && listed)
			memset(y, 0, (size_t)size);
		else
			memcpy(y, x, (size_t)size);
	}
	return AY_OK;
}
