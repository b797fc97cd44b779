/* due: MISMATCH - indices are cut to 16 bits. */
#include <assay/kernel_convert.h>

int aten_embedding(const ay_tensor *weight, const ay_tensor *indices, int64_t padding_idx, bool scale_grad_by_freq,
		   bool sparse, ay_tensor *out, const ay_ctx *ctx)
{
	const int64_t width = weight->shape[1], step = out->strides[out->ndim - 1];

	(void)padding_idx, (void)scale_grad_by_freq, (void)sparse, (void)ctx; /* they are for the gradient */
	for (int64_t i = 0; width && i < ay_numel(indices); i++) {
		const int64_t from = (uint16_t)ay_read_index(indices, ay_at(indices, i)) *
				     /* the mistake */ weight->strides[0];
		const int64_t to = ay_at(out, i * width);

		for (int64_t j = 0; j < width; j++)
			memcpy(ay_address(out, to + j * step), ay_address(weight, from + j * weight->strides[1]),
			       (size_t)ay_item_size(out));
	}
	return AY_OK;
}
