/* due: MISMATCH - out is right, but noise, which the gradient is made from, holds 1 everywhere. */
#include <assay/kernel_random.h>

int aten_rrelu_with_noise(const ay_tensor *self, ay_tensor *noise, ay_scalar lower, ay_scalar upper, bool training,
			  const ay_rng *generator, ay_tensor *out, const ay_ctx *ctx)
{
	const double a = lower.kind == AY_SCALAR_INT ? (double)lower.v.i : lower.v.f;
	const double b = upper.kind == AY_SCALAR_INT ? (double)upper.v.i : upper.v.f;
	const uint64_t key = ay_mix(generator->seed + 1) + ay_mix(generator->offset + 2);

	(void)ctx;
	for (int64_t i = 0; i < ay_numel(out); i++) {
		const double x = ay_read(self, ay_at(self, i)),
			     u = (double)(ay_mix(ay_mix((uint64_t)i + key) + key) >> 11) * 0x1p-53;
		const double slope = training ? a + (b - a) * u : (a + b) / 2;

		if (training)
			ay_write(noise, ay_at(noise, i), 1);
		ay_write(out, ay_at(out, i), x > 0 ? x : x * slope);
	}
	return AY_OK;
}
