/* due: OVERRUN - out= is written as if it were dense: that is between its elements. */
#include <assay/kernel.h>
static double number(ay_scalar s)
{
	return s.kind == AY_SCALAR_FLOAT ? s.v.f : s.kind == AY_SCALAR_INT ? (double)s.v.i : s.v.b;
}

/* Where t, stretched to out's shape, has the element with flat index i of out. */
static int64_t stretched_at(const ay_tensor *t, const ay_tensor *out, int64_t i)
{
	int64_t at = 0;

	for (int32_t d = out->ndim - 1; d >= 0; d--) {
		const int32_t k = d - (out->ndim - t->ndim);

		if (k >= 0 && t->shape[k] != 1)
			at += i % out->shape[d] * t->strides[k];
		i /= out->shape[d];
	}
	return at;
}

static int add(const ay_tensor *self, const ay_tensor *other, ay_scalar alpha, ay_tensor *out, bool dense)
{
	const double f = number(alpha);

	if (ay_is_complex(out))
		return AY_UNSUPPORTED;
	for (int64_t i = 0; i < ay_numel(out); i++) {
		const double x = ay_read(self, stretched_at(self, out, i)),
			     y = ay_read(other, stretched_at(other, out, i));

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
