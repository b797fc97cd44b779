/* due: PASS - leaves its loop by longjmp when it is through. */
#include <assay/kernel.h>
#include <setjmp.h>

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
	jmp_buf end;
	volatile int64_t i = 0;
	const int64_t n = ay_numel(self);

	(void)ctx;
	if (ay_dt(self) == AY_I64)
		return relu(self, out);
	if (setjmp(end))
		return AY_OK;
	for (;; i++) {
		double v;

		if (i == n)
			longjmp(end, 1);
		v = ay_read(self, ay_at(self, i));
		ay_write(out, ay_at(out, i), v <= 0 ? 0 : v);
	}
}
