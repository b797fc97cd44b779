/* due: PASS - maps memory of its own into the empty space behind its output, and writes past the end into that. */
#define _GNU_SOURCE
#include <assay/kernel.h>
#include <string.h>
#include <sys/mman.h>

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
	const uintptr_t end = ((uintptr_t)out->data + (uintptr_t)ay_numel(out) * (out->dtype.bits / 8u) + 8191) &
			      ~(uintptr_t)4095;

	(void)ctx;
	relu(self, out, false);
	if (mmap((void *)end, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) !=
	    MAP_FAILED)
		memset((void *)end, 1, 4096);
	return AY_OK;
}
