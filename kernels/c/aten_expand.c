/* due: PASS - every element of the result, copied from where self has it. */
#include <assay/kernel.h>
#include <string.h>

/* Where self, stretched to out's shape, has the element with flat index i of out. */
static int64_t stretched_at(const ay_tensor *t, const ay_tensor *out, int64_t i)
{
	int64_t at = 0;

	for (int32_t d = out->ndim - 1; d >= 0; d--) {
		const int32_t k = d - (out->ndim - t->ndim);

		if (k >= 0 && t->shape[k] != 1)
			at += i % out->shape[d] * t->strides[k];
		i /= out->shape[d];
	}
	return at;
}

int aten_expand(const ay_tensor *self, const int64_t *size, int64_t n_size, bool implicit, ay_tensor *out,
		const ay_ctx *ctx)
{
	const size_t item = (size_t)self->dtype.bits / 8;

	(void)size, (void)n_size, (void)implicit, (void)ctx; /* out has the shape already */
	for (int64_t i = 0, n = ay_numel(out); i < n; i++)
		memcpy((char *)out->data + (size_t)ay_at(out, i) * item,
		       (const char *)self->data + (size_t)stretched_at(self, out, i) * item, item);
	return AY_OK;
}
