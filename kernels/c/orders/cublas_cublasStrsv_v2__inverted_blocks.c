/* due: PASS - inverts the triangles of 32 on the diagonal and multiplies by them, as libraries for GPUs do. */
#include <assay/kernel.h>

enum { BLOCK = 32 };

/* op(A) with rows and columns in the order of solving, so that it is a lower triangle. */
struct triangle {
	const float *a;
	int64_t n, row, col;
	bool forward, unit;
};

static float element(const struct triangle *t, int64_t i, int64_t j)
{
	if (i == j && t->unit)
		return 1;
	if (!t->forward) {
		i = t->n - 1 - i;
		j = t->n - 1 - j;
	}
	return t->a[i * t->row + j * t->col];
}

/* The inverse of `size` rows and columns from `at` on, column by column. */
static void invert(const struct triangle *t, int64_t at, int64_t size, float inv[BLOCK][BLOCK])
{
	for (int64_t j = 0; j < size; j++) {
		for (int64_t i = j; i < size; i++) {
			float sum = i == j;

			for (int64_t k = j; k < i; k++)
				sum -= element(t, at + i, at + k) * inv[k][j];
			inv[i][j] = sum / element(t, at + i, at + i);
		}
	}
}

int cublas_cublasStrsv_v2(int64_t uplo, int64_t trans, int64_t diag, int64_t n, const ay_tensor *A, int64_t lda,
			  ay_tensor *x, int64_t incx, const ay_ctx *ctx)
{
	const struct triangle t = {
		A->data, n, trans ? lda : 1, trans ? 1 : lda, (uplo == 0) == (trans == 0), diag
	};
	const int64_t step = t.forward ? incx : -incx;
	float *from = (float *)x->data + (step < 0 ? (n - 1) * -step : 0), inv[BLOCK][BLOCK], y[BLOCK];

	(void)ctx;
	for (int64_t at = 0; at < n; at += BLOCK) {
		const int64_t size = n - at < BLOCK ? n - at : BLOCK;

		invert(&t, at, size, inv);
		for (int64_t i = 0; i < size; i++) {
			y[i] = 0;
			for (int64_t k = 0; k <= i; k++)
				y[i] += inv[i][k] * from[(at + k) * step];
		}
		for (int64_t i = 0; i < size; i++)
			from[(at + i) * step] = y[i];
		for (int64_t i = at + size; i < n; i++)
			for (int64_t k = 0; k < size; k++)
				from[i * step] -= element(&t, i, at + k) * y[k];
	}
	return AY_OK;
}
