/* due: UNWRITTEN - whole groups of eight only: the tail is never written. */
#include <assay/kernel.h>
int aten_relu(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	(void)ctx;
	for (int64_t i = 0; i < ay_numel(self) / 8 * 8; i++) {
		const double x = ay_read(self, ay_at(self, i));

		if (ay_dt(self) == AY_I64) { /* a double would round it */
			const int64_t x = ((const int64_t *)self->data)[ay_at(self, i)];

			((int64_t *)out->data)[ay_at(out, i)] = x > 0 ? x : 0;
			continue;
		}
		ay_write(out, ay_at(out, i), x <= 0 ? 0 : x);
	}
	return AY_OK;
}
