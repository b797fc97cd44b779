/* due: MISMATCH - the generator is indexed by column: every row draws the same numbers. */
#include <assay/kernel_random.h>
static double uniform(uint64_t key, int64_t i)
{
	return (double)(ay_mix(ay_mix((uint64_t)i * 0x9e3779b97f4a7c15u + key) + key) >> 11) * 0x1p-53;
}

int aten_bernoulli(const ay_tensor *self, const ay_rng *generator, ay_tensor *out, const ay_ctx *ctx)
{
	const uint64_t key = ay_mix(generator->seed + 1) + ay_mix(generator->offset + 2);

	(void)ctx;
	for (int64_t i = 0; i < ay_numel(out); i++) {
		const double p = ay_read(self, ay_at(self, i));

		ay_write(out, ay_at(out, i), uniform(key, out->ndim ? i % out->shape[out->ndim - 1] : i) < p);
	}
	return AY_OK;
}
