/* due: MISMATCH - the last tensor comes first. */
#include <assay/kernel.h>
#include <string.h>

int aten_cat(const ay_tensor *const *tensors, int64_t n_tensors, int64_t dim, ay_tensor *out, const ay_ctx *ctx)
{
	const int64_t axis = dim < 0 ? dim + out->ndim : dim;
	const size_t item = (size_t)out->dtype.bits / 8;
	int64_t start = 0;

	(void)ctx;
	for (int64_t k = 0; k < n_tensors; k++) {
		const ay_tensor *t = tensors[n_tensors - 1 - k];
		ay_tensor window = *out; /* the part of out that t fills */

		if (ay_dt(t) != ay_dt(out) || t->flags)
			return AY_UNSUPPORTED;
		if (!ay_numel(t))
			continue;
		window.data = (char *)out->data + (size_t)(start * out->strides[axis]) * item;
		window.shape = t->shape;
		for (int64_t i = 0; i < ay_numel(t); i++)
			memcpy((char *)window.data + (size_t)ay_at(&window, i) * item,
			       (const char *)t->data + (size_t)ay_at(t, i) * item, item);
		start += t->shape[axis];
	}
	return AY_OK;
}
