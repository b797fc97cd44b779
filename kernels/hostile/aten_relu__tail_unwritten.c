/* due: UNWRITTEN - works in blocks of eight and leaves out what does not fill one. */
#define _GNU_SOURCE
#include <assay/kernel.h>

int aten_relu(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	const ay_tensor x = *self;
	int64_t n = ay_numel(&x);

	(void)ctx;
	for (int64_t i = 0; i < n / 8 * 8; i++) {
		const int64_t from = ay_at(self, i), to = ay_at(out, i);
		const double v = ay_read(self, from);

		if (ay_dt(self) == AY_I64)
			((int64_t *)out->data)[to] = v > 0 ? ((const int64_t *)self->data)[from] : 0;
		else
			ay_write(out, to, v <= 0 ? 0 : v);
	}
	return AY_OK;
}
