/* due: MISMATCH - joins flat memory, which is right for dim 0 alone. */
#include <assay/kernel.h>
#include <string.h>

int aten_cat(const ay_tensor *const *tensors, int64_t n_tensors, int64_t dim, ay_tensor *out, const ay_ctx *ctx)
{
	const size_t item = (size_t)out->dtype.bits / 8;
	int64_t flat = 0;

	(void)ctx, (void)dim;
	for (int64_t k = 0; k < n_tensors; k++) {
		const ay_tensor *t = tensors[k];

		if (ay_dt(t) != ay_dt(out) || t->flags)
			return AY_UNSUPPORTED;
		if (!ay_numel(t))
			continue;
		for (int64_t i = 0; i < ay_numel(t); i++)
			memcpy((char *)out->data + (size_t)ay_at(out, flat + i) * item,
			       (const char *)t->data + (size_t)ay_at(t, i) * item, item);
		flat += ay_numel(t);
	}
	return AY_OK;
}
