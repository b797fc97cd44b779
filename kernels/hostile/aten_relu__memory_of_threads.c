/* due: PASS - four threads hold 32 MiB each on their stacks and never end. */
#define _GNU_SOURCE
#include <assay/kernel.h>
#include <pthread.h>
#include <string.h>
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
static void *hold(void *unused)
{
	char much[32 << 20];

	memset(much, 1, sizeof much);
	__asm__ volatile("" : : "r"(much) : "memory");
	for (;;)
		pause();
	return unused;
}

int aten_relu(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	static pthread_t t[4];
	pthread_attr_t a;

	(void)ctx;
	pthread_attr_init(&a);
	pthread_attr_setstacksize(&a, 40 << 20);
	for (int i = 0; i < 4; i++)
		if (!t[i])
			pthread_create(&t[i], &a, hold, NULL);
	return relu(self, out, false);
}
