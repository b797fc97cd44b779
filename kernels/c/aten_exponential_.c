/* due: PASS - minus the logarithm of a uniform number in (0, 1), which is never 0. Number i is a hash of seed,
 * offset and i, so any thread could draw it. */
#include <assay/kernel_random.h>
#include <math.h>

int aten_exponential_(ay_tensor *self, double lambd, const ay_rng *generator, const ay_ctx *ctx)
{
	(void)ctx;
	for (int64_t i = 0; i < ay_numel(self); i++)
		ay_write(self, ay_at(self, i), -log(ay_uniform(generator, i) + 0x1p-54) / lambd);
	return AY_OK;
}
