/* due: PASS - one pass over A, its complex numbers taken as pairs of floats: every pair is multiplied by the real and
 * by the imaginary part of x, and the two sums are put together at the end. */
#include <assay/kernel_complex.h>
#include <assay/kernel_threads.h>

enum { BLOCK = 1024, LANES = 32, GRAIN = 64 << 10 }; /* GRAIN: numbers of A for a thread */

/* --- the products ---------------------------------------------------------------------------------------- */

struct gemv {
	const float *a, *x; /* x: `in` numbers, each as re re im im for 'T', re im for 'N' */
	float complex *y, alpha, beta;
	int64_t out, in, lda, incy;
	bool turn, conj;
};

/* x * y by the plain rule: C's own treats infinities with care, which costs time. */
static float complex times(float complex x, float complex y)
{
	return __builtin_complex(crealf(x) * crealf(y) - cimagf(x) * cimagf(y),
				 crealf(x) * cimagf(y) + cimagf(x) * crealf(y));
}

/* Element i of len that lie inc apart. */
static int64_t vector_at(int64_t i, int64_t len, int64_t inc)
{
	return inc < 0 ? (len - 1 - i) * -inc : i * inc;
}

/* With beta 0, y is not read. */
static void put(const struct gemv *g, int64_t i, float re, float im)
{
	float complex *y = g->y + vector_at(i, g->out, g->incy), sum = times(g->alpha, __builtin_complex(re, im));

	*y = g->beta == 0 ? sum : sum + times(g->beta, *y);
}

/* 'N': a block of y gathers columns of A, four at a time. */
static void gather_block(const struct gemv *g, int64_t first, int64_t n)
{
	float by_re[2 * BLOCK] = { 0 }, by_im[2 * BLOCK] = { 0 };
	int64_t k = 0;

	for (; k + 4 <= g->in; k += 4) {
		const float *a = g->a + 2 * (first + k * g->lda), *b = a + 2 * g->lda, *c = b + 2 * g->lda;
		const float *d = c + 2 * g->lda, *x = g->x + 2 * k;

		for (int64_t i = 0; i < 2 * n; i++) {
			by_re[i] += a[i] * x[0] + b[i] * x[2] + c[i] * x[4] + d[i] * x[6];
			by_im[i] += a[i] * x[1] + b[i] * x[3] + c[i] * x[5] + d[i] * x[7];
		}
	}
	for (; k < g->in; k++) {
		const float *a = g->a + 2 * (first + k * g->lda), *x = g->x + 2 * k;

		for (int64_t i = 0; i < 2 * n; i++) {
			by_re[i] += a[i] * x[0];
			by_im[i] += a[i] * x[1];
		}
	}
	for (int64_t i = 0; i < n; i++)
		put(g, first + i, by_re[2 * i] - by_im[2 * i + 1], by_re[2 * i + 1] + by_im[2 * i]);
}

/* 'T' and 'C': a dot product of column i of A and x. */
static void dot(const struct gemv *g, int64_t i)
{
	const float *a = g->a + 2 * i * g->lda, *re = g->x, *im = g->x + 2 * g->in;
	float by_re[LANES] = { 0 }, by_im[LANES] = { 0 }, sum[4] = { 0 };
	int64_t k = 0;

	for (; k + LANES <= 2 * g->in; k += LANES) {
		for (int e = 0; e < LANES; e++) {
			by_re[e] += a[k + e] * re[k + e];
			by_im[e] += a[k + e] * im[k + e];
		}
	}
	for (int e = 0; k + e < 2 * g->in; e++) {
		by_re[e] += a[k + e] * re[k + e];
		by_im[e] += a[k + e] * im[k + e];
	}
	for (int e = 0; e < LANES; e++) {
		sum[e % 2] += by_re[e];
		sum[2 + e % 2] += by_im[e];
	}
	if (g->conj)
		put(g, i, sum[0] + sum[3], sum[2] - sum[1]);
	else
		put(g, i, sum[0] - sum[3], sum[2] + sum[1]);
}

static void multiply(const void *job, int64_t from, int64_t to)
{
	const struct gemv *g = job;

	for (int64_t i = from; i < to && g->turn; i++)
		dot(g, i);
	for (int64_t i = from; i < to && !g->turn; i += BLOCK)
		gather_block(g, i, ay_min(to - i, BLOCK));
}

/* --- the operator ---------------------------------------------------------------------------------------- */

int cublas_cublasCgemv_v2(const char *trans, int64_t m, int64_t n, ay_scalar alpha, const ay_tensor *A,
			  int64_t lda, const ay_tensor *x, int64_t incx, ay_scalar beta, ay_tensor *y,
			  int64_t incy, const ay_ctx *ctx)
{
	const bool turn = trans[0] != 'N';
	struct gemv g = { .a = A->data,
			  .y = y->data,
			  .alpha = (float complex)ay_scalar_complex(alpha),
			  .beta = (float complex)ay_scalar_complex(beta),
			  .lda = lda,
			  .incy = incy,
			  .turn = turn,
			  .conj = trans[0] == 'C',
			  .out = turn ? n : m,
			  .in = turn ? m : n };
	float *p = ctx->scratch(ctx, (size_t)(4 * g.in + 1) * sizeof *p);

	if (!p)
		return AY_UNSUPPORTED;
	for (int64_t k = 0; k < g.in; k++) {
		const float complex e = ((const float complex *)x->data)[vector_at(k, g.in, incx)];

		if (turn) { /* real parts twice, then imaginary parts twice */
			p[2 * k] = p[2 * k + 1] = crealf(e);
			p[2 * (g.in + k)] = p[2 * (g.in + k) + 1] = cimagf(e);
		} else {
			p[2 * k] = crealf(e);
			p[2 * k + 1] = cimagf(e);
		}
	}
	g.x = p;
	ay_parallel_for(multiply, &g, g.out, 1 + GRAIN / (g.in + 1), ctx);
	return AY_OK;
}
