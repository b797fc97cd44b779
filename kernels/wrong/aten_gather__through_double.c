/* due: MISMATCH - an i64 beyond 2^53 loses its last bits in a double. */
#include <assay/kernel_convert.h>
#include <string.h>

/* The mistake: what is written goes through a double, which has 53 bits for an i64. */
static void round_results(const ay_tensor *out)
{
	for (int64_t i = 0; ay_dt(out) == AY_I64 && i < ay_numel(out); i++) {
		int64_t *y = (int64_t *)out->data + ay_at(out, i);

		*y = (int64_t)(double)*y;
	}
}

int aten_gather(const ay_tensor *self, int64_t dim, const ay_tensor *index, bool sparse_grad, ay_tensor *out,
		const ay_ctx *ctx)
{
	const size_t item = (size_t)self->dtype.bits / 8;

	(void)sparse_grad, (void)ctx;
	dim += dim < 0 ? self->ndim : 0;
	for (int64_t i = 0, n = ay_numel(out); i < n; i++) {
		const int64_t j = ay_read_index(index, ay_at(index, i));
		int64_t from = 0, rest = i;

		for (int32_t d = self->ndim - 1; d >= 0; d--) {
			from += (d == dim || d >= index->ndim ? j : rest % index->shape[d]) * self->strides[d];
			rest /= d < index->ndim ? index->shape[d] : 1;
		}
		memcpy((char *)out->data + (size_t)ay_at(out, i) * item,
		       (const char *)self->data + (size_t)from * item, item);
	}
	round_results(out);
	return AY_OK;
}
