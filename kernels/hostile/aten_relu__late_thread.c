/* due: UNWRITTEN - returns at once and lets a thread deliver the result later: what counts is what is there at the
 * return. */
#define _GNU_SOURCE
#include <assay/kernel.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const ay_tensor *job_in;
static ay_tensor *job_out;
static unsigned job; /* number of the newest one */

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
static void *later(void *unused)
{
	const struct timespec nap = { 1, 0 };

	for (;;) {
		unsigned mine = __atomic_load_n(&job, __ATOMIC_SEQ_CST);

		nanosleep(&nap, NULL);
		pthread_mutex_lock(&lock);
		if (mine == job && job_out)
			relu(job_in, job_out, false);
		job_out = NULL;
		pthread_mutex_unlock(&lock);
	}
	return unused;
}

int aten_relu(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	static pthread_t t;

	(void)ctx;
	pthread_mutex_lock(&lock);
	if (!t && pthread_create(&t, NULL, later, NULL))
		return AY_UNSUPPORTED;
	job_in = self;
	job_out = out;
	job++;
	pthread_mutex_unlock(&lock);
	return AY_OK;
}
