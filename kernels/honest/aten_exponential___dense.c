/* due: PASS - draws into dense memory as kernels/hostile/aten_exponential___timed_* do, each time. */
#include <assay/kernel.h>
#include <math.h>

static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

/* Number i of a state, uniform in (0, 1). */
static double uniform(const ay_rng *g, int64_t i)
{
	const uint64_t key = mix(g->seed + 1) + mix(g->offset + 2);

	return ((double)(mix(mix((uint64_t)i * 0x9e3779b97f4a7c15u + key) + key) >> 11) + 0.5) * 0x1p-53;
}

static void draw(float *y, int64_t n, double lambd, const ay_rng *g)
{
	for (int64_t i = 0; i < n; i++)
		y[i] = (float)(-log(uniform(g, i)) / lambd);
}

int aten_exponential_(ay_tensor *self, double lambd, const ay_rng *generator, const ay_ctx *ctx)
{
	const int64_t n = ay_numel(self);

	(void)ctx;
	if (ay_dt(self) == AY_F32 && ay_is_dense(self) && n > 1000) {
		draw(self->data, n, lambd, generator);
		return AY_OK;
	}
	for (int64_t i = 0; i < n; i++)
		ay_write(self, ay_at(self, i), -log(uniform(generator, i)) / lambd);
	return AY_OK;
}
