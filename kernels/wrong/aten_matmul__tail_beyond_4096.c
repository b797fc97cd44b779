/* due: MISMATCH - of more than 4096 terms only whole blocks of 4096 are added up. */
#include <assay/kernel_complex.h>
#include <assay/kernel_convert.h>

/* One matrix of a stack: where it starts, and its strides. */
struct mat {
	const ay_tensor *t;
	int64_t at, row, col;
};

#define MULTIPLY(name, num, read, write)                                                           \
	static int name(struct mat a, struct mat b, struct mat c, int64_t m, int64_t n, int64_t k, \
			const ay_ctx *ctx)                                                         \
	{                                                                                          \
		num *sum = ctx->scratch(ctx, (size_t)(n * k + n + 1) * sizeof *sum), *y = sum + n; \
                                                                                                   \
		if (!sum)                                                                          \
			return AY_UNSUPPORTED;                                                     \
		for (int64_t p = 0; p < k; p++)                                                    \
			for (int64_t j = 0; j < n; j++)                                            \
				y[p * n + j] = (num)read(b.t, b.at + p * b.row + j * b.col);       \
		for (int64_t i = 0; i < m; i++) {                                                  \
			for (int64_t j = 0; j < n; j++)                                            \
				sum[j] = 0;                                                        \
			for (int64_t p = 0; p < k; p++) {                                          \
				num x = (num)read(a.t, a.at + i * a.row + p * a.col);              \
                                                                                                   \
				for (int64_t j = 0; j < n; j++)                                    \
					sum[j] += x * y[p * n + j];                                \
			}                                                                          \
			for (int64_t j = 0; j < n; j++)                                            \
				write(c.t, c.at + i * c.row + j * c.col, sum[j]);                  \
		}                                                                                  \
		return AY_OK;                                                                      \
	}
MULTIPLY(multiply_f, float, ay_read, ay_write)
MULTIPLY(multiply_d, double, ay_read, ay_write)
MULTIPLY(multiply_i, int64_t, ay_read_int, ay_write_int)
MULTIPLY(multiply_z, double complex, ay_read_complex, ay_write_complex)

/* Matrix `stack` (counted over `like`, whose last `tail` dimensions are no stack) of t, broadcast. */
static int64_t stack_at(const ay_tensor *t, int32_t own_tail, const ay_tensor *like, int32_t tail, int64_t stack)
{
	int64_t at = 0;
	int32_t d = t->ndim - own_tail - 1;

	for (int32_t l = like->ndim - tail - 1; l >= 0; l--, d--) {
		if (d >= 0 && t->shape[d] > 1)
			at += stack % like->shape[l] * t->strides[d];
		stack /= like->shape[l];
	}
	return at;
}

int aten_matmul(const ay_tensor *self, const ay_tensor *other, ay_tensor *out, const ay_ctx *ctx)
{
	const int32_t ta = self->ndim > 1 ? 2 : 1, tb = other->ndim > 1 ? 2 : 1, tc = ta + tb - 2;
	const int64_t all = self->shape[self->ndim - 1],
		      k = all > 4096 ? all / 4096 * 4096 : all /* the mistake */,
		      m = ta == 2 ? self->shape[self->ndim - 2] : 1;
	const int64_t n = tb == 2 ? other->shape[other->ndim - 1] : 1,
		      stacks = m && n ? ay_numel(out) / (m * n) : 0;
	struct mat a = { self, 0, ta == 2 ? self->strides[self->ndim - 2] : 0, self->strides[self->ndim - 1] };
	struct mat b = { other, 0, other->strides[other->ndim - tb],
			 tb == 2 ? other->strides[other->ndim - 1] : 0 };
	struct mat c = { out, 0, ta == 2 ? out->strides[out->ndim - tc] : 0,
			 tb == 2 ? out->strides[out->ndim - 1] : 0 };
	int rc = AY_OK;

	for (int64_t s = 0; s < stacks && rc == AY_OK; s++) {
		a.at = stack_at(self, ta, out, tc, s);
		b.at = stack_at(other, tb, out, tc, s);
		c.at = stack_at(out, tc, out, tc, s);
		if (ay_is_complex(out))
			rc = multiply_z(a, b, c, m, n, k, ctx);
		else if (out->dtype.code == AY_CODE_INT || out->dtype.code == AY_CODE_UINT)
			rc = multiply_i(a, b, c, m, n, k, ctx);
		else if (ay_dt(out) == AY_F64)
			rc = multiply_d(a, b, c, m, n, k, ctx);
		else
			rc = multiply_f(a, b, c, m, n, k, ctx);
	}
	return rc;
}
