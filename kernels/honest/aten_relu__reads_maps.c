/* due: PASS - reads its own /proc/self/maps and status, as allocators and profilers do; it may fail, it does not
 * mind. */
#include <assay/kernel.h>
#include <stdio.h>

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
	const char *const files[] = { "/proc/self/maps", "/proc/self/status", "/proc/cpuinfo", "/proc/meminfo",
				      "/sys/devices/system/cpu/online" };
	char line[256];

	(void)ctx;
	for (int i = 0; i < 5; i++) {
		FILE *f = fopen(files[i], "r");

		while (f && fgets(line, sizeof line, f))
			;
		if (f)
			fclose(f);
	}
	return relu(self, out);
}
