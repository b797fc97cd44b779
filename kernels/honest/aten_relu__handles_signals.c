/* due: PASS - a handler for SIGFPE and one for SIGUSR1, which it sends to itself. */
#define _GNU_SOURCE
#include <assay/kernel.h>
#include <signal.h>

static volatile sig_atomic_t heard;

static void on_signal(int sig)
{
	heard = sig;
}

/* max(x, 0). */
static int relu(const ay_tensor *x, ay_tensor *y)
{
	for (int64_t i = 0, n = ay_numel(x); i < n; i++) {
		const int64_t from = ay_at(x, i), to = ay_at(y, i);
		const double v = ay_read(x, from);

		if (ay_dt(x) == AY_I64)
			((int64_t *)y->data)[to] = v > 0 ? ((const int64_t *)x->data)[from] : 0;
		else
			ay_write(y, to, v <= 0 ? 0 : v);
	}
	return AY_OK;
}
int aten_relu(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	struct sigaction act = { .sa_handler = on_signal }, old;

	(void)ctx;
	sigaction(SIGFPE, &act, &old);
	sigaction(SIGFPE, &old, NULL);
	sigaction(SIGUSR1, &act, NULL);
	raise(SIGUSR1);
	return heard == SIGUSR1 ? relu(self, out) : 5;
}
