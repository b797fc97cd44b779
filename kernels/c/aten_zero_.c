/* due: PASS - whatever lies in one piece is one line, written past the caches where it is large. */
#include <assay/kernel_copy.h>

int aten_zero_(ay_tensor *self, const ay_ctx *ctx)
{
	ay_fill_scalar(self, (ay_scalar){ .kind = AY_SCALAR_INT }, ctx);
	return AY_OK;
}
