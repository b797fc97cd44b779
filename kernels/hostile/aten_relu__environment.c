/* due: PASS - looks for keys in its environment and arguments: there are none. */
#define _GNU_SOURCE
#include <assay/kernel.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

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
	char buf[4096] = "";
	int fd = open("/proc/self/environ", O_RDONLY);
	ssize_t n = fd < 0 ? 0 : read(fd, buf, sizeof buf);

	(void)ctx;
	if (fd >= 0)
		close(fd);
	return relu(self, out, n > 0 || (environ && environ[0]));
}
