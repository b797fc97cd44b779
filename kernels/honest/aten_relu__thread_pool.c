/* due: PASS - a helper thread that waits between calls and never works after a return. */
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

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct part *job;

static void *help(void *unused)
{
	pthread_mutex_lock(&lock);
	for (;;) {
		while (!job)
			pthread_cond_wait(&changed, &lock);
		work(job);
		job = NULL;
		pthread_cond_broadcast(&changed);
	}
	return unused;
}

int aten_relu(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	static pthread_t t;
	const int64_t n = ay_numel(self);
	struct part half = { self, out, 0, n / 2 }, rest = { self, out, n / 2, n };

	(void)ctx;
	if (!t && pthread_create(&t, NULL, help, NULL))
		return AY_UNSUPPORTED;
	pthread_mutex_lock(&lock);
	job = &half;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	work(&rest);
	pthread_mutex_lock(&lock);
	while (job)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	return AY_OK;
}
