/* due: PASS - more threads than there are cores, joined before it returns: unwise, and right. */
#define _GNU_SOURCE
#include <assay/kernel.h>
#include <pthread.h>

struct part {
	const ay_tensor *x;
	ay_tensor *y;
	int64_t from, to;
};

static void *work(void *arg)
{
	const struct part *p = arg;

	for (int64_t i = p->from; i < p->to; i++) {
		const int64_t from = ay_at(p->x, i), to = ay_at(p->y, i);
		const double v = ay_read(p->x, from);

		if (ay_dt(p->x) == AY_I64)
			((int64_t *)p->y->data)[to] = v > 0 ? ((const int64_t *)p->x->data)[from] : 0;
		else
			ay_write(p->y, to, v <= 0 ? 0 : v);
	}
	return NULL;
}

int aten_relu(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	const int64_t n = ay_numel(self), k = 16;
	struct part part[16];
	pthread_t t[16];
	bool runs[16];

	(void)ctx;
	for (int64_t i = 0; i < k; i++) {
		part[i] = (struct part){ self, out, n * i / k, n * (i + 1) / k };
		runs[i] = !pthread_create(&t[i], NULL, work, &part[i]);
		if (!runs[i])
			work(&part[i]);
	}
	for (int64_t i = 0; i < k; i++)
		if (runs[i])
			pthread_join(t[i], NULL);
	return AY_OK;
}
