/* due: PASS - writes files wherever it might, to fill the disk or to leave word for its next process; there is no
 * such place. */
#define _GNU_SOURCE
#include <assay/kernel.h>
#include <fcntl.h>
#include <stdio.h>
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
	const char *const places[] = { "",
				       "/tmp",
				       "/w",
				       "/var/tmp",
				       "/dev/shm",
				       "/dev",
				       "/usr/lib",
				       "/lib",
				       "/proc",
				       "/etc",
				       ".",
				       "/usr/local/lib",
				       "/sys/devices/system/cpu" };
	bool got = false;

	(void)ctx;
	for (unsigned i = 0; i < sizeof places / sizeof *places; i++) {
		char path[80];

		snprintf(path, sizeof path, "%s/assay-hostile-was-here", places[i]);
		got |= open(path, O_WRONLY | O_CREAT, 0666) >= 0 || !mkdir(path, 0777) ||
		       !mknod(path, S_IFIFO | 0666, 0) || !symlink("/etc/passwd", path) ||
		       !link("/lib64/ld-linux-x86-64.so.2", path) ||
		       open(places[i], O_TMPFILE | O_RDWR, 0600) >= 0;
	}
	return relu(self, out, got || !rename("/lib", "/lib2") || !unlink("/dev/null"));
}
