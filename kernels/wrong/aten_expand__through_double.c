/* due: MISMATCH - an i64 beyond 2^53 loses its last bits in a double. */
#include <assay/kernel_convert.h>
#include <assay/kernel_iter.h>

/* The mistake: 64 bits go through a double, which has 53 for them. */
static void copy_item(void *to, const void *from, const ay_tensor *t)
{
	int64_t x;

	memcpy(to, from, (size_t)ay_item_size(t));
	if (ay_dt(t) != AY_I64)
		return;
	memcpy(&x, from, sizeof x);
	x = (int64_t)(double)x;
	memcpy(to, &x, sizeof x);
}

int aten_expand(const ay_tensor *self, const int64_t *size, int64_t n_size, bool implicit, ay_tensor *out,
		const ay_ctx *ctx)
{
	(void)size, (void)n_size, (void)implicit, (void)ctx; /* out has the shape already */
	for (int64_t i = 0, n = ay_numel(out); i < n; i++)
		copy_item(ay_address(out, ay_at(out, i)), ay_address(self, ay_broadcast_at(self, out, i)), out);
	return AY_OK;
}
