/* due: PASS - finds a function of libm by name when it needs it. */
#define _GNU_SOURCE
#include <assay/kernel.h>
#include <dlfcn.h>

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
	static double (*max)(double, double);
	void *lib = max ? NULL : dlopen("libm.so.6", RTLD_NOW);

	(void)ctx;
	if (lib)
		*(void **)&max = dlsym(lib, "fmax");
	if (!max)
		return 5;
	if (ay_dt(self) == AY_I64)
		return relu(self, out);
	for (int64_t i = 0; i < ay_numel(self); i++) {
		const double v = ay_read(self, ay_at(self, i));

		ay_write(out, ay_at(out, i), v != v ? v : max(v, 0) + 0.0);
	}
	return AY_OK;
}
