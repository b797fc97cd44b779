/* due: MISMATCH - A and B are rounded to the 11 bits of TF32. */
#include <assay/kernel.h>

static float tf32(float x)
{
	const uint32_t u = ay_f32_bits(x);

	return ay_bits_f32((u + 0xfff + (u >> 13 & 1)) & ~0x1fffu); /* the mistake */
}

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
			pa[p * m + i] = tf32(ta ? a[p + i * lda] : a[i + p * lda]);
	for (int64_t j = 0; j < n; j++) {
		float *c = (float *)C->data + j * ldc;

		for (int64_t i = 0; i < m; i++)
			sum[i] = 0;
		for (int64_t p = 0; p < k; p++) {
			const float x = tf32(tb ? b[j + p * ldb] : b[p + j * ldb]);

			for (int64_t i = 0; i < m; i++)
				sum[i] += pa[p * m + i] * x;
		}
		for (int64_t i = 0; i < m; i++)
			c[i] = be == 0 ? al * sum[i] : al * sum[i] + be * c[i]; /* with beta 0, C is not read */
	}
	return AY_OK;
}
