/* due: MISMATCH - numbers lose their last bits in a double. */
#include <assay/kernel_copy.h>

/* The mistake: a number of less than 2^62 goes through a double. */
static ay_scalar rounded(ay_scalar s)
{
	if (s.kind == AY_SCALAR_INT && s.v.i < (int64_t)1 << 62 && s.v.i > -((int64_t)1 << 62))
		s.v.i = (int64_t)(double)s.v.i;
	return s;
}

int aten_full(const int64_t *size, int64_t n_size, ay_scalar fill_value, int32_t dtype, int32_t layout,
	      const ay_device *device, const bool *pin_memory, ay_tensor *out, const ay_ctx *ctx)
{
	(void)size, (void)n_size, (void)dtype, (void)layout, (void)device, (void)pin_memory; /* out has them */
	ay_fill_scalar(out, rounded(fill_value), ctx);
	return AY_OK;
}
