/* due: MISMATCH - an i64 beyond 2^53 loses its last bits in a double. */
#include <assay/kernel.h>
#include <string.h>

/* The mistake: what is written goes through a double, which has 53 bits for an i64. */
static void round_results(const ay_tensor *out)
{
	for (int64_t i = 0; ay_dt(out) == AY_I64 && i < ay_numel(out); i++) {
		int64_t *y = (int64_t *)out->data + ay_at(out, i);

		*y = (int64_t)(double)*y;
	}
}

/* Where self has element i of the piece that begins `start` elements along dim. */
static int64_t whole_at(const ay_tensor *self, const ay_tensor *piece, int64_t dim, int64_t start, int64_t i)
{
	int64_t at = start * self->strides[dim];

	for (int32_t d = piece->ndim - 1; d >= 0; d--) {
		at += i % piece->shape[d] * self->strides[d];
		i /= piece->shape[d];
	}
	return at;
}

int aten_unsafe_split_Tensor(const ay_tensor *self, int64_t split_size, int64_t dim, ay_tensor *const *out,
			     int64_t n_out, const ay_ctx *ctx)
{
	const size_t item = (size_t)self->dtype.bits / 8;

	(void)ctx;
	if (dim < 0)
		dim += self->ndim;
	for (int64_t k = 0; k < n_out; k++)
		for (int64_t i = 0, n = ay_numel(out[k]); i < n; i++)
			memcpy((char *)out[k]->data + (size_t)ay_at(out[k], i) * item,
			       (const char *)self->data +
				       (size_t)whole_at(self, out[k], dim, k * split_size, i) * item,
			       item);
	for (int64_t k = 0; k < n_out; k++)
		round_results(out[k]);
	return AY_OK;
}
