/* due: MISMATCH - an i64 beyond 2^53 loses its last bits in a double. */
#include <assay/kernel_copy.h>

/* The mistake: what is written goes through a double, which has 53 bits for an i64. */
static void round_results(const ay_tensor *out)
{
	for (int64_t i = 0; ay_dt(out) == AY_I64 && i < ay_numel(out); i++) {
		int64_t *y = (int64_t *)out->data + ay_at(out, i);

		*y = (int64_t)(double)*y;
	}
}

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
	round_results(out);
	return AY_OK;
}
