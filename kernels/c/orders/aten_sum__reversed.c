/* due: PASS - one f32 sum from the last element to the first. */
#include <assay/kernel.h>

/* Element i as f32: what a careful kernel for f32, f16 and bf16 adds up in. */
static float term(const ay_tensor *t, int64_t i)
{
	return (float)ay_read(t, ay_at(t, i));
}

static float sum(const ay_tensor *t, int64_t n)
{
	float s = 0;

	while (n--)
		s += term(t, n);
	return s;
}

int aten_sum(const ay_tensor *self, int32_t dtype, ay_tensor *out, const ay_ctx *ctx)
{
	(void)dtype, (void)ctx;
	if (ay_is_complex(self))
		return AY_UNSUPPORTED;
	ay_write(out, 0, sum(self, ay_numel(self)));
	return AY_OK;
}
