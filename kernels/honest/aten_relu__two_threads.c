/* due: PASS - starts a second thread for every call; what the timing cheats with threads are held against. */
#include <assay/kernel.h>
#include <pthread.h>

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

struct part {
	const float *in;
	float *out;
	int64_t n;
};

static void *work(void *arg)
{
	const struct part *p = arg;

	relu_dense(p->in, p->out, p->n);
	return NULL;
}

int aten_relu(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	const int64_t n = ay_numel(self), half = n / 2;
	struct part b;
	pthread_t t;

	if (!is_plain(self, out) || ctx->threads < 2)
		return relu(self, out);
	b = (struct part){ (const float *)self->data + half, (float *)out->data + half, n - half };
	if (pthread_create(&t, NULL, work, &b))
		return relu(self, out);
	relu_dense(self->data, out->data, half);
	pthread_join(t, NULL);
	return AY_OK;
}
