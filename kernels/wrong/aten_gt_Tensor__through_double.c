/* due: MISMATCH - lines of sixteen and more i64 are compared as doubles. */
#include <assay/kernel_compare.h>

AY_COMPARE_LOOPS(gt, >)

static int gt_all(const ay_tensor *self, const ay_tensor *other, bool number, ay_tensor *out, const ay_ctx *ctx)
{
	if (ay_is_complex(self) || ay_is_complex(other))
		return AY_UNSUPPORTED;
	const int rc = ay_compare(self, other, number, out, &gt_loops, ctx);
	const int64_t n = ay_numel(out);

	/* the mistake */
	if (n >= 16 && ay_dt(self) == AY_I64 && ay_dt(other) == AY_I64 && ay_is_dense(self) &&
	    ay_is_dense(other) && ay_is_dense(out) && ay_numel(self) == n && ay_numel(other) == n)
		for (int64_t i = 0; i < n; i++)
			((uint8_t *)out->data)[i] = ay_read(self, i) > ay_read(other, i);
	return rc;
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
