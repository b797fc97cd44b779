/* due: PASS - halves are summed, then their sums: the error grows with log n. */
#include <assay/kernel.h>

/* Element i as f32: what a careful kernel for f32, f16 and bf16 adds up in. */
static float term(const ay_tensor *t, int64_t i)
{
	return (float)ay_read(t, ay_at(t, i));
}

static float sum_range(const ay_tensor *t, int64_t lo, int64_t hi)
{
	const int64_t mid = lo + (hi - lo) / 2;

	if (hi - lo < 2)
		return lo < hi ? term(t, lo) : 0;
	return sum_range(t, lo, mid) + sum_range(t, mid, hi);
}

static float sum(const ay_tensor *t, int64_t n)
{
	return sum_range(t, 0, n);
}

int aten_sum(const ay_tensor *self, int32_t dtype, ay_tensor *out, const ay_ctx *ctx)
{
	(void)dtype, (void)ctx;
	if (ay_is_complex(self))
		return AY_UNSUPPORTED;
	ay_write(out, 0, sum(self, ay_numel(self)));
	return AY_OK;
}
