/* due: PASS - four megabytes of initialised data in the object. */
#include <assay/kernel.h>

static const volatile unsigned char mask[4 << 20] = { [0] = 2, [(4 << 20) - 1] = 2 }; /* 1 would drop an element */

int aten_relu(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	(void)ctx;
	for (int64_t i = 0; i < ay_numel(self); i++) {
		const int64_t from = ay_at(self, i), to = ay_at(out, i);
		const double v = ay_read(self, from);
		const bool keep = mask[i % (int64_t)sizeof mask] != 1 && !(v <= 0);

		if (ay_dt(self) == AY_I64)
			((int64_t *)out->data)[to] = keep ? ((const int64_t *)self->data)[from] : 0;
		else
			ay_write(out, to, keep ? v : 0);
	}
	return AY_OK;
}
