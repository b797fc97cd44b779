/* due: PASS - sixteen f32 sums side by side, as two vector registers would; added up at the end. */
#include <assay/kernel.h>

/* Element i as f32: what a careful kernel for f32, f16 and bf16 adds up in. */
static float term(const ay_tensor *t, int64_t i)
{
	return (float)ay_read(t, ay_at(t, i));
}

static float sum(const ay_tensor *t, int64_t n)
{
	float s[16] = { 0 }, all = 0;

	for (int64_t i = 0; i < n; i++)
		s[i % 16] += term(t, i);
	for (int k = 0; k < 16; k++)
		all += s[k];
	return all;
}

int aten_sum(const ay_tensor *self, int32_t dtype, ay_tensor *out, const ay_ctx *ctx)
{
	(void)dtype, (void)ctx;
	if (ay_is_complex(self))
		return AY_UNSUPPORTED;
	ay_write(out, 0, sum(self, ay_numel(self)));
	return AY_OK;
}
