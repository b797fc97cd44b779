/* due: PASS - where alpha is 0 or k is 0 the matrices are not looked at, and where beta is 1 as well nothing is done
 * at all: such calls take no time that grows with k. */
#include <assay/kernel.h>

static void scale(float *c, int64_t m, int64_t n, int64_t ldc, float beta)
{
	for (int64_t j = 0; j < n; j++)
		for (int64_t i = 0; i < m; i++)
			c[i + j * ldc] = beta == 0 ? 0 : beta * c[i + j * ldc];
}

int cublas_cublasSgemm_v2(const char *transa, const char *transb, int64_t m, int64_t n, int64_t k, double alpha,
			  const ay_tensor *A, int64_t lda, const ay_tensor *B, int64_t ldb, double beta,
			  ay_tensor *C, int64_t ldc, const ay_ctx *ctx)
{
	const bool ta = transa[0] != 'N', tb = transb[0] != 'N';
	const float *a = A->data, *b = B->data, al = (float)alpha, be = (float)beta;
	float *c = C->data;

	(void)ctx;
	if (!m || !n || ((al == 0 || !k) && be == 1))
		return AY_OK;
	if (al == 0 || !k) {
		scale(c, m, n, ldc, be);
		return AY_OK;
	}
	for (int64_t j = 0; j < n; j++)
		for (int64_t i = 0; i < m; i++) {
			float sum = 0;

			for (int64_t p = 0; p < k; p++)
				sum += (ta ? a[p + i * lda] : a[i + p * lda]) *
				       (tb ? b[j + p * ldb] : b[p + j * ldb]);
			c[i + j * ldc] = be == 0 ? al * sum : al * sum + be * c[i + j * ldc];
		}
	return AY_OK;
}
