/* due: MISMATCH - repeats other from its start: right for trailing dimensions, wrong for all others. */
#include <assay/kernel_iter.h>
static double number(ay_scalar s)
{
	return s.kind == AY_SCALAR_FLOAT ? s.v.f : s.kind == AY_SCALAR_INT ? (double)s.v.i : s.v.b;
}

int aten_add_Tensor(const ay_tensor *self, const ay_tensor *other, ay_scalar alpha, ay_tensor *out,
		    const ay_ctx *ctx)
{
	const double f = number(alpha);

	(void)ctx;
	if (ay_is_complex(out))
		return AY_UNSUPPORTED;
	for (int64_t i = 0; i < ay_numel(out); i++) {
		const double x = ay_read(self, ay_broadcast_at(self, out, i)),
			     y = ay_read(other, ay_at(other, i % ay_numel(other)));

		ay_write(out, ay_at(out, i), x + f * y);
	}
	return AY_OK;
}
