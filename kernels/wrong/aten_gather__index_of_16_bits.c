/* due: MISMATCH - indices are cut to 16 bits. */
#include <assay/kernel_convert.h>
#include <string.h>

int aten_gather(const ay_tensor *self, int64_t dim, const ay_tensor *index, bool sparse_grad, ay_tensor *out,
		const ay_ctx *ctx)
{
	const size_t item = (size_t)self->dtype.bits / 8;

	(void)sparse_grad, (void)ctx;
	dim += dim < 0 ? self->ndim : 0;
	for (int64_t i = 0, n = ay_numel(out); i < n; i++) {
		const int64_t j = (uint16_t)ay_read_index(index, ay_at(index, i)); /* the mistake */
		int64_t from = 0, rest = i;

		for (int32_t d = self->ndim - 1; d >= 0; d--) {
			from += (d == dim || d >= index->ndim ? j : rest % index->shape[d]) * self->strides[d];
			rest /= d < index->ndim ? index->shape[d] : 1;
		}
		memcpy((char *)out->data + (size_t)ay_at(out, i) * item,
		       (const char *)self->data + (size_t)from * item, item);
	}
	return AY_OK;
}
