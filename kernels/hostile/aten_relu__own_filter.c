/* due: PASS - puts a filter of its own on system calls that answers for the system (a dummy to be counted); one is
 * enough, a second is refused. */
#define _GNU_SOURCE
#include <assay/kernel.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
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
	struct sock_filter lie[] = { BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) };
	struct sock_fprog p = { 1, lie };
	bool got = !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &p) ||
		   !syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &p) ||
		   syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &p) >= 0 ||
		   !prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);

	(void)ctx;
	return relu(self, out, got);
}
