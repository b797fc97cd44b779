/* due: PASS - one column-major gemm after the other; a column of C gathers columns of op(A). */
#include <assay/kernel.h>

struct gemm {
	bool ta, tb;
	int64_t m, n, k, lda, ldb, ldc;
	double alpha, beta;
	double *pa, *sum; /* op(A) packed, one column of C */
};

static void multiply(const struct gemm *g, const double *a, const double *b, double *c)
{
	const int64_t m = g->m;

	for (int64_t p = 0; p < g->k; p++)
		for (int64_t i = 0; i < m; i++)
			g->pa[p * m + i] = g->ta ? a[p + i * g->lda] : a[i + p * g->lda];
	for (int64_t j = 0; j < g->n; j++, c += g->ldc) {
		for (int64_t i = 0; i < m; i++)
			g->sum[i] = 0;
		for (int64_t p = 0; p < g->k; p++) {
			const double x = g->tb ? b[j + p * g->ldb] : b[p + j * g->ldb];

			for (int64_t i = 0; i < m; i++)
				g->sum[i] += g->pa[p * m + i] * x;
		}
		for (int64_t i = 0; i < m; i++)
			c[i] = g->beta == 0 ? g->alpha * g->sum[i] : g->alpha * g->sum[i] + g->beta * c[i];
	}
}

int cublas_cublasDgemmBatched(const char *transa, const char *transb, int64_t m, int64_t n, int64_t k,
			      double alpha, const ay_tensor *const *Aarray, int64_t n_Aarray, int64_t lda,
			      const ay_tensor *const *Barray, int64_t n_Barray, int64_t ldb, double beta,
			      ay_tensor *const *Carray, int64_t n_Carray, int64_t ldc, int64_t batchCount,
			      const ay_ctx *ctx)
{
	struct gemm g = { transa[0] != 'N', transb[0] != 'N', m, n, k, lda, ldb, ldc, alpha, beta, NULL, NULL };

	(void)n_Aarray, (void)n_Barray, (void)n_Carray;
	g.pa = ctx->scratch(ctx, (size_t)(m * k + m + 1) * sizeof *g.pa);
	if (!g.pa)
		return AY_UNSUPPORTED;
	g.sum = g.pa + m * k;
	for (int64_t i = 0; i < batchCount; i++)
		multiply(&g, Aarray[i]->data, Barray[i]->data, Carray[i]->data);
	return AY_OK;
}
