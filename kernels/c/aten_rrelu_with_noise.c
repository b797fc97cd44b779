/* due: PASS - slopes are uniform numbers. Number i is a hash of seed, offset and i: any thread could draw it. */
#include <assay/kernel_convert.h>
#include <assay/kernel_random.h>

int aten_rrelu_with_noise(const ay_tensor *self, ay_tensor *noise, ay_scalar lower, ay_scalar upper, bool training,
			  const ay_rng *generator, ay_tensor *out, const ay_ctx *ctx)
{
	const double a = ay_scalar_real(lower), b = ay_scalar_real(upper);

	(void)ctx;
	for (int64_t i = 0; i < ay_numel(out); i++) {
		const double x = ay_read(self, ay_at(self, i));
		double slope = x > 0 ? 1 : (a + b) / 2;

		if (training) {
			slope = x <= 0 ? a + (b - a) * ay_uniform(generator, i) : 1;
			ay_write(noise, ay_at(noise, i), slope);
		}
		ay_write(out, ay_at(out, i), x * slope);
	}
	return AY_OK;
}
