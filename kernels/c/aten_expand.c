/* due: PASS - every element of the result, copied from where self has it. */
#include <assay/kernel_convert.h>
#include <assay/kernel_iter.h>

int aten_expand(const ay_tensor *self, const int64_t *size, int64_t n_size, bool implicit, ay_tensor *out,
		const ay_ctx *ctx)
{
	(void)size, (void)n_size, (void)implicit, (void)ctx; /* out has the shape already */
	for (int64_t i = 0, n = ay_numel(out); i < n; i++)
		memcpy(ay_address(out, ay_at(out, i)), ay_address(self, ay_broadcast_at(self, out, i)),
		       (size_t)ay_item_size(out));
	return AY_OK;
}
