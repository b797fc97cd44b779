/* due: PASS - one pass over A, its complex numbers taken as pairs of floats: every pair is multiplied by the real and
 * by the imaginary part of x, and the two sums are put together at the end. */
#include <assay/kernel.h>
#include <complex.h>
#include <pthread.h>
#include <string.h>

enum { BLOCK = 1024, LANES = 32, GRAIN = 64 << 10, MAX_THREADS = 64 }; /* GRAIN: numbers of A for a thread */

/* --- threads --------------------------------------------------------------------------------------------- */

struct part {
	void (*work)(const void *job, int64_t from, int64_t to);
	const void *job;
	int64_t from, to;
};

static void *run_part(void *arg)
{
	const struct part *p = arg;

	p->work(p->job, p->from, p->to);
	return NULL;
}

/* work on 0 .. n - 1, shared by threads that have at least `grain` each: to start one takes about 20 us. */
static void share(void (*work)(const void *, int64_t, int64_t), const void *job, int64_t n, int64_t grain,
		  const ay_ctx *ctx)
{
	int64_t k = ctx->threads < MAX_THREADS ? ctx->threads : MAX_THREADS;
	struct part part[MAX_THREADS];
	pthread_t id[MAX_THREADS];
	bool runs[MAX_THREADS] = { false };

	k = n / grain < k ? n / grain : k;
	k = k < 1 ? 1 : k;
	for (int64_t i = k - 1; i >= 0; i--) {
		part[i] = (struct part){ work, job, n * i / k, n * (i + 1) / k };
		runs[i] = i && !pthread_create(&id[i], NULL, run_part, &part[i]);
		if (!runs[i])
			run_part(&part[i]);
	}
	for (int64_t i = 1; i < k; i++)
		if (runs[i])
			pthread_join(id[i], NULL);
}
/* --- the products ---------------------------------------------------------------------------------------- */

struct gemv {
	const float *a, *x; /* x: `in` numbers, each as re re im im for 'T', re im for 'N' */
	float complex *y, alpha, beta;
	int64_t out, in, lda, incy;
	bool turn, conj;
};

static float complex number(ay_scalar s)
{
	switch (s.kind) {
	case AY_SCALAR_BOOL: return s.v.b;
	case AY_SCALAR_INT: return (float)s.v.i;
	case AY_SCALAR_FLOAT: return (float)s.v.f;
	default: return __builtin_complex((float)s.v.c[0], (float)s.v.c[1]);
	}
}

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
		gather_block(g, i, to - i < BLOCK ? to - i : BLOCK);
}

/* --- the operator ---------------------------------------------------------------------------------------- */

int cublas_cublasCgemv_v2(const char *trans, int64_t m, int64_t n, ay_scalar alpha, const ay_tensor *A,
			  int64_t lda, const ay_tensor *x, int64_t incx, ay_scalar beta, ay_tensor *y,
			  int64_t incy, const ay_ctx *ctx)
{
	const bool turn = trans[0] != 'N';
	struct gemv g = { .a = A->data,
			  .y = y->data,
			  .alpha = number(alpha),
			  .beta = number(beta),
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
	share(multiply, &g, g.out, 1 + GRAIN / (g.in + 1), ctx);
	return AY_OK;
}
