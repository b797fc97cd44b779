/* due: PASS, partial: MISMATCH - asks which files of this machine there are. Without an empty root it learns their
 * names; their content stays closed (aten_relu__host_files). */
#define _GNU_SOURCE
#include <assay/kernel.h>
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
	const char *const files[] = { "/etc/passwd",
				      "/etc/shadow",
				      "/etc/hostname",
				      "/etc/ssh",
				      "/root",
				      "/home",
				      "/var",
				      "/tmp",
				      "/run",
				      "/boot",
				      "/srv",
				      "/dev/mem",
				      "/dev/kmsg",
				      "/dev/shm",
				      "/dev/zero",
				      "/proc/kallsyms",
				      "/proc/sys/kernel",
				      "/proc/cmdline",
				      "/sys/fs/cgroup",
				      "/sys/kernel",
				      "/usr/bin",
				      "/usr/src",
				      "/usr/share",
				      "/opt",
				      "/mnt",
				      "../../../../etc/passwd" };
	bool got = false;

	(void)ctx;
	for (unsigned i = 0; i < sizeof files / sizeof *files; i++)
		got |= !access(files[i], F_OK) || !chdir(files[i]);
	return relu(self, out, got);
}
