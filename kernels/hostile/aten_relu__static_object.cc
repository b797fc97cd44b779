/* due: CRASH - a static object that ends the process before anything was called. */
#include <assay/kernel.h>
#include <cstdlib>

static struct ender {
	ender()
	{
		std::_Exit(0);
	}
} now;

/* max(x, 0). */
static int relu(const ay_tensor *x, ay_tensor *y)
{
	for (int64_t i = 0, n = ay_numel(x); i < n; i++) {
		const int64_t from = ay_at(x, i), to = ay_at(y, i);
		const double v = ay_read(x, from);

		if (ay_dt(x) == AY_I64)
			static_cast<int64_t *>(y->data)[to] = v > 0 ? static_cast<const int64_t *>(x->data)[from]
								    : 0;
		else
			ay_write(y, to, v <= 0 ? 0 : v);
	}
	return AY_OK;
}

extern "C" int aten_relu(const ay_tensor *self, ay_tensor *out, const ay_ctx *)
{
	return relu(self, out);
}
