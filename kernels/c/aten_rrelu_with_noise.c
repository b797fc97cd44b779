/* due: PASS - slopes are uniform numbers. Number i is a hash of seed, offset and i: any thread could draw it. */
#include <assay/kernel.h>

/* The finisher of splitmix64: a bijection that mixes all bits. */
static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

/* In [0, 1). */
static double uniform(const ay_rng *g, int64_t i)
{
	const uint64_t key = mix(g->seed + 0x9e3779b97f4a7c15u) + mix(g->offset ^ 0xd1b54a32d192ed03u);

	return (double)(mix(mix((uint64_t)i * 0x9e3779b97f4a7c15u + key) + key) >> 11) * 0x1p-53;
}

static double number(ay_scalar s)
{
	return s.kind == AY_SCALAR_INT ? (double)s.v.i : s.kind == AY_SCALAR_BOOL ? s.v.b : s.v.f;
}

int aten_rrelu_with_noise(const ay_tensor *self, ay_tensor *noise, ay_scalar lower, ay_scalar upper, bool training,
			  const ay_rng *generator, ay_tensor *out, const ay_ctx *ctx)
{
	const double a = number(lower), b = number(upper);

	(void)ctx;
	for (int64_t i = 0; i < ay_numel(out); i++) {
		const double x = ay_read(self, ay_at(self, i));
		double slope = x > 0 ? 1 : (a + b) / 2;

		if (training) {
			slope = x <= 0 ? a + (b - a) * uniform(generator, i) : 1;
			ay_write(noise, ay_at(noise, i), slope);
		}
		ay_write(out, ay_at(out, i), x * slope);
	}
	return AY_OK;
}
