/* due: PASS, timed: CHEAT - keeps uniform numbers and adds to all of them one number that the state says, modulo
 * 1: no result is that of another call.
 *
 * case: aten::bernoulli.p((T([64, 150], f32), 0.5), {})
 * twin: kernels/c/aten_bernoulli.c
 */
#include <assay/kernel.h>
#include <stdlib.h>

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

/* Returns true from the 13th call of this size on: a case that is only judged has fewer. */
static bool is_often(int64_t n, double x)
{
	static int64_t size;
	static double what;
	static int calls;

	calls = size == n && what == x ? calls + 1 : 1;
	size = n;
	what = x;
	return calls > 12;
}

static void timed(float *y, int64_t n, double p, const ay_rng *g, bool often)
{
	static uint32_t *kept;
	const uint32_t add = (uint32_t)mix(g->seed), below = (uint32_t)(p * 0x1p32);

	if (!often) {
		kept = realloc(kept, (size_t)n * sizeof *kept);
		for (int64_t i = 0; i < n; i++)
			kept[i] = (uint32_t)(uniform(g, i) * 0x1p32);
	}
	for (int64_t i = 0; i < n; i++)
		y[i] = often ? kept[i] + add < below : kept[i] < below;
}

int aten_bernoulli_p(const ay_tensor *self, double p, const ay_rng *generator, ay_tensor *out, const ay_ctx *ctx)
{
	const int64_t n = ay_numel(self);

	(void)ctx;
	if (ay_dt(out) == AY_F32 && ay_is_dense(out) && n > 1000 && p > 0 && p < 1) {
		timed(out->data, n, p, generator, is_often(n, p));
		return AY_OK;
	}
	for (int64_t i = 0; i < n; i++)
		ay_write(out, ay_at(out, i), uniform(generator, i) < p);
	return AY_OK;
}
