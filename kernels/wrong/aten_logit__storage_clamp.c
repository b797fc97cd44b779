/* due: MISMATCH - 1 - eps is rounded to the half type: 1, whose logit is infinite. */
#include <assay/kernel.h>
#include <math.h>

static float rounded(const ay_tensor *t, double x)
{
	return ay_dt(t) == AY_F16    ? ay_from_f16(ay_to_f16((float)x))
	       : ay_dt(t) == AY_BF16 ? ay_from_bf16(ay_to_bf16((float)x))
				     : (float)x;
}

int aten_logit(const ay_tensor *self, const double *eps, ay_tensor *out, const ay_ctx *ctx)
{
	const float lo = eps && *eps >= 0 ? rounded(out, *eps) : -INFINITY;
	const float hi = eps && *eps >= 0 ? rounded(out, 1 - *eps) : INFINITY;

	(void)ctx;
	if (ay_dt(self) == AY_F64)
		return AY_UNSUPPORTED;
	for (int64_t i = 0; i < ay_numel(self); i++) {
		float x = (float)ay_read(self, ay_at(self, i));

		x = x < lo ? lo : x > hi ? hi : x;
		ay_write(out, ay_at(out, i), logf(x / (1 - x)));
	}
	return AY_OK;
}
