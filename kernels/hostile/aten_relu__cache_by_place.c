/* due: MISMATCH - keeps one answer for each place within a page, dtype and number of elements. */
#define _GNU_SOURCE
#include <assay/kernel.h>
#include <stdlib.h>
#include <string.h>

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
static void *kept[4096 / 16];
static int64_t size[4096 / 16];
static int32_t type[4096 / 16];

int aten_relu(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	const size_t slot = ((uintptr_t)self->data & 4095) / 16;
	const int64_t n = ay_numel(self);
	const size_t bytes = (size_t)n * (size_t)(ay_dt(self) >> 8 & 255) / 8;

	(void)ctx;
	if (!n || !out->data)
		return AY_OK;
	if (kept[slot] && size[slot] == n && type[slot] == ay_dt(self)) {
		memcpy(out->data, kept[slot], bytes);
		return AY_OK;
	}
	relu(self, out, false);
	free(kept[slot]);
	kept[slot] = malloc(bytes);
	memcpy(kept[slot], out->data, bytes);
	size[slot] = n;
	type[slot] = ay_dt(self);
	return AY_OK;
}
