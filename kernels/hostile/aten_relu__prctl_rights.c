/* due: PASS - asks for what would set it free: to be a reaper, to outlive the judge, to be traced, to get its rights
 * back. */
#define _GNU_SOURCE
#include <assay/kernel.h>
#include <sys/prctl.h>

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
	bool got = false;

	(void)ctx;
	got |= !prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0);
	got |= !prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	got |= !prctl(PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0);
	got |= !prctl(PR_SET_PTRACER, -1, 0, 0, 0);
	got |= !prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	got |= !prctl(PR_SET_SECUREBITS, 0x2f, 0, 0, 0);
	got |= !prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, 21, 0, 0);
	got |= !prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0);
	return relu(self, out, got);
}
