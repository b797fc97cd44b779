/* due: PASS - fills 128 MiB of its own at the first call and keeps them: what it holds decides nothing about its
 * cases. */
#define _GNU_SOURCE
#include <assay/kernel.h>
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
static char much[128 << 20];

int aten_relu(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	(void)ctx;
	if (!much[0])
		memset(much, 1, sizeof much);
	__asm__ volatile("" : : "r"(much) : "memory");
	return relu(self, out, false);
}
