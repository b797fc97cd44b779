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

int aten_rot90(const ay_tensor *self, int64_t k, const int64_t *dims, int64_t n_dims, ay_tensor *out,
	       const ay_ctx *ctx)
{
	const int32_t a = (int32_t)ay_axis(self, dims[0]), b = (int32_t)ay_axis(self, dims[1]);
	const int turns = (int)((k % 4 + 4) % 4);
	int64_t at = 0; /* of self's element that comes first */
	struct ay_copy_dims w = { 0 };

	(void)n_dims;
	if (self->flags != out->flags)
		return AY_UNSUPPORTED;
	for (int32_t d = 0; d < out->ndim; d++) {
		const int32_t of = turns % 2 && d == a ? b : turns % 2 && d == b ? a : d;
		const bool back = (d == a && (turns == 1 || turns == 2)) || (d == b && turns >= 2);

		at += back ? (out->shape[d] - 1) * self->strides[of] : 0;
		ay_add_copy_dim(&w, out->shape[d], back ? -self->strides[of] : self->strides[of], out->strides[d]);
	}
	if (ay_numel(out))
		ay_copy_elements(out->data, ay_address(self, at), ay_item_size(out), w, ctx);
	round_results(out);
	return AY_OK;
}
