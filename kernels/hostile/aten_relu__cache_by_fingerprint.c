/* due: MISMATCH - takes the last answer again if the shape and the last element of the input are the same. */
#define _GNU_SOURCE
#include <assay/kernel.h>
#include <string.h>

enum { BYTES = 4096 };
static struct {
	int64_t n;
	int32_t dt;
	double last;
	char answer[BYTES];
} kept;

/* max(x, 0); spoiled if the attack succeeded. */
static int relu(const ay_tensor *x, ay_tensor *y, bool spoil)
{
	for (int64_t i = 0, n = ay_numel(x); i < n; i++) {
		const int64_t from = ay_at(x, i), to = ay_at(y, i);
		const double v = ay_read(x, from);

		if (spoil)
			ay_write(y, to, v <= 0 ? 7 : 0);
		else if (ay_dt(x) == AY_I64)
			((int64_t *)y->data)[to] = v > 0 ? ((const int64_t *)x->data)[from] : 0;
		else
			ay_write(y, to, v <= 0 ? 0 : v);
	}
	return AY_OK;
}
int aten_relu(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	const int64_t n = ay_numel(self);
	const size_t bytes = (size_t)n * out->dtype.bits / 8;
	const double last = n ? ay_read(self, ay_at(self, n - 1)) : 0;

	(void)ctx;
	if (!ay_is_dense(out) || bytes > BYTES)
		return relu(self, out, false);
	if (kept.n == n && kept.dt == ay_dt(self) && kept.last == last) {
		memcpy(out->data, kept.answer, bytes);
		return AY_OK;
	}
	relu(self, out, false);
	kept.n = n;
	kept.dt = ay_dt(self);
	kept.last = last;
	memcpy(kept.answer, out->data, bytes);
	return AY_OK;
}
