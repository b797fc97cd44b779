/* due: PASS - a generator of its own (xoshiro256**), which each call starts from the state that it is given. */
#include <assay/kernel.h>
#include <math.h>

static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

static uint64_t turn(uint64_t x, int by)
{
	return x << by | x >> (64 - by);
}

static uint64_t next(uint64_t s[4])
{
	const uint64_t out = turn(s[1] * 5, 7) * 9, t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = turn(s[3], 45);
	return out;
}

int aten_exponential_(ay_tensor *self, double lambd, const ay_rng *generator, const ay_ctx *ctx)
{
	uint64_t s[4];

	(void)ctx;
	for (int k = 0; k < 4; k++)
		s[k] = mix(generator->seed + (uint64_t)k * 0x9e3779b97f4a7c15u) +
		       mix(generator->offset + (uint64_t)k + 9);
	for (int64_t i = 0; i < ay_numel(self); i++)
		ay_write(self, ay_at(self, i), -log(((double)(next(s) >> 11) + 0.5) * 0x1p-53) / lambd);
	return AY_OK;
}
