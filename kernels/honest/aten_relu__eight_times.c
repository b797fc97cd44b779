/* due: PASS - does all of its work eight times: a kernel that does it once is faster, and must be called so. */
#include <assay/kernel.h>

static void relu_dense(const float *x, float *y, int64_t n)
{
	for (volatile int again = 0; again < 8; again++)
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

int aten_relu(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	(void)ctx;
	return relu(self, out);
}
