/* due: PASS - column by column: each element, once solved, is taken out of the rows behind it. */
#include <assay/kernel.h>

int cublas_cublasStrsv_v2(int64_t uplo, int64_t trans, int64_t diag, int64_t n, const ay_tensor *A, int64_t lda,
			  ay_tensor *x, int64_t incx, const ay_ctx *ctx)
{
	const float *a = A->data;
	const bool forward = (uplo == 0) == (trans == 0);
	const int64_t row = trans ? lda : 1, col = trans ? 1 : lda; /* steps of op(A) */
	float *from = (float *)x->data + (incx < 0 ? (n - 1) * -incx : 0);

	(void)ctx;
	for (int64_t k = 0; k < n; k++) {
		const int64_t j = forward ? k : n - 1 - k, lo = forward ? j + 1 : 0, hi = forward ? n : j;

		if (!diag)
			from[j * incx] *= 1 / a[j * row + j * col];
		for (int64_t i = lo; i < hi; i++)
			from[i * incx] -= a[i * row + j * col] * from[j * incx];
	}
	return AY_OK;
}
