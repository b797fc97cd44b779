/* due: MISMATCH - right as truth goes, but the last true element is the byte 2. */
#include <assay/kernel.h>

int aten_bitwise_not(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	uint8_t *last = NULL;

	(void)ctx;
	if (ay_dt(self) != AY_B8)
		return AY_UNSUPPORTED;
	for (int64_t i = 0; i < ay_numel(self); i++) {
		uint8_t *at = (uint8_t *)out->data + ay_at(out, i);

		*at = !((const uint8_t *)self->data)[ay_at(self, i)];
		last = *at ? at : last;
	}
	if (last)
		*last = 2;
	return AY_OK;
}
