/* due: MISMATCH - above a rate of 30 a normal law of the same mean and variance is rounded. */
#include <assay/kernel_random.h>
#include <math.h>

struct stream {
	uint64_t key, at;
};

static double uniform(struct stream *s);

/* The mistake: a Poisson law is not symmetric. */
static double by_normal(struct stream *s, double rate)
{
	const double r = sqrt(-2 * log(uniform(s))),
		     x = rint(rate + sqrt(rate) * r * cos(6.283185307179586 * uniform(s)));

	return x < 0 ? 0 : x;
}

/* In (0, 1). */
static double uniform(struct stream *s)
{
	s->at += 0x9e3779b97f4a7c15u;
	return ((double)ay_random_bits(s->at, s->key) + 0.5) * 0x1p-53;
}

static double by_products(struct stream *s, double rate)
{
	const double end = exp(-rate);
	double p = uniform(s), k = 0;

	for (; p > end; k++)
		p *= uniform(s);
	return k;
}

int aten_poisson(const ay_tensor *self, const ay_rng *generator, ay_tensor *out, const ay_ctx *ctx)
{
	const uint64_t key = ay_rng_key(generator);

	(void)ctx;
	for (int64_t i = 0; i < ay_numel(out); i++) {
		const double rate = ay_read(self, ay_at(self, i));
		struct stream s = { key ^ ay_mix((uint64_t)i + 1), 0 };

		ay_write(out, ay_at(out, i),
			 rate > 30  ? by_normal(&s, rate)
			 : rate > 0 ? by_products(&s, rate)
				    : 0);
	}
	return AY_OK;
}
