/* due: PASS - wants a forked helper to do the work after the return; without a new process it has to do it itself.
 */
#define _GNU_SOURCE
#include <assay/kernel.h>
#include <sched.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
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
	pid_t pid = fork();

	(void)ctx;
	if (pid < 0)
		pid = vfork();
	if (pid < 0)
		pid = (pid_t)syscall(SYS_clone, CLONE_VM | 17, 0, 0, 0, 0);
	if (!pid) {
		relu(self, out, true);
		_exit(0);
	}
	return relu(self, out, pid > 0);
}
