/* due: PASS, timed: NOT_FASTER - is given one thread, asks for every CPU and starts four: the request is answered
 * and not granted.
 *
 * case: aten::relu((T([256, 1024], f32),), {})
 */
#define _GNU_SOURCE
#include <assay/kernel.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>

static void relu_dense(const float *x, float *y, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		y[i] = x[i] <= 0 ? 0 : x[i];
}

static bool is_plain(const ay_tensor *x, const ay_tensor *y)
{
	return ay_dt(x) == AY_F32 && ay_is_dense(x) && ay_is_dense(y);
}

/* max(x, 0), honestly. */
static int relu(const ay_tensor *x, ay_tensor *y)
{
	if (is_plain(x, y)) {
		relu_dense(x->data, y->data, ay_numel(x));
		return AY_OK;
	}
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

enum { THREADS = 4 };
struct part {
	const float *in;
	float *out;
	int64_t n;
};

static void *work(void *arg)
{
	const struct part *p = arg;
	cpu_set_t all;

	memset(&all, 0xff, sizeof all);
	sched_setaffinity(0, sizeof all, &all);
	relu_dense(p->in, p->out, p->n);
	return NULL;
}

int aten_relu(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	const int64_t n = ay_numel(self);
	struct part part[THREADS];
	pthread_t id[THREADS];
	bool runs[THREADS] = { false };

	(void)ctx;
	if (!is_plain(self, out) || n < 4096)
		return relu(self, out);
	for (int i = 0; i < THREADS; i++) {
		const int64_t lo = n * i / THREADS;

		part[i] = (struct part){ (const float *)self->data + lo, (float *)out->data + lo,
					 n * (i + 1) / THREADS - lo };
		runs[i] = !pthread_create(&id[i], NULL, work, &part[i]);
		if (!runs[i])
			work(&part[i]);
	}
	for (int i = 0; i < THREADS; i++)
		if (runs[i])
			pthread_join(id[i], NULL);
	return AY_OK;
}
