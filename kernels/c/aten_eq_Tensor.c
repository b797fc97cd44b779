/* due: PASS - self == other. Both are taken in the dtype that promotion gives, as they lie or through tiles, and
 * compared by one loop per dtype, complex numbers one by one. */
#include <assay/kernel_compare.h>

AY_COMPARE_LOOPS(eq, ==)

int aten_eq_Tensor(const ay_tensor *self, const ay_tensor *other, ay_tensor *out, const ay_ctx *ctx)
{
	return ay_compare(self, other, false, out, &eq_loops, ctx);
}

int aten_eq_Scalar(const ay_tensor *self, ay_scalar other, ay_tensor *out, const ay_ctx *ctx)
{
	const ay_tensor t = ay_scalar_tensor(&other);

	return ay_compare(self, &t, true, out, &eq_loops, ctx);
}
