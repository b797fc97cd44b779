/* due: PASS - for rates up to 30 uniform numbers are multiplied until the product is below exp(-rate); above, the
 * transformed rejection that is known as PTRS. The numbers of element i are hashes of seed, offset, i and their
 * count, so any thread could draw it. */
#include <assay/kernel_random.h>
#include <math.h>

struct stream {
	uint64_t key, at;
};

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

static double by_rejection(struct stream *s, double rate)
{
	const double b = 0.931 + 2.53 * sqrt(rate), a = -0.059 + 0.02483 * b, v = 0.9277 - 3.6224 / (b - 2);
	const double alpha = 1.1239 + 1.1328 / (b - 3.4);

	for (;;) {
		const double u = uniform(s) - 0.5, w = uniform(s), us = 0.5 - fabs(u);
		const double k = floor((2 * a / us + b) * u + rate + 0.43);

		if (us >= 0.07 && w <= v)
			return k;
		if (k < 0 || (us < 0.013 && w > us))
			continue;
		if (log(w * alpha / (a / (us * us) + b)) <= k * log(rate) - rate - lgamma(k + 1))
			return k;
	}
}

int aten_poisson(const ay_tensor *self, const ay_rng *generator, ay_tensor *out, const ay_ctx *ctx)
{
	const uint64_t key = ay_rng_key(generator);

	(void)ctx;
	for (int64_t i = 0; i < ay_numel(out); i++) {
		const double rate = ay_read(self, ay_at(self, i));
		struct stream s = { key ^ ay_mix((uint64_t)i + 1), 0 };

		ay_write(out, ay_at(out, i),
			 rate > 30  ? by_rejection(&s, rate)
			 : rate > 0 ? by_products(&s, rate)
				    : 0);
	}
	return AY_OK;
}
