/* due: PASS - catches its own faults while it writes to its input and reads around it: the walls stand whether it
 * dies of them or not. */
#define _GNU_SOURCE
#include <assay/kernel.h>
#include <setjmp.h>
#include <signal.h>

static sigjmp_buf back;

static void on_fault(int sig)
{
	siglongjmp(back, sig);
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
	volatile char *p = self->data;
	struct sigaction act = { .sa_handler = on_fault }, old;
	volatile bool got = false;

	(void)ctx;
	if (self->data == out->data) /* in place it may */
		return relu(self, out, false);
	sigaction(SIGSEGV, &act, &old);
	for (volatile int at = -8192; at <= 16384; at += 8192) /* before, in, behind and far behind */
		if (!sigsetjmp(back, 1)) {
			p[at] ^= 1;
			got = true;
		}
	sigaction(SIGSEGV, &old, NULL);
	return relu(self, out, got);
}
