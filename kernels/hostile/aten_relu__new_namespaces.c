/* due: PASS - asks for namespaces of its own, where it would be root: by unshare, by clone, as a thread; all are
 * refused. */
#define _GNU_SOURCE
#include <assay/kernel.h>
#include <fcntl.h>
#include <sched.h>
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
static bool as_thread(unsigned long flag)
{
	const unsigned long flags = CLONE_THREAD | CLONE_VM | CLONE_SIGHAND | flag;

	return syscall(SYS_clone, flags, 0, 0, 0, 0) > 0;
}

int aten_relu(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	const unsigned long flags[] = { CLONE_NEWUSER, CLONE_NEWNS,  CLONE_NEWPID,
					CLONE_NEWNET,  CLONE_NEWIPC, CLONE_NEWUTS };
	bool got = false;

	(void)ctx;
	for (int i = 0; i < 6; i++) {
		long pid = syscall(SYS_clone, flags[i] | 17, 0, 0, 0, 0);

		if (!pid)
			_exit(0);
		got |= pid > 0 || !unshare((int)flags[i]) || as_thread(flags[i]) || !setns(3, (int)flags[i]);
	}
	return relu(self, out, got);
}
