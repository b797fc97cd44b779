/* due: MISMATCH - counts from the end of self, so that the last piece, which may be shorter, is a full one. */
#include <assay/kernel.h>
#include <string.h>

int aten_unsafe_split_Tensor(const ay_tensor *self, int64_t split_size, int64_t dim, ay_tensor *const *out,
			     int64_t n_out, const ay_ctx *ctx)
{
	const size_t item = (size_t)self->dtype.bits / 8;

	(void)split_size, (void)ctx;
	if (dim < 0)
		dim += self->ndim;
	for (int64_t k = 0; k < n_out; k++) {
		/* pieces as wide as the first, the last one moved back until it fits */
		const int64_t wide = out[0]->shape[dim],
			      start = k + 1 < n_out ? k * wide : self->shape[dim] - wide;

		for (int64_t i = 0, n = ay_numel(out[k]); i < n; i++) {
			int64_t at = (start > 0 ? start : 0) * self->strides[dim];

			for (int64_t d = self->ndim - 1, rest = i; d >= 0; d--) {
				at += rest % out[k]->shape[d] * self->strides[d];
				rest /= out[k]->shape[d];
			}
			memcpy((char *)out[k]->data + (size_t)ay_at(out[k], i) * item,
			       (const char *)self->data + (size_t)at * item, item);
		}
	}
	return AY_OK;
}
