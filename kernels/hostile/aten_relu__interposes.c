/* due: PASS - defines functions of the C library that its executor calls, to answer in its place; the executor has
 * bound its own. */
#define _GNU_SOURCE
#include <assay/kernel.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static volatile bool called;

ssize_t send(int fd, const void *p, size_t n, int flags)
{
	(void)fd, (void)p, (void)flags;
	called = true;
	return (ssize_t)n;
}

ssize_t recvmsg(int fd, struct msghdr *h, int flags)
{
	(void)fd, (void)h, (void)flags;
	called = true;
	return -1;
}

void *dlsym(void *lib, const char *name)
{
	(void)lib, (void)name;
	called = true;
	return NULL;
}

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
	(void)ctx;
	return relu(self, out, called);
}
