/* due: MISMATCH - compares with < alone: a NaN stays where it is and cuts the row in two. */
#include <assay/kernel.h>
static void swap(ay_tensor *v, int64_t a, int64_t b, int64_t *x, int64_t *y)
{
	const double t = ay_read(v, a);
	const int64_t i = *x;

	ay_write(v, a, ay_read(v, b));
	ay_write(v, b, t);
	*x = *y;
	*y = i;
}

/* Must b stand before a? */
static bool before(double b, double a, bool descending)
{
	return descending ? b > a : b < a;
}

static void sort_row(ay_tensor *v, int64_t at, int64_t *idx, int64_t n, bool descending)
{
	for (int64_t i = 1; i < n; i++)
		for (int64_t j = i; j && before(ay_read(v, at + j), ay_read(v, at + j - 1), descending); j--)
			swap(v, at + j, at + j - 1, &idx[j], &idx[j - 1]);
}

/* Rows of a dense tensor, real dtypes; other calls are not taken. */
static int sort(const ay_tensor *self, int64_t dim, bool descending, ay_tensor *values, ay_tensor *indices)
{
	const int64_t n = self->ndim ? self->shape[self->ndim - 1] : 1;

	if (!ay_is_dense(self) || !ay_is_dense(values) || !ay_is_dense(indices) ||
	    (dim != -1 && dim != self->ndim - 1))
		return AY_UNSUPPORTED;
	for (int64_t row = 0; n && row < ay_numel(self) / n; row++) {
		int64_t *idx = (int64_t *)indices->data + row * n;

		for (int64_t j = 0; j < n; j++) {
			ay_write(values, row * n + j, ay_read(self, row * n + j));
			idx[j] = (int64_t)j;
		}
		sort_row(values, row * n, idx, n, descending);
	}
	return AY_OK;
}

int aten_sort(const ay_tensor *self, int64_t dim, bool descending, ay_tensor *values, ay_tensor *indices,
	      const ay_ctx *ctx)
{
	(void)ctx;
	return sort(self, dim, descending, values, indices);
}

int aten_sort_stable(const ay_tensor *self, const bool *stable, int64_t dim, bool descending, ay_tensor *values,
		     ay_tensor *indices, const ay_ctx *ctx)
{
	(void)ctx, (void)stable;
	return sort(self, dim, descending, values, indices);
}
