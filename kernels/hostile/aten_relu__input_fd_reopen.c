/* due: PASS - opens whatever lies in /proc/self/fd again for writing, to map or cut it; only /dev/null can be
 * opened so. */
#define _GNU_SOURCE
#include <assay/kernel.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

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
	bool got = false;

	(void)ctx;
	for (int i = 0; i < 64; i++) {
		char path[40];
		struct stat st;
		int fd;

		snprintf(path, sizeof path, "/proc/self/fd/%d", i);
		fd = open(path, O_RDWR);
		if (fd < 0)
			continue;
		if (!fstat(fd, &st) && S_ISREG(st.st_mode))
			got |= !ftruncate(fd, 0) || mmap(NULL, 4096, PROT_WRITE, MAP_SHARED, fd, 0) != MAP_FAILED;
		close(fd);
	}
	return relu(self, out, got);
}
