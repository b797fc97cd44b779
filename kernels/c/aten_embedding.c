/* due: PASS - rows of the table, copied byte for byte. */
#include <assay/kernel.h>
#include <string.h>

int aten_embedding(const ay_tensor *weight, const ay_tensor *indices, int64_t padding_idx, bool scale_grad_by_freq,
		   bool sparse, ay_tensor *out, const ay_ctx *ctx)
{
	const size_t item = (size_t)weight->dtype.bits / 8;
	const int64_t width = weight->shape[1], step = out->strides[out->ndim - 1];

	(void)padding_idx, (void)scale_grad_by_freq, (void)sparse, (void)ctx; /* they are for the gradient */
	for (int64_t i = 0; width && i < ay_numel(indices); i++) {
		const int64_t at = ay_at(indices, i);
		const int64_t row = ay_dt(indices) == AY_I64 ? ((const int64_t *)indices->data)[at]
							     : ((const int32_t *)indices->data)[at];
		const char *from = (const char *)weight->data + (size_t)(row * weight->strides[0]) * item;
		char *to = (char *)out->data + (size_t)ay_at(out, i * width) * item;

		for (int64_t j = 0; j < width; j++)
			memcpy(to + (size_t)(j * step) * item, from + (size_t)(j * weight->strides[1]) * item,
			       item);
	}
	return AY_OK;
}
