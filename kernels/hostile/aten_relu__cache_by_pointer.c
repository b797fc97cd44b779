/* due: MISMATCH - keeps answers by the page that the input lies in; pages come again with other content. */
#define _GNU_SOURCE
#include <assay/kernel.h>
#include <string.h>

enum { MAX = 64, BYTES = 4096 };
static struct {
	uintptr_t page;
	int32_t dt;
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
	const uintptr_t page = (uintptr_t)self->data >> 12;

	(void)ctx;
	if (!ay_is_dense(out) || bytes > BYTES || nkept == MAX)
		return relu(self, out, false);
	for (int i = 0; i < nkept; i++)
		if (kept[i].page == page && kept[i].dt == ay_dt(self)) {
			memcpy(out->data, kept[i].answer, bytes);
			return AY_OK;
		}
	relu(self, out, false);
	kept[nkept].page = page;
	kept[nkept].dt = ay_dt(self);
	memcpy(kept[nkept++].answer, out->data, bytes);
	return AY_OK;
}
