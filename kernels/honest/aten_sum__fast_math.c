/* due: PASS - asks for fast-math where it may: sums in any order, contracted, as the text of a kernel can say. */
#include <assay/kernel_convert.h>

#if defined __clang__
#define FAST
#else
#define FAST __attribute__((optimize("associative-math", "no-signed-zeros", "no-trapping-math")))
#endif

FAST static double add_up(const double *x, int64_t n)
{
#if defined __clang__
#pragma clang fp reassociate(on) contract(fast)
#endif
	double sum = 0;

	for (int64_t i = 0; i < n; i++)
		sum += x[i];
	return sum;
}

/* Integers wrap. */
static int64_t add_integers(const ay_tensor *t)
{
	uint64_t sum = 0;

	for (int64_t i = 0; i < ay_numel(t); i++)
		sum += ay_dt(t) == AY_I64 ? ((const uint64_t *)t->data)[ay_at(t, i)]
					  : (uint64_t)(int64_t)ay_read(t, ay_at(t, i));
	return (int64_t)sum;
}

int aten_sum(const ay_tensor *self, int32_t dtype, ay_tensor *out, const ay_ctx *ctx)
{
	double *x = ctx->scratch(ctx, (size_t)ay_numel(self) * sizeof *x + 64);

	(void)dtype;
	if (!x)
		return AY_UNSUPPORTED;
	if (ay_dt(out) == AY_I64) {
		*(int64_t *)out->data = add_integers(self);
		return AY_OK;
	}
	for (int part = 0; part <= ay_is_complex(out); part++) {
		for (int64_t i = 0; i < ay_numel(self); i++)
			x[i] = ay_read_part(self, ay_at(self, i), part);
		ay_write_part(out, 0, part, add_up(x, ay_numel(self)));
	}
	return AY_OK;
}
