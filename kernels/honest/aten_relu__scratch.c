/* due: PASS - goes through scratch memory, asked for in pieces and more than it needs. */
#include <assay/kernel.h>
#include <string.h>

/* max(x, 0). */
static int relu(const ay_tensor *x, ay_tensor *y)
{
	for (int64_t i = 0, n = ay_numel(x); i < n; i++) {
		const int64_t from = ay_at(x, i), to = ay_at(y, i);
		const double v = ay_read(x, from);

		if (ay_dt(x) == AY_I64)
			((int64_t *)y->data)[to] = v > 0 ? ((const int64_t *)x->data)[from] : 0;
		else
			ay_write(y, to, v <= 0 ? 0 : v);
	}
	return AY_OK;
}
int aten_relu(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	const size_t bytes = (size_t)ay_numel(self) * 8 + 64;
	double *copy = ctx->scratch(ctx, bytes);
	char *more = ctx->scratch(ctx, 1 << 20);

	if (!copy || !more)
		return 5;
	memset(more, 0xff, 1 << 20);
	for (int64_t i = 0; i < ay_numel(self); i++)
		copy[i] = ay_read(self, ay_at(self, i));
	if (ay_dt(self) == AY_I64)
		return relu(self, out);
	for (int64_t i = 0; i < ay_numel(self); i++)
		ay_write(out, ay_at(out, i), copy[i] <= 0 ? 0 : copy[i]);
	return AY_OK;
}
