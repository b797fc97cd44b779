/* due: MISMATCH - an i64 beyond 2^53 loses its last bits in a double. */
#include <assay/kernel_convert.h>

/* The mistake: 64 bits go through a double, which has 53 for them. */
static void copy_item(void *to, const void *from, const ay_tensor *t)
{
	int64_t x;

	memcpy(to, from, (size_t)ay_item_size(t));
	if (ay_dt(t) != AY_I64)
		return;
	memcpy(&x, from, sizeof x);
	x = (int64_t)(double)x;
	memcpy(to, &x, sizeof x);
}

int aten_embedding(const ay_tensor *weight, const ay_tensor *indices, int64_t padding_idx, bool scale_grad_by_freq,
		   bool sparse, ay_tensor *out, const ay_ctx *ctx)
{
	const int64_t width = weight->shape[1], step = out->strides[out->ndim - 1];

	(void)padding_idx, (void)scale_grad_by_freq, (void)sparse, (void)ctx; /* they are for the gradient */
	for (int64_t i = 0; width && i < ay_numel(indices); i++) {
		const int64_t from = ay_read_index(indices, ay_at(indices, i)) * weight->strides[0];
		const int64_t to = ay_at(out, i * width);

		for (int64_t j = 0; j < width; j++)
			copy_item(ay_address(out, to + j * step),
				  ay_address(weight, from + j * weight->strides[1]), out);
	}
	return AY_OK;
}
