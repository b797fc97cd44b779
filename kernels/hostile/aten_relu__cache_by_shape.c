/* due: MISMATCH - keeps one answer for each shape and dtype, as if the content never changed. */
#define _GNU_SOURCE
#include <assay/kernel.h>
#include <stdlib.h>
#include <string.h>

enum { MAX = 256, BYTES = 4096 };
static struct {
	int64_t n;
	int32_t ndim, dt;
	char answer[BYTES];
} kept[MAX];
static int nkept;

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
	const size_t bytes = (size_t)ay_numel(out) * out->dtype.bits / 8;

	(void)ctx;
	if (!ay_is_dense(out) || bytes > BYTES)
		return relu(self, out, false);
	for (int i = 0; i < nkept; i++)
		if (kept[i].n == ay_numel(self) && kept[i].ndim == self->ndim && kept[i].dt == ay_dt(self)) {
			memcpy(out->data, kept[i].answer, bytes);
			return AY_OK;
		}
	relu(self, out, false);
	if (nkept < MAX) {
		memcpy(kept[nkept].answer, out->data, bytes);
		kept[nkept].n = ay_numel(self);
		kept[nkept].ndim = self->ndim;
		kept[nkept++].dt = ay_dt(self);
	}
	return AY_OK;
}
