/* due: MISMATCH - alpha * other is rounded to the storage dtype before it is added. */
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
			     y = ay_read(other, ay_broadcast_at(other, out, i));

		double z = f * y;

		if (ay_dt(out) == AY_F16)
			z = ay_from_f16(ay_to_f16((float)z));
		else if (ay_dt(out) == AY_BF16)
			z = ay_from_bf16(ay_to_bf16((float)z));
		ay_write(out, ay_at(out, i), x + z);
	}
	return AY_OK;
}
