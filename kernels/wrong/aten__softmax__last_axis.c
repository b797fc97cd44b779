/* due: MISMATCH - normalises along the last axis, whatever dim says. */
#include <assay/kernel.h>
#include <math.h>

/* Element 0 of line i along dim, counted from data. */
static int64_t line_at(const ay_tensor *t, int64_t dim, int64_t i)
{
	int64_t at = 0;

	for (int32_t d = t->ndim - 1; d >= 0; d--) {
		if (d == dim)
			continue;
		at += i % t->shape[d] * t->strides[d];
		i /= t->shape[d];
	}
	return at;
}

int aten__softmax(const ay_tensor *self, int64_t dim, bool half_to_float, ay_tensor *out, const ay_ctx *ctx)
{
	const int64_t axis = self->ndim - 1; /* the mistake */
	const int64_t n = self->ndim ? self->shape[axis] : 1, lines = n ? ay_numel(self) / n : 0;
	const int64_t from = self->ndim ? self->strides[axis] : 1, to = self->ndim ? out->strides[axis] : 1;
	double *e = ctx->scratch(ctx, (size_t)n * sizeof *e + 1);

	(void)dim, (void)half_to_float; /* out has the dtype it asks for */
	if (!e)
		return AY_UNSUPPORTED;
	for (int64_t i = 0; i < lines; i++) {
		const int64_t src = line_at(self, axis, i), dst = line_at(out, axis, i);
		double top = -INFINITY, sum = 0;

		for (int64_t j = 0; j < n; j++) {
			e[j] = ay_read(self, src + j * from);
			top = e[j] > top ? e[j] : top;
		}
		for (int64_t j = 0; j < n; j++)
			sum += e[j] = exp(e[j] - top);
		for (int64_t j = 0; j < n; j++)
			ay_write(out, dst + j * to, e[j] / sum);
	}
	return AY_OK;
}
