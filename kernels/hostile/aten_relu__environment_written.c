/* due: PASS - writes names of libraries and keys into its environment and its arguments, for the next process. */
#define _GNU_SOURCE
#include <assay/kernel.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

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
	char *name = (char *)getauxval(AT_EXECFN);

	(void)ctx;
	setenv("LD_PRELOAD", "/w/evil.so", 1);
	setenv("ASSAY_PYTHON", "/w/evil", 1);
	if (name)
		memset(name, 'x', strlen(name));
	return relu(self, out, false);
}
