/* due: PASS - minus the logarithm of a uniform number in (0, 1), which is never 0. Number i is a hash of seed,
 * offset and i, so any thread could draw it. */
#include <assay/kernel.h>
#include <math.h>

/* The finisher of splitmix64: a bijection that mixes all bits. */
static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

static double uniform(const ay_rng *g, int64_t i)
{
	const uint64_t key = mix(g->seed + 0x9e3779b97f4a7c15u) + mix(g->offset ^ 0xd1b54a32d192ed03u);

	return ((double)(mix(mix((uint64_t)i * 0x9e3779b97f4a7c15u + key) + key) >> 11) + 0.5) * 0x1p-53;
}

int aten_exponential_(ay_tensor *self, double lambd, const ay_rng *generator, const ay_ctx *ctx)
{
	(void)ctx;
	for (int64_t i = 0; i < ay_numel(self); i++)
		ay_write(self, ay_at(self, i), -log(uniform(generator, i)) / lambd);
	return AY_OK;
}
