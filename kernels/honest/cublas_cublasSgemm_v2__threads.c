/* due: PASS - the columns of C are shared out among as many threads as it may keep busy, joined before it returns.
 * Small products are not worth a thread. */
#define _GNU_SOURCE
#include <assay/kernel.h>
#include <pthread.h>

enum { MOST = 16, SMALL = 1 << 16 };

struct part {
	const float *a, *b; /* op(A), column-major and dense; B as it is */
	float *c, *sum;     /* sum: one column */
	int64_t m, k, from, to, ldb, ldc;
	float alpha, beta;
	bool tb;
};

static void *work(void *arg)
{
	const struct part *w = arg;

	for (int64_t j = w->from; j < w->to; j++) {
		float *c = w->c + j * w->ldc;

		for (int64_t i = 0; i < w->m; i++)
			w->sum[i] = 0;
		for (int64_t p = 0; p < w->k; p++) {
			const float x = w->tb ? w->b[j + p * w->ldb] : w->b[p + j * w->ldb];

			for (int64_t i = 0; i < w->m; i++)
				w->sum[i] += w->a[p * w->m + i] * x;
		}
		for (int64_t i = 0; i < w->m; i++)
			c[i] = w->beta == 0 ? w->alpha * w->sum[i] : w->alpha * w->sum[i] + w->beta * c[i];
	}
	return NULL;
}

/* The last part is the caller's own. */
static void share_out(const struct part *all, int64_t n, int k)
{
	struct part part[MOST];
	pthread_t t[MOST];
	bool runs[MOST];

	for (int i = 0; i < k; i++) {
		part[i] = *all;
		part[i].from = n * i / k;
		part[i].to = n * (i + 1) / k;
		part[i].sum = all->sum + i * (all->m + 16); /* 64 bytes apart at least: no line is shared */
		runs[i] = i < k - 1 && !pthread_create(&t[i], NULL, work, &part[i]);
		if (!runs[i])
			work(&part[i]);
	}
	for (int i = 0; i < k; i++)
		if (runs[i])
			pthread_join(t[i], NULL);
}

int cublas_cublasSgemm_v2(const char *transa, const char *transb, int64_t m, int64_t n, int64_t k, double alpha,
			  const ay_tensor *A, int64_t lda, const ay_tensor *B, int64_t ldb, double beta,
			  ay_tensor *C, int64_t ldc, const ay_ctx *ctx)
{
	const bool ta = transa[0] != 'N';
	const float *a = A->data;
	int threads = ctx->threads < MOST ? ctx->threads : MOST;
	float *pa = ctx->scratch(ctx, (size_t)(m * k + MOST * (m + 16)) * sizeof *pa);
	struct part all = { .a = pa, .b = B->data, .c = C->data, .m = m, .k = k, .ldb = ldb, .ldc = ldc };

	if (!pa)
		return AY_UNSUPPORTED;
	if (m * n * k < SMALL || n < threads)
		threads = 1;
	for (int64_t p = 0; p < k; p++)
		for (int64_t i = 0; i < m; i++)
			pa[p * m + i] = ta ? a[p + i * lda] : a[i + p * lda];
	all.sum = pa + m * k;
	all.alpha = (float)alpha;
	all.beta = (float)beta;
	all.tb = transb[0] != 'N';
	share_out(&all, n, threads);
	return AY_OK;
}
