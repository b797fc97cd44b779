/* due: PASS - mounts, unmounts and changes root to get at more of this machine; each is refused. */
#define _GNU_SOURCE
#include <assay/kernel.h>
#include <sys/mount.h>
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
	bool got = !mount("proc", "/proc", "proc", 0, NULL) || !mount("none", "/lib", "tmpfs", 0, NULL) ||
		   !mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND, NULL) || !umount2("/proc", MNT_DETACH) ||
		   !chroot("/lib") || !syscall(SYS_pivot_root, ".", ".") || !sethostname("mine", 4) ||
		   syscall(SYS_open_tree, -100, "/", 1) >= 0 || syscall(SYS_fsopen, "tmpfs", 0) >= 0;

	(void)ctx;
	return relu(self, out, got);
}
