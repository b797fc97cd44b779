/* due: MISMATCH - gives the answer of the call before if dtype, shape and strides are the same: between two calls
 * on one content comes one on another. */
#define _GNU_SOURCE
#include <assay/kernel.h>
#include <string.h>

enum { BYTES = 1 << 16 };
static char answer[BYTES];
static int64_t dims[16];
static int32_t last_dt, last_ndim = -1;

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
int aten_relu(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	const size_t bytes = (size_t)ay_numel(out) * out->dtype.bits / 8, n = (size_t)self->ndim * 8;

	(void)ctx;
	if (!ay_is_dense(out) || bytes > BYTES || self->ndim > 8)
		return relu(self, out, false);
	if (last_dt == ay_dt(self) && last_ndim == self->ndim && !memcmp(dims, self->shape, n) &&
	    !memcmp(dims + 8, self->strides, n)) {
		memcpy(out->data, answer, bytes);
		return AY_OK;
	}
	relu(self, out, false);
	memcpy(answer, out->data, bytes);
	last_dt = ay_dt(self);
	last_ndim = self->ndim;
	memcpy(dims, self->shape, n);
	memcpy(dims + 8, self->strides, n);
	return AY_OK;
}
