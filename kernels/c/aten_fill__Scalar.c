/* due: PASS - whatever lies in one piece is one line, written past the caches where it is large. */
#include <assay/kernel_copy.h>

int aten_fill__Scalar(ay_tensor *self, ay_scalar value, const ay_ctx *ctx)
{
	ay_fill_scalar(self, value, ctx);
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
