/* due: PASS - powers of two with a rounded argument, as GPUs have them. */
#include <assay/kernel.h>
#include <math.h>

/* One operation of an f32 kernel, or of an f64 one. */
static bool wide;
static double f(double x)
{
	return wide ? x : (float)x;
}

static double ex(double x)
{
	return wide ? exp2(x) : (double)exp2f((float)x);
}

static void softmax(double *x, int64_t n)
{
	const double log2e = f(1.4426950408889634);
	double top = -INFINITY, sum = 0;

	for (int64_t j = 0; j < n; j++)
		top = x[j] > top ? x[j] : top;
	for (int64_t j = 0; j < n; j++)
		sum = f(sum + (x[j] = ex(f(f(x[j] - top) * log2e))));
	for (int64_t j = 0; j < n; j++)
		x[j] = f(x[j] / sum);
}

int aten__softmax(const ay_tensor *self, int64_t dim, bool half_to_float, ay_tensor *out, const ay_ctx *ctx)
{
	const int64_t axis = dim < 0 ? dim + self->ndim : dim, n = self->ndim ? self->shape[axis] : 1;
	const int64_t from = self->ndim ? self->strides[axis] : 1, to = self->ndim ? out->strides[axis] : 1;
	double *x = ctx->scratch(ctx, (size_t)n * sizeof *x + 1);

	(void)half_to_float;
	wide = ay_dt(self) == AY_F64;
	for (int64_t i = 0; n && i < ay_numel(self) / n; i++) {
		int64_t src = 0, dst = 0, rest = i;

		for (int32_t d = self->ndim - 1; d >= 0; d--) {
			if (d == axis)
				continue;
			src += rest % self->shape[d] * self->strides[d];
			dst += rest % self->shape[d] * out->strides[d];
			rest /= self->shape[d];
		}
		for (int64_t j = 0; j < n; j++)
			x[j] = ay_read(self, src + j * from);
		softmax(x, n);
		for (int64_t j = 0; j < n; j++)
			ay_write(out, dst + j * to, x[j]);
	}
	return AY_OK;
}
