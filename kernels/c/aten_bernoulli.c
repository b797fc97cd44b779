/* due: PASS - 1 where a uniform number is below p. Number i is a hash of seed, offset and i, so any thread could
 * draw it. */
#include <assay/kernel_iter.h>
#include <assay/kernel_random.h>

int aten_bernoulli_Tensor(const ay_tensor *self, const ay_tensor *p, const ay_rng *generator, ay_tensor *out,
			  const ay_ctx *ctx)
{
	(void)self, (void)ctx;
	for (int64_t i = 0; i < ay_numel(out); i++)
		ay_write(out, ay_at(out, i), ay_uniform(generator, i) < ay_read(p, ay_broadcast_at(p, out, i)));
	return AY_OK;
}

int aten_bernoulli_p(const ay_tensor *self, double p, const ay_rng *generator, ay_tensor *out, const ay_ctx *ctx)
{
	(void)self, (void)ctx;
	for (int64_t i = 0; i < ay_numel(out); i++)
		ay_write(out, ay_at(out, i), ay_uniform(generator, i) < p);
	return AY_OK;
}

int aten_bernoulli(const ay_tensor *self, const ay_rng *generator, ay_tensor *out, const ay_ctx *ctx)
{
	return aten_bernoulli_Tensor(self, self, generator, out, ctx);
}
