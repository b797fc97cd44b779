/* due: UNWRITTEN - writes the first copy of self and leaves the others. */
#include <assay/kernel_iter.h>
#include <string.h>

int aten_expand(const ay_tensor *self, const int64_t *size, int64_t n_size, bool implicit, ay_tensor *out,
		const ay_ctx *ctx)
{
	const size_t item = (size_t)self->dtype.bits / 8;

	(void)size, (void)n_size, (void)implicit, (void)ctx; /* out has the shape already */
	for (int64_t i = 0, n = ay_numel(out) ? ay_numel(self) : 0; i < n; i++)
		memcpy((char *)out->data + (size_t)ay_at(out, i) * item,
		       (const char *)self->data + (size_t)ay_broadcast_at(self, out, i) * item, item);
	return AY_OK;
}
