/* due: PASS - sets segments, tables and lists by which the system finds threads: they are its own process's. */
#define _GNU_SOURCE
#include <assay/kernel.h>
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
	static char list[64];

	(void)ctx;
	syscall(SYS_modify_ldt, 1, list, 16);
	syscall(SYS_set_robust_list, list, 24);
	syscall(SYS_rseq, list, 32, 0, 0x53053053);
	syscall(SYS_set_tid_address, list);
	syscall(SYS_arch_prctl, 0x1001 /* ARCH_SET_GS */, list);
	return relu(self, out, false);
}
