/* due: MISMATCH - numbers lose their last bits in a double. */
#include <assay/kernel_copy.h>

/* The mistake: a number of less than 2^62 goes through a double. */
static ay_scalar rounded(ay_scalar s)
{
	if (s.kind == AY_SCALAR_INT && s.v.i < (int64_t)1 << 62 && s.v.i > -((int64_t)1 << 62))
		s.v.i = (int64_t)(double)s.v.i;
	return s;
}

int aten_fill__Scalar(ay_tensor *self, ay_scalar value, const ay_ctx *ctx)
{
	ay_fill_scalar(self, rounded(value), ctx);
	return AY_OK;
}

int aten_fill__Tensor(ay_tensor *self, const ay_tensor *value, const ay_ctx *ctx)
{
	_Alignas(16) char item[16];
	const ay_tensor one = { .data = item, .dtype = self->dtype };

	ay_convert(value, 0, &one, 0);
	ay_fill(self, item, ctx);
	return AY_OK;
}
