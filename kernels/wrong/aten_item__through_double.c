/* due: MISMATCH - an i64 beyond 2^53 loses its last bits in a double. */
#include <assay/kernel.h>

static double from_f8e5m2(uint8_t h)
{
	return ay_from_f16((uint16_t)(h << 8)); /* the upper half of an f16 */
}

static void read_complex(const ay_tensor *t, double c[2])
{
	for (int i = 0; i < 2; i++) {
		switch (ay_dt(t)) {
		case AY_C32: c[i] = ay_from_f16(((const uint16_t *)t->data)[i]); break;
		case AY_C64: c[i] = ((const float *)t->data)[i]; break;
		default: c[i] = ((const double *)t->data)[i];
		}
	}
	if (t->flags & AY_CONJ)
		c[1] = -c[1];
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
		out->v.i = (int64_t)ay_read(self, 0);
		return AY_OK;
	case AY_CODE_COMPLEX:
		out->kind = AY_SCALAR_COMPLEX;
		read_complex(self, out->v.c);
		return AY_OK;
	default:
		out->kind = AY_SCALAR_FLOAT;
		out->v.f = ay_dt(self) == AY_F8E5M2 ? from_f8e5m2(*(const uint8_t *)self->data) : ay_read(self, 0);
		return AY_OK;
	}
}
