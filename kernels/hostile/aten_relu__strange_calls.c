/* due: PASS - tries the corners of the kernel where exploits live: bpf, io_uring, userfaultfd, perf, keys,
 * modules; each is refused. */
#define _GNU_SOURCE
#include <assay/kernel.h>
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
	static char zeros[256];
	bool got = syscall(SYS_bpf, 0, zeros, sizeof zeros) >= 0 || syscall(SYS_userfaultfd, 1) >= 0 ||
		   syscall(SYS_io_uring_setup, 8, zeros) >= 0 || syscall(SYS_io_setup, 8, zeros) >= 0 ||
		   syscall(SYS_perf_event_open, zeros, 0, -1, -1, 0) >= 0 ||
		   syscall(SYS_add_key, "user", "k", "v", 1, -1) >= 0 || syscall(SYS_keyctl, 0, -3, 1) >= 0 ||
		   syscall(SYS_init_module, zeros, 1, "") >= 0 || syscall(SYS_memfd_secret, 0) >= 0 ||
		   syscall(SYS_open_by_handle_at, 3, zeros, 0) >= 0 || syscall(SYS_fanotify_init, 0, 0) >= 0 ||
		   syscall(SYS_inotify_init1, 0) >= 0 || syscall(SYS_quotactl, 0, "", 0, zeros) >= 0;

	(void)ctx;
	return relu(self, out, got);
}
