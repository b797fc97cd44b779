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

/* Zeros at n places from place `first` along axis on. */
static void clear(const ay_tensor *out, int64_t axis, int64_t first, int64_t n, const ay_ctx *ctx)
{
	int64_t shape[AY_MAX_DIM];
	ay_tensor window = *out;

	memcpy(shape, out->shape, (size_t)out->ndim * sizeof *shape);
	shape[axis] = n;
	window.shape = shape;
	window.data = ay_address(out, first * out->strides[axis]);
	ay_fill_scalar(&window, (ay_scalar){ .kind = AY_SCALAR_INT }, ctx);
}

int aten_select_backward(const ay_tensor *grad_output, const int64_t *input_sizes, int64_t n_input_sizes,
			 int64_t dim, int64_t index, ay_tensor *out, const ay_ctx *ctx)
{
	const int64_t axis = ay_axis(out, dim), n = out->shape[axis], place = index < 0 ? index + n : index;
	struct ay_copy_dims w = { 0 };

	(void)input_sizes, (void)n_input_sizes;
	if (!ay_numel(out))
		return AY_OK;
	if (out->strides[axis] * ay_item_size(out) < 64) {
		clear(out, axis, 0, n, ctx);
	} else {
		clear(out, axis, 0, place, ctx);
		clear(out, axis, place + 1, n - place - 1, ctx);
	}
	for (int32_t d = 0; d < out->ndim; d++)
		if (d != axis)
			ay_add_copy_dim(&w, out->shape[d], grad_output->strides[d - (d > axis)], out->strides[d]);
	ay_copy_elements(ay_address(out, place * out->strides[axis]), grad_output->data, ay_item_size(out), w,
			 ctx);
	round_results(out);
	return AY_OK;
}
