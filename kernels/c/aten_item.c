/* due: PASS - one load, and the kind of number that the dtype stands for. */
#include <assay/kernel_convert.h>

static double from_f8e5m2(uint8_t h)
{
	return ay_from_f16((uint16_t)(h << 8)); /* the upper half of an f16 */
}

int aten_item(const ay_tensor *self, ay_scalar *out, const ay_ctx *ctx)
{
	(void)ctx;
	switch (self->dtype.code) {
	case AY_CODE_BOOL:
		out->kind = AY_SCALAR_BOOL;
		out->v.b = *(const uint8_t *)self->data != 0;
		return AY_OK;
	case AY_CODE_INT:
	case AY_CODE_UINT:
		out->kind = AY_SCALAR_INT;
		out->v.i = ay_read_int(self, 0);
		return AY_OK;
	case AY_CODE_COMPLEX:
		out->kind = AY_SCALAR_COMPLEX;
		for (int part = 0; part < 2; part++)
			out->v.c[part] = ay_read_part(self, 0, part);
		return AY_OK;
	default:
		out->kind = AY_SCALAR_FLOAT;
		out->v.f = ay_dt(self) == AY_F8E5M2 ? from_f8e5m2(*(const uint8_t *)self->data) : ay_read(self, 0);
		return AY_OK;
	}
}
