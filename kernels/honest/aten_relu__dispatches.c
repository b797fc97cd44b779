/* due: PASS - takes the version of its loop that the processor has instructions for. */
#include <assay/kernel.h>

#if defined __x86_64__
__attribute__((target("avx2"))) static void fast(const float *x, float *y, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		y[i] = x[i] <= 0 ? 0 : x[i];
}
#endif

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
	(void)ctx;
#if defined __x86_64__
	if (__builtin_cpu_supports("avx2") && ay_dt(self) == AY_F32 && ay_is_dense(self) && ay_is_dense(out)) {
		fast(self->data, out->data, ay_numel(self));
		return AY_OK;
	}
#endif
	return relu(self, out);
}
