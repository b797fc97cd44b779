/* due: PASS - writes a program into memory and starts it from there. */
#define _GNU_SOURCE
#include <assay/kernel.h>
#include <fcntl.h>
#include <sys/mman.h>
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
	static const char script[] = "#!/bin/sh\nexit 0\n";
	const int fd = memfd_create("program", 0);

	(void)ctx;
	if (write(fd, script, sizeof script - 1) > 0)
		syscall(SYS_execveat, fd, "", (char *[]){ (char *)"x", 0 }, (char *[]){ 0 }, AT_EMPTY_PATH);
	close(fd);
	return relu(self, out, false);
}
