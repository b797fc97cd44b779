/* due: PASS - softmax along dim in three passes: maximum, exponentials and their sum, quotient. */
#include <assay/kernel_iter.h>
#include <math.h>

int aten__softmax(const ay_tensor *self, int64_t dim, bool half_to_float, ay_tensor *out, const ay_ctx *ctx)
{
	const int64_t axis = ay_axis(self, dim);
	const int64_t n = ay_size(self, axis), lines = n ? ay_numel(self) / n : 0;
	const int64_t from = ay_stride(self, axis), to = ay_stride(out, axis);
	double *e = ctx->scratch(ctx, (size_t)n * sizeof *e + 1);

	(void)half_to_float; /* out has the dtype it asks for */
	if (!e)
		return AY_UNSUPPORTED;
	for (int64_t i = 0; i < lines; i++) {
		const int64_t src = ay_line_at(self, axis, i), dst = ay_line_at(out, axis, i);
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
