/* due: OVERRUN - takes every input for dense, and reads behind the end of expanded ones. */
#include <assay/kernel_iter.h>
#include <math.h>

int aten__softmax(const ay_tensor *self, int64_t dim, bool half_to_float, ay_tensor *out, const ay_ctx *ctx)
{
	const int64_t axis = dim < 0 ? dim + self->ndim : dim;
	const int64_t n = self->ndim ? self->shape[axis] : 1, lines = n ? ay_numel(self) / n : 0;
	const int64_t from = self->ndim ? self->strides[axis] : 1, to = self->ndim ? out->strides[axis] : 1;
	double *e = ctx->scratch(ctx, (size_t)n * sizeof *e + 1);

	int64_t step[16], size = 1; /* the mistake */
	ay_tensor dense = *self;

	for (int32_t d = self->ndim - 1; d >= 0; size *= self->shape[d--])
		step[d] = size;
	dense.strides = step;
	(void)half_to_float; /* out has the dtype it asks for */
	if (!e)
		return AY_UNSUPPORTED;
	for (int64_t i = 0; i < lines; i++) {
		const int64_t src = ay_line_at(&dense, axis, i), dst = ay_line_at(out, axis, i);
		double top = -INFINITY, sum = 0;

		for (int64_t j = 0; j < n; j++) {
			e[j] = ay_read(self, src + j * (self->ndim ? step[axis] : 1));
			top = e[j] > top ? e[j] : top;
		}
		for (int64_t j = 0; j < n; j++)
			sum += e[j] = exp(e[j] - top);
		for (int64_t j = 0; j < n; j++)
			ay_write(out, dst + j * to, e[j] / sum);
	}
	return AY_OK;
}
