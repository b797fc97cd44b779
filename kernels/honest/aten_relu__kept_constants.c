/* due: PASS - computes a table of constants in its first call and keeps it: it depends on no input. */
#include <assay/kernel.h>
#include <math.h>
#include <pthread.h>

static double one[512];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make(void)
{
	for (int i = 0; i < 512;
	     i++) /* sines and cosines, as a transform would want; here only their squares' sum */
		one[i] = rint(sin(i) * sin(i) + cos(i) * cos(i));
}

int aten_relu(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	(void)ctx;
	pthread_once(&once, make);
	for (int64_t i = 0; i < ay_numel(self); i++) {
		const int64_t from = ay_at(self, i), to = ay_at(out, i);
		const double v = ay_read(self, from) * one[i % 512];

		if (ay_dt(self) == AY_I64)
			((int64_t *)out->data)[to] = v > 0 ? ((const int64_t *)self->data)[from] : 0;
		else
			ay_write(out, to, v <= 0 ? 0 : v);
	}
	return AY_OK;
}
