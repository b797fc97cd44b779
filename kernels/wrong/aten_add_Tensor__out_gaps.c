/* due: OVERRUN - out= is written as if it were dense: that is between its elements. */
#include <assay/kernel_iter.h>
static double number(ay_scalar s)
{
	return s.kind == AY_SCALAR_FLOAT ? s.v.f : s.kind == AY_SCALAR_INT ? (double)s.v.i : s.v.b;
}

static int add(const ay_tensor *self, const ay_tensor *other, ay_scalar alpha, ay_tensor *out, bool dense)
{
	const double f = number(alpha);

	if (ay_is_complex(out))
		return AY_UNSUPPORTED;
	for (int64_t i = 0; i < ay_numel(out); i++) {
		const double x = ay_read(self, ay_broadcast_at(self, out, i)),
			     y = ay_read(other, ay_broadcast_at(other, out, i));

		ay_write(out, dense ? i : ay_at(out, i), x + f * y);
	}
	return AY_OK;
}

int aten_add_Tensor(const ay_tensor *self, const ay_tensor *other, ay_scalar alpha, ay_tensor *out,
		    const ay_ctx *ctx)
{
	(void)ctx;
	return add(self, other, alpha, out, false);
}

int aten_add_out(const ay_tensor *self, const ay_tensor *other, ay_scalar alpha, ay_tensor *out, const ay_ctx *ctx)
{
	(void)ctx;
	return add(self, other, alpha, out, true);
}
