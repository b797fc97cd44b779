/* due: MISMATCH - draws are made from 16 random bits. */
#include <assay/kernel_random.h>
#include <math.h>

int aten_exponential_(ay_tensor *self, double lambd, const ay_rng *generator, const ay_ctx *ctx)
{
	(void)ctx;
	for (int64_t i = 0; i < ay_numel(self); i++)
		ay_write(self, ay_at(self, i),
			 -log((floor(ay_uniform(generator, i) * 65536) + 0.5) / 65536) / lambd);
	return AY_OK;
}
