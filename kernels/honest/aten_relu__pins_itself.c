/* due: PASS - asks how many cores there are and pins itself to one; that it has no effect it need not know. */
#define _GNU_SOURCE
#include <assay/kernel.h>
#include <sched.h>
#include <unistd.h>

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
	cpu_set_t set;

	(void)ctx;
	if (sched_getaffinity(0, sizeof set, &set) || sysconf(_SC_NPROCESSORS_ONLN) < 1)
		return AY_UNSUPPORTED;
	CPU_ZERO(&set);
	CPU_SET(0, &set);
	if (sched_setaffinity(0, sizeof set, &set)) /* what OpenMP would take for an error */
		return AY_UNSUPPORTED;
	return relu(self, out);
}
