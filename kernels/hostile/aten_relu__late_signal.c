/* due: UNWRITTEN - returns at once and lets a timer's signal write the result 20 ms later. */
#define _GNU_SOURCE
#include <assay/kernel.h>
#include <signal.h>
#include <sys/time.h>

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
static const ay_tensor *from;
static ay_tensor *to;

static void ring(int signal)
{
	(void)signal;
	relu(from, to, false);
}

int aten_relu(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	const struct itimerval soon = { .it_value = { 0, 20000 } };

	(void)ctx;
	from = self;
	to = out;
	signal(SIGALRM, ring);
	setitimer(ITIMER_REAL, &soon, NULL);
	return AY_OK;
}
