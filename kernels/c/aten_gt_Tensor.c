/* due: PASS - self > other. Both are taken in the dtype that promotion gives, as they lie or through tiles, and
 * compared by one loop per dtype. */
#include <assay/kernel_compare.h>

AY_COMPARE_LOOPS(gt, >)

static int gt_all(const ay_tensor *self, const ay_tensor *other, bool number, ay_tensor *out, const ay_ctx *ctx)
{
	if (ay_is_complex(self) || ay_is_complex(other))
		return AY_UNSUPPORTED;
	return ay_compare(self, other, number, out, &gt_loops, ctx);
}

int aten_gt_Tensor(const ay_tensor *self, const ay_tensor *other, ay_tensor *out, const ay_ctx *ctx)
{
	return gt_all(self, other, false, out, ctx);
}

int aten_gt_Scalar(const ay_tensor *self, ay_scalar other, ay_tensor *out, const ay_ctx *ctx)
{
	const ay_tensor t = ay_scalar_tensor(&other);

	return gt_all(self, &t, true, out, ctx);
}
