/* due: TIMEOUT - sweeps until all neighbours are in order, which with a NaN they never are. */
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

static void sort_row(ay_tensor *v, int64_t at, int64_t *idx, int64_t n, bool descending)
{
	for (bool done = false; !done;) {
		done = true;
		for (int64_t j = 1; j < n; j++) {
			const double a = ay_read(v, at + j - 1), b = ay_read(v, at + j);

			if (descending ? a >= b : a <= b)
				continue;
			swap(v, at + j - 1, at + j, &idx[j - 1], &idx[j]);
			done = false;
		}
	}
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
