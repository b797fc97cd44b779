/* due: PASS - equal dtypes in lines as long as they are, past the caches where the result is large; other dtypes are
 * converted element by element. */
#include <assay/kernel_copy.h>

static void stack_one(const ay_tensor *t, int64_t axis, int64_t place, ay_tensor *out, const ay_ctx *ctx)
{
	int64_t strides[AY_MAX_DIM];
	ay_tensor window = *t; /* the part of out that t fills */

	window.data = ay_address(out, place * out->strides[axis]);
	window.dtype = out->dtype;
	window.flags = out->flags;
	window.strides = strides;
	for (int32_t d = 0; d < t->ndim; d++)
		strides[d] = out->strides[d + (d >= axis)];
	ay_copy_tensor(&window, t, ctx);
}

int aten_stack(const ay_tensor *const *tensors, int64_t n_tensors, int64_t dim, ay_tensor *out, const ay_ctx *ctx)
{
	for (int64_t k = 0; k < n_tensors; k++)
		stack_one(tensors[k], ay_axis(out, dim), k, out, ctx);
	return AY_OK;
}
