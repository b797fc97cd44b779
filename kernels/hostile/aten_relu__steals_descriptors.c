/* due: PASS - takes descriptors out of other processes: pidfd_open and pidfd_getfd, /proc/1/fd, kcmp; all refused.
 */
#define _GNU_SOURCE
#include <assay/kernel.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/syscall.h>
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
	long pidfd = syscall(SYS_pidfd_open, 1, 0);
	bool got = pidfd >= 0;
	char path[40];

	(void)ctx;
	for (int i = 0; i < 32; i++) {
		snprintf(path, sizeof path, "/proc/1/fd/%d", i);
		got |= open(path, O_RDONLY) >= 0 || syscall(SYS_pidfd_getfd, pidfd, i, 0) >= 0;
	}
	got |= syscall(SYS_kcmp, 1, getpid(), 0, 0, 0) >= 0;
	return relu(self, out, got);
}
