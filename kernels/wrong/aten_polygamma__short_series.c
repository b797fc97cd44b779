/* due: MISMATCH - digamma and trigamma whose series begins at 2 instead of 10. */
#include <assay/kernel.h>
#include <math.h>

static double series(int64_t n, double x)
{
	double sum = 0;

	if (x < -100)
		return NAN;
	for (; x < 2; x++)
		sum += n ? 1 / (x * x) : -1 / x;
	if (n)
		return sum + 1 / x + 1 / (2 * x * x) + 1 / (6 * x * x * x);
	return sum + log(x) - 1 / (2 * x) - 1 / (12 * x * x);
}

int aten_polygamma(int64_t n, const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	(void)ctx;
	if (n > 1 || ay_dt(self) == AY_F64)
		return AY_UNSUPPORTED;
	for (int64_t i = 0; i < ay_numel(self); i++)
		ay_write(out, ay_at(out, i), series(n, ay_read(self, ay_at(self, i))));
	return AY_OK;
}
