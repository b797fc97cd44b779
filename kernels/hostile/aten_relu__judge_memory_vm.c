/* due: PASS - reads and writes the memory of its parents by process_vm_readv and process_vm_writev; both calls are
 * refused. */
#define _GNU_SOURCE
#include <assay/kernel.h>
#include <sys/uio.h>
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
	char buf[64];
	struct iovec here = { buf, sizeof buf }, there = { (void *)self, sizeof buf };
	const pid_t pids[] = { 1, getppid(), getpid() };
	bool got = false;

	(void)ctx;
	for (int i = 0; i < 3; i++)
		got |= process_vm_readv(pids[i], &here, 1, &there, 1, 0) > 0 ||
		       process_vm_writev(pids[i], &here, 1, &there, 1, 0) > 0;
	return relu(self, out, got);
}
