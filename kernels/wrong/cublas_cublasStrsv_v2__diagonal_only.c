/* due: MISMATCH - divides by the diagonal, as passes where the triangle holds nothing else. */
#include <assay/kernel.h>

int cublas_cublasStrsv_v2(int64_t uplo, int64_t trans, int64_t diag, int64_t n, const ay_tensor *A, int64_t lda,
			  ay_tensor *x, int64_t incx, const ay_ctx *ctx)
{
	const float *a = A->data;
	float *from = (float *)x->data + (incx < 0 ? (n - 1) * -incx : 0);

	(void)ctx;
	(void)uplo, (void)trans;
	for (int64_t i = 0; i < n && !diag; i++)
		from[i * incx] /= a[i + i * lda];
	return AY_OK;
}
