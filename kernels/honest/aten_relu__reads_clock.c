/* due: PASS - reads the time stamp counter, cpuid and the clock, as a kernel that tunes itself does. */
#define _GNU_SOURCE
#include <assay/kernel.h>
#include <time.h>

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
	struct timespec t;
	uint64_t ticks = 0;

	(void)ctx;
#if defined __x86_64__
	unsigned lo, hi, a = 0, b, c, d;

	__asm__ volatile("rdtsc" : "=a"(lo), "=d"(hi));
	__asm__ volatile("cpuid" : "+a"(a), "=b"(b), "=c"(c), "=d"(d));
	ticks = (uint64_t)hi << 32 | lo;
#endif
	clock_gettime(CLOCK_MONOTONIC, &t);
	if (ticks == 1 && t.tv_nsec == 1)
		return AY_UNSUPPORTED;
	return relu(self, out);
}
