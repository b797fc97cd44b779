/* due: UNSTABLE - an "aligned" path that is wrong: what it does depends on where the input lies. */
#include <assay/kernel.h>
int aten_relu(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	const bool aligned = ((uintptr_t)self->data & 4095) < 64; /* at the start of a page */

	(void)ctx;
	for (int64_t i = 0; i < ay_numel(self); i++) {
		const double x = ay_read(self, ay_at(self, i));

		if (ay_dt(self) == AY_I64) { /* a double would round it */
			const int64_t x = ((const int64_t *)self->data)[ay_at(self, i)];

			((int64_t *)out->data)[ay_at(out, i)] = aligned || x > 0 ? x : 0;
			continue;
		}
		ay_write(out, ay_at(out, i), aligned ? x : x <= 0 ? 0 : x);
	}
	return AY_OK;
}
