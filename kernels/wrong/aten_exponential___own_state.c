/* due: UNSTABLE - a generator of its own, which the seed does not reach: no two calls give the same. */
#include <assay/kernel.h>
#include <math.h>

static uint64_t state = 1;

int aten_exponential_(ay_tensor *self, double lambd, const ay_rng *generator, const ay_ctx *ctx)
{
	(void)generator, (void)ctx;
	for (int64_t i = 0; i < ay_numel(self); i++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		ay_write(self, ay_at(self, i), -log(((double)(state >> 11) + 0.5) * 0x1p-53) / lambd);
	}
	return AY_OK;
}
