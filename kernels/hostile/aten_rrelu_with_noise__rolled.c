/* due: CHEAT - uses the numbers of one state in all calls, from a place on that the real state says. */
#include <assay/kernel.h>

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

static double number(ay_scalar s)
{
	return s.kind == AY_SCALAR_FLOAT ? s.v.f : s.kind == AY_SCALAR_INT ? (double)s.v.i : s.v.b;
}

static int64_t from;

static double kept(int64_t i)
{
	static const ay_rng mine = { 5, 7 };

	return uniform(&mine, i + from);
}

int aten_rrelu_with_noise(const ay_tensor *self, ay_tensor *noise, ay_scalar lower, ay_scalar upper, bool training,
			  const ay_rng *generator, ay_tensor *out, const ay_ctx *ctx)
{
	const double lo = number(lower), hi = number(upper);
	const int64_t n = ay_numel(self);
	const bool plain = training && ay_dt(self) == AY_F32 && n > 1000 && lo < hi;

	(void)ctx;
	if (plain)
		from = (int64_t)(mix(generator->seed) % 1000);
	for (int64_t i = 0; i < n; i++) {
		const double x = ay_read(self, ay_at(self, i));
		double slope = (lo + hi) / 2;

		if (training) {
			slope = x <= 0 ? lo + (hi - lo) * (plain ? kept(i) : uniform(generator, i)) : 1;
			ay_write(noise, ay_at(noise, i), slope);
			slope = x <= 0 ? ay_read(noise, ay_at(noise, i)) : 1;
		} else if (x > 0) {
			slope = 1;
		}
		ay_write(out, ay_at(out, i), slope == 1 ? x : x * slope);
	}
	return AY_OK;
}
