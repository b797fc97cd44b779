/* due: OVERRUN - touches what a vector load would: sixteen elements behind the last one. */
#include <assay/kernel.h>
int aten_relu(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	const int64_t n = ay_numel(self);
	volatile double ahead = 0;

	(void)ctx;
	for (int64_t i = 0; i < n; i++) {
		const int64_t at = ay_at(self, i);
		const double x = ay_read(self, at);

		if (i == n - 1)
			for (int k = 1; k <= 64; k++)
				ahead += ay_read(self, at + k); /* prefetched, never used */
		ay_write(out, ay_at(out, i), x <= 0 ? 0 : x);
	}
	return AY_OK;
}
