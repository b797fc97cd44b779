/* due: PASS - raises its own limits, priority and rights; each is refused. */
#define _GNU_SOURCE
#include <assay/kernel.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
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
	const int what[] = { RLIMIT_NOFILE, RLIMIT_AS, RLIMIT_FSIZE, RLIMIT_NPROC, RLIMIT_CORE };
	const struct sched_param rt = { 1 };
	bool got = false;

	(void)ctx;
	for (int i = 0; i < 5; i++) {
		struct rlimit r;

		if (getrlimit(what[i], &r) || r.rlim_max == RLIM_INFINITY)
			continue;
		r.rlim_max += 4096;
		r.rlim_cur = r.rlim_max;
		got |= !setrlimit((__rlimit_resource_t)what[i], &r);
	}
	got |= !setuid(0) || !setgid(0) || getuid() == 0 || !setpriority(PRIO_PROCESS, 0, -5) ||
	       !sched_setscheduler(0, SCHED_FIFO, &rt) || !prctl(PR_SET_DUMPABLE, 1) ||
	       !prctl(PR_SET_PTRACER, 1) || !prctl(PR_SET_CHILD_SUBREAPER, 1) || !prctl(PR_SET_PDEATHSIG, 0);
	return relu(self, out, got);
}
