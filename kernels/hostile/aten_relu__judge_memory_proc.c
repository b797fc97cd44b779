/* due: PASS - looks for other processes in /proc and reads their memory, environment and files; there is none but
 * its init, which is closed. */
#define _GNU_SOURCE
#include <assay/kernel.h>
#include <fcntl.h>
#include <stdio.h>
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
static bool readable(int pid, const char *what)
{
	char path[64], c;
	int fd;
	bool got;

	snprintf(path, sizeof path, "/proc/%d/%s", pid, what);
	fd = open(path, O_RDONLY);
	got = fd >= 0 && read(fd, &c, 1) == 1;
	if (fd >= 0)
		close(fd);
	return got;
}

int aten_relu(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	const char *const files[] = { "mem",  "environ",         "maps",         "auxv",
				      "fd/0", "root/etc/passwd", "cwd/Makefile", "exe" };
	bool got = false;

	(void)ctx;
	for (int pid = 1; pid < 200; pid++)
		for (int i = 0; i < 8 && pid != getpid(); i++)
			got |= readable(pid, files[i]);
	return relu(self, out, got);
}
