/* due: PASS - prints what it does, to both streams; the output goes nowhere and does no harm. */
#include <assay/kernel.h>
#include <stdio.h>

__attribute__((constructor)) static void hello(void)
{
	fprintf(stderr, "relu is loaded\n");
}

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
	printf("relu of %lld elements\n", (long long)ay_numel(self));
	fflush(stdout);
	perror("no error at all");
	return relu(self, out);
}
