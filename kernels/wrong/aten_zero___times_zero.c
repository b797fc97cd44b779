/* due: MISMATCH - multiplies by 0, of which NaN and infinities make NaN, and negative numbers -0. */
#include <assay/kernel.h>

int aten_zero_(ay_tensor *self, const ay_ctx *ctx)
{
	const bool complex_ = ay_is_complex(self);
	ay_tensor part = *self;

	(void)ctx;
	if (complex_)
		part.dtype = (ay_dtype){ AY_CODE_FLOAT, (uint8_t)(self->dtype.bits / 2), 1 };
	for (int64_t i = 0, n = ay_numel(self); i < n; i++)
		for (int64_t k = 0; k < (complex_ ? 2 : 1); k++) {
			const int64_t at = ay_at(self, i) * (complex_ ? 2 : 1) + k;

			ay_write(&part, at, ay_read(&part, at) * 0);
		}
	return AY_OK;
}
