/* due: PASS - starts as many threads as it is let, none of which ends; they are few, and go with the process. */
#define _GNU_SOURCE
#include <assay/kernel.h>
#include <pthread.h>
#include <unistd.h>

static void *wait_for_ever(void *unused)
{
	for (;;)
		pause();
	return unused;
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
	static int n;
	pthread_attr_t small;
	pthread_t t;

	(void)ctx;
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 64 << 10);
	while (n < 10000 && !pthread_create(&t, &small, wait_for_ever, NULL))
		n++;
	return relu(self, out, n == 10000);
}
