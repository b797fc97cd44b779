/* due: PASS - 1 where a uniform number is below p. Number i is a hash of seed, offset and i, so any thread could
 * draw it. */
#include <assay/kernel.h>

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

	return (double)(mix(mix((uint64_t)i * 0x9e3779b97f4a7c15u + key) + key) >> 11) * 0x1p-53; /* in [0, 1) */
}

static int64_t stretched_at(const ay_tensor *t, const ay_tensor *out, int64_t i)
{
	int64_t at = 0;

	for (int32_t d = out->ndim - 1; d >= 0; d--) {
		const int32_t k = d - (out->ndim - t->ndim);

		if (k >= 0 && t->shape[k] != 1)
			at += i % out->shape[d] * t->strides[k];
		i /= out->shape[d];
	}
	return at;
}

int aten_bernoulli_Tensor(const ay_tensor *self, const ay_tensor *p, const ay_rng *generator, ay_tensor *out,
			  const ay_ctx *ctx)
{
	(void)self, (void)ctx;
	for (int64_t i = 0; i < ay_numel(out); i++)
		ay_write(out, ay_at(out, i), uniform(generator, i) < ay_read(p, stretched_at(p, out, i)));
	return AY_OK;
}

int aten_bernoulli_p(const ay_tensor *self, double p, const ay_rng *generator, ay_tensor *out, const ay_ctx *ctx)
{
	(void)self, (void)ctx;
	for (int64_t i = 0; i < ay_numel(out); i++)
		ay_write(out, ay_at(out, i), uniform(generator, i) < p);
	return AY_OK;
}

int aten_bernoulli(const ay_tensor *self, const ay_rng *generator, ay_tensor *out, const ay_ctx *ctx)
{
	return aten_bernoulli_Tensor(self, self, generator, out, ctx);
}
