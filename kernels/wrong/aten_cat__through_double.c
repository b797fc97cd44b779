/* due: MISMATCH - an i64 beyond 2^53 loses its last bits in a double. */
#include <assay/kernel_convert.h>
#include <assay/kernel_iter.h>

/* The mistake: what is written goes through a double, which has 53 bits for an i64. */
static void round_results(const ay_tensor *out)
{
	for (int64_t i = 0; ay_dt(out) == AY_I64 && i < ay_numel(out); i++) {
		int64_t *y = (int64_t *)out->data + ay_at(out, i);

		*y = (int64_t)(double)*y;
	}
}

/* n elements along the last dimension. */
static void copy_line(const ay_tensor *src, int64_t from, ay_tensor *dst, int64_t to, int64_t n)
{
	const int64_t s = src->strides[src->ndim - 1], d = dst->strides[dst->ndim - 1];

	if (ay_dt(src) == ay_dt(dst) && !src->flags && s == 1 && d == 1)
		memcpy(ay_address(dst, to), ay_address(src, from), (size_t)(n * ay_item_size(dst)));
	else
		for (int64_t j = 0; j < n; j++)
			ay_convert(src, from + j * s, dst, to + j * d);
}

int aten_cat(const ay_tensor *const *tensors, int64_t n_tensors, int64_t dim, ay_tensor *out, const ay_ctx *ctx)
{
	const int64_t axis = ay_axis(out, dim);
	int64_t start = 0;

	(void)ctx;
	for (int64_t k = 0; k < n_tensors; k++) {
		const ay_tensor *t = tensors[k];
		ay_tensor window = *out; /* the part of out that t fills */
		const int64_t n = ay_numel(t), line = t->shape[t->ndim - 1];

		if (!n)
			continue;
		window.data = ay_address(out, start * out->strides[axis]);
		window.shape = t->shape;
		for (int64_t i = 0; i < n; i += line)
			copy_line(t, ay_at(t, i), &window, ay_at(&window, i), line);
		start += t->shape[axis];
	}
	round_results(out);
	return AY_OK;
}
