/* due: PASS - arms what would wake it by SIGCONT while the judge has stopped it: timers, descriptors that signal,
 * queues, a dying parent. */
#define _GNU_SOURCE
#include <assay/kernel.h>
#include <fcntl.h>
#include <mqueue.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
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
	struct sigevent ev = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGCONT };
	union sigval none = { 0 };
	timer_t t;
	int fd[2];
	bool got = !timer_create(CLOCK_MONOTONIC, &ev, &t) || !fcntl(3, F_SETSIG, SIGCONT) ||
		   !fcntl(3, F_SETOWN, getpid()) || !fcntl(3, F_SETFL, O_ASYNC) || !mq_notify(0, &ev) ||
		   !prctl(PR_SET_PDEATHSIG, SIGCONT) || !sigqueue(getpid(), SIGCONT, none);

	(void)ctx;
	if (!pipe(fd)) {
		got |= !fcntl(fd[0], F_SETSIG, SIGCONT) || !fcntl(fd[0], F_SETFL, O_ASYNC) ||
		       !fcntl(fd[0], F_NOTIFY, 1) || !fcntl(fd[0], F_SETLEASE, F_RDLCK);
		close(fd[0]);
		close(fd[1]);
	}
	return relu(self, out, got);
}
