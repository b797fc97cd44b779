/* due: PASS - keeps its scratch in a memfd of its own, mapped twice as ring buffers are. */
#define _GNU_SOURCE
#include <assay/kernel.h>
#include <sys/mman.h>
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
	static char *ring;

	(void)ctx;
	if (!ring) {
		int fd = memfd_create("ring", MFD_CLOEXEC);
		char *p = mmap(NULL, 1 << 17, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (fd < 0 || p == MAP_FAILED || ftruncate(fd, 1 << 16))
			return 5;
		for (int i = 0; i < 2; i++)
			if (mmap(p + (i << 16), 1 << 16, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) ==
			    MAP_FAILED)
				return 6;
		close(fd);
		ring = p;
	}
	ring[0] = 3;
	if (ring[1 << 16] != 3)
		return 7;
	return relu(self, out);
}
