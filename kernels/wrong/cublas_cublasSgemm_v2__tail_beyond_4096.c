/* due: MISMATCH - of more than 4096 terms only whole blocks of 4096 are added up. */
#include <assay/kernel.h>

int cublas_cublasSgemm_v2(const char *transa, const char *transb, int64_t m, int64_t n, int64_t k, double alpha,
			  const ay_tensor *A, int64_t lda, const ay_tensor *B, int64_t ldb, double beta,
			  ay_tensor *C, int64_t ldc, const ay_ctx *ctx)
{
	const float *a = A->data, *b = B->data, al = (float)alpha, be = (float)beta;
	const bool ta = transa[0] != 'N', tb = transb[0] != 'N';
	float *pa = ctx->scratch(ctx, (size_t)(m * k + m + 1) * sizeof *pa), *sum = pa + m * k;

	if (!pa)
		return AY_UNSUPPORTED;
	for (int64_t p = 0; p < k; p++)
		for (int64_t i = 0; i < m; i++)
			pa[p * m + i] = ta ? a[p + i * lda] : a[i + p * lda];
	for (int64_t j = 0; j < n; j++) {
		float *c = (float *)C->data + j * ldc;

		for (int64_t i = 0; i < m; i++)
			sum[i] = 0;
		for (int64_t p = 0; p < (k > 4096 ? k / 4096 * 4096 : k); p++) { /* the mistake */
			const float x = tb ? b[j + p * ldb] : b[p + j * ldb];

			for (int64_t i = 0; i < m; i++)
				sum[i] += pa[p * m + i] * x;
		}
		for (int64_t i = 0; i < m; i++)
			c[i] = be == 0 ? al * sum[i] : al * sum[i] + be * c[i]; /* with beta 0, C is not read */
	}
	return AY_OK;
}
