/* due: MISMATCH - an i64 beyond 2^53 loses its last bits in a double. */
#include <assay/kernel_copy.h>

/* The mistake: what is written goes through a double, which has 53 bits for an i64. */
static void round_results(const ay_tensor *out)
{
	for (int64_t i = 0; ay_dt(out) == AY_I64 && i < ay_numel(out); i++) {
		int64_t *y = (int64_t *)out->data + ay_at(out, i);

		*y = (int64_t)(double)*y;
	}
}

int aten_clone(const ay_tensor *self, int32_t memory_format, ay_tensor *out, const ay_ctx *ctx)
{
	(void)memory_format; /* out's strides say it already */
	ay_copy_tensor(out, self, ctx);
	round_results(out);
	return AY_OK;
}
