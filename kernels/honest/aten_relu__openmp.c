/* due: PASS - an OpenMP loop; where the compiler was not asked for OpenMP the pragma is a comment. */
#include <assay/kernel.h>

int aten_relu(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	const int64_t n = ay_numel(self);

	(void)ctx;
#pragma omp parallel for num_threads(ctx->threads)
	for (int64_t i = 0; i < n; i++) {
		const int64_t from = ay_at(self, i), to = ay_at(out, i);
		const double v = ay_read(self, from);

		if (ay_dt(self) == AY_I64)
			((int64_t *)out->data)[to] = v > 0 ? ((const int64_t *)self->data)[from] : 0;
		else
			ay_write(out, to, v <= 0 ? 0 : v);
	}
	return AY_OK;
}
