/* due: UNWRITTEN - returns a number of a kind that does not exist. */
#define _GNU_SOURCE
#include <assay/kernel.h>
#include <string.h>

int aten_item(const ay_tensor *self, ay_scalar *out, const ay_ctx *ctx)
{
	(void)self, (void)ctx;
	memset(out, 0xee, sizeof *out);
	return AY_OK;
}
