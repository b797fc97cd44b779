/* SPDX-License-Identifier: Apache-2.0
 *
 * A libcublas.so.13 without a GPU, for tests: the functions that baselines/cublas.h names, over the memory of fake.c, in
 * plain loops. As strict about leading dimensions and streams as the real one, so that what the baseline tells it is
 * judged on every case of an operator, on any machine.
 */
#include <assay/kernel.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OK = 0, INVALID = 7, UNSUPPORTED = 15 };
enum { R_32F = 0, R_64F = 1, R_16F = 2, C_32F = 4, C_64F = 5, R_16BF = 14 };
enum { COMPUTE_32F = 68, COMPUTE_64F = 70 };

static struct {
	void *stream;
	int math;
} state;

int cublasGetProperty(int what, int *value)
{
	*value = what == 0 ? 13 : what == 1 ? 99 : 7;
	return OK;
}

int cublasCreate_v2(void **h)
{
	*h = &state;
	return OK;
}

int cublasSetStream_v2(void *h, void *stream)
{
	(void)h;
	state.stream = stream;
	return OK;
}

int cublasSetMathMode(void *h, int mode)
{
	(void)h;
	state.math = mode;
	return OK;
}

int cublasSetVectorAsync(int n, int size, const void *host, int incx, void *device, int incy, void *stream)
{
	if (incx != 1 || incy != 1 || stream != state.stream)
		return INVALID;
	memcpy(device, host, (size_t)n * (size_t)size);
	return OK;
}

/* --- numbers ------------------------------------------------------------------------------------------------- */

struct number {
	double re, im;
};

static struct number get(const void *p, int kind, int64_t i)
{
	switch (kind) {
	case R_32F: return (struct number){ ((const float *)p)[i], 0 };
	case R_64F: return (struct number){ ((const double *)p)[i], 0 };
	case R_16F: return (struct number){ ay_from_f16(((const uint16_t *)p)[i]), 0 };
	case R_16BF: return (struct number){ ay_from_bf16(((const uint16_t *)p)[i]), 0 };
	case C_32F: return (struct number){ ((const float *)p)[2 * i], ((const float *)p)[2 * i + 1] };
	default: return (struct number){ ((const double *)p)[2 * i], ((const double *)p)[2 * i + 1] };
	}
}

static void put(void *p, int kind, int64_t i, struct number x)
{
	switch (kind) {
	case R_32F: ((float *)p)[i] = (float)x.re; break;
	case R_64F: ((double *)p)[i] = x.re; break;
	case R_16F: ((uint16_t *)p)[i] = ay_to_f16((float)x.re); break;
	case R_16BF: ((uint16_t *)p)[i] = ay_to_bf16((float)x.re); break;
	case C_32F:
		((float *)p)[2 * i] = (float)x.re;
		((float *)p)[2 * i + 1] = (float)x.im;
		break;
	default: ((double *)p)[2 * i] = x.re; ((double *)p)[2 * i + 1] = x.im;
	}
}

static struct number times(struct number a, struct number b)
{
	if (!a.im && !b.im) /* or an infinity would meet a zero */
		return (struct number){ a.re * b.re, 0 };
	return (struct number){ a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re };
}

static size_t bytes_of(int kind)
{
	return kind == R_32F ? 4 : kind == R_16F || kind == R_16BF ? 2 : kind == C_64F ? 16 : 8;
}

/* Element (i, j) of op(x), stored by columns. */
static struct number at(const void *x, int kind, int op, int ld, int i, int j)
{
	struct number v = get(x, kind, op ? (int64_t)i * ld + j : (int64_t)j * ld + i);

	if (op == 2)
		v.im = -v.im;
	return v;
}

struct gemm {
	int ta, tb, m, n, k, ka, kb, kc, lda, ldb, ldc;
	const void *a, *b, *bias;
	void *c;
	struct number alpha, beta;
	bool split; /* as cublasLt does it: the bias comes when the sum is rounded */
};

static bool too_small(int ld, int rows)
{
	return ld < (rows > 1 ? rows : 1);
}

static int gemm(const struct gemm *g)
{
	if (!state.stream || g->m < 0 || g->n < 0 || g->k < 0 || too_small(g->lda, g->ta ? g->k : g->m) ||
	    too_small(g->ldb, g->tb ? g->n : g->k) || too_small(g->ldc, g->m))
		return INVALID;
	for (int j = 0; j < g->n; j++) {
		for (int i = 0; i < g->m; i++) {
			struct number sum = { 0, 0 }, old, t;

			for (int l = 0; l < g->k; l++) {
				t = times(at(g->a, g->ka, g->ta, g->lda, i, l),
					  at(g->b, g->kb, g->tb, g->ldb, l, j));
				sum.re += t.re;
				sum.im += t.im;
			}
			sum = g->alpha.re || g->alpha.im ? times(g->alpha, sum) : (struct number){ 0, 0 };
			if (g->beta.re || g->beta.im) {
				old = times(g->beta, get(g->c, g->kc, (int64_t)j * g->ldc + i));
				sum.re += old.re;
				sum.im += old.im;
			}
			put(g->c, g->kc, (int64_t)j * g->ldc + i, sum);
			if (g->bias && g->split)
				sum = get(g->c, g->kc, (int64_t)j * g->ldc + i);
			if (g->bias)
				sum.re += get(g->bias, g->kc, i).re;
			put(g->c, g->kc, (int64_t)j * g->ldc + i, sum);
		}
	}
	return OK;
}

/* --- cuBLAS -------------------------------------------------------------------------------------------------- */

int cublasSgemm_v2(void *h, int ta, int tb, int m, int n, int k, const float *alpha, const float *a, int lda,
		   const float *b, int ldb, const float *beta, float *c, int ldc)
{
	(void)h;
	return gemm(&(struct gemm){
		ta, tb, m, n, k, R_32F, R_32F, R_32F, lda, ldb, ldc, a, b, NULL, c, { *alpha, 0 }, { *beta, 0 } });
}

int cublasDgemmBatched(void *h, int ta, int tb, int m, int n, int k, const double *alpha, const double *const *a,
		       int lda, const double *const *b, int ldb, const double *beta, double *const *c, int ldc,
		       int count)
{
	int e = OK;

	(void)h;
	for (int i = 0; i < count && !e; i++)
		e = gemm(&(struct gemm){ ta,
					 tb,
					 m,
					 n,
					 k,
					 R_64F,
					 R_64F,
					 R_64F,
					 lda,
					 ldb,
					 ldc,
					 a[i],
					 b[i],
					 NULL,
					 c[i],
					 { *alpha, 0 },
					 { *beta, 0 } });
	return e;
}

/* Scalars are of the type that is computed in, complex ones two of them. */
static struct number scalar(const void *p, int compute, int kind)
{
	return get(p, compute == COMPUTE_64F ? kind == C_64F ? C_64F : R_64F : kind == C_32F ? C_32F : R_32F, 0);
}

static bool is_known(int kind, int to, int compute)
{
	if ((kind == R_64F || kind == C_64F) != (compute == COMPUTE_64F) || state.math != 16)
		return false;
	return kind == to || (to == R_32F && (kind == R_16F || kind == R_16BF));
}

/* A line in $FAKE_CUBLAS_LOG for each. */
static void note(int kind, int m, int n, int k)
{
	FILE *log = getenv("FAKE_CUBLAS_LOG") ? fopen(getenv("FAKE_CUBLAS_LOG"), "a") : NULL;

	if (log) {
		fprintf(log, "gemm of %d: %d %d %d\n", kind, m, n, k);
		fclose(log);
	}
}

int cublasGemmStridedBatchedEx(void *h, int ta, int tb, int m, int n, int k, const void *alpha, const void *a,
			       int ka, int lda, long long sa, const void *b, int kb, int ldb, long long sb,
			       const void *beta, void *c, int kc, int ldc, long long sc, int count, int compute,
			       int algorithm)
{
	struct gemm g = { ta,
			  tb,
			  m,
			  n,
			  k,
			  ka,
			  kb,
			  kc,
			  lda,
			  ldb,
			  ldc,
			  .alpha = scalar(alpha, compute, ka),
			  .beta = scalar(beta, compute, ka) };
	int e = OK;

	(void)h, (void)algorithm;
	note(ka, m, n, k);
	if (ka != kb || !is_known(ka, kc, compute))
		return UNSUPPORTED;
	for (int i = 0; i < count && !e; i++) {
		g.a = (const char *)a + i * sa * (long long)bytes_of(ka);
		g.b = (const char *)b + i * sb * (long long)bytes_of(kb);
		g.c = (char *)c + i * sc * (long long)bytes_of(kc);
		e = gemm(&g);
	}
	return e;
}

int cublasGemmEx(void *h, int ta, int tb, int m, int n, int k, const void *alpha, const void *a, int ka, int lda,
		 const void *b, int kb, int ldb, const void *beta, void *c, int kc, int ldc, int compute,
		 int algorithm)
{
	return cublasGemmStridedBatchedEx(h, ta, tb, m, n, k, alpha, a, ka, lda, 0, b, kb, ldb, 0, beta, c, kc,
					  ldc, 0, 1, compute, algorithm);
}

/* Where vector element i of n lies. */
static int64_t place(int i, int n, int inc)
{
	return inc < 0 ? (int64_t)(n - 1 - i) * -inc : (int64_t)i * inc;
}

int cublasCgemv_v2(void *h, int trans, int m, int n, const float *alpha, const void *a, int lda, const void *x,
		   int incx, const float *beta, void *y, int incy)
{
	const int out = trans ? n : m, in = trans ? m : n;
	const struct number al = { alpha[0], alpha[1] }, be = { beta[0], beta[1] };

	(void)h;
	if (!state.stream || m < 0 || n < 0 || !incx || !incy || too_small(lda, m))
		return INVALID;
	for (int i = 0; i < out && in; i++) {
		struct number sum = { 0, 0 }, t;

		for (int l = 0; l < in; l++) {
			t = times(at(a, C_32F, trans, lda, i, l), get(x, C_32F, place(l, in, incx)));
			sum.re += t.re;
			sum.im += t.im;
		}
		sum = times(al, sum);
		if (be.re || be.im) {
			t = times(be, get(y, C_32F, place(i, out, incy)));
			sum.re += t.re;
			sum.im += t.im;
		}
		put(y, C_32F, place(i, out, incy), sum);
	}
	return OK;
}

int cublasStrsv_v2(void *h, int uplo, int trans, int diag, int n, const float *a, int lda, float *x, int incx)
{
	const bool forward = !uplo != !!trans;

	(void)h;
	if (!state.stream || n < 0 || !incx || too_small(lda, n) || uplo < 0 || uplo > 1 || diag < 0 || diag > 1)
		return INVALID;
	for (int k = 0; k < n; k++) {
		const int i = forward ? k : n - 1 - k;
		double sum = x[place(i, n, incx)];

		for (int l = 0; l < k; l++) {
			const int j = forward ? l : n - 1 - l;

			sum -= at(a, R_32F, trans, lda, i, j).re * x[place(j, n, incx)];
		}
		x[place(i, n, incx)] = (float)(diag ? sum : sum / a[(int64_t)i * lda + i]);
	}
	return OK;
}

/* --- cublasLt ------------------------------------------------------------------------------------------------ */

struct desc {
	int compute, op[2], epilogue;
	const void *bias;
};

struct layout {
	int kind;
	uint64_t rows, columns;
	int64_t ld;
};

int cublasLtMatmulDescCreate(struct desc **d, int compute, int scale)
{
	*d = calloc(1, sizeof **d);
	(*d)->compute = compute;
	return scale == (compute == COMPUTE_64F ? R_64F : R_32F) ? OK : UNSUPPORTED;
}

int cublasLtMatmulDescSetAttribute(struct desc *d, int what, const void *value, size_t bytes)
{
	void *const to[] = { [3] = &d->op[0], [4] = &d->op[1], [7] = &d->epilogue, [8] = &d->bias };
	const size_t due[] = { [3] = 4, [4] = 4, [7] = 4, [8] = sizeof d->bias };

	if (what < 0 || what > 8 || !to[what] || due[what] != bytes)
		return INVALID;
	memcpy(to[what], value, bytes);
	return OK;
}

int cublasLtMatrixLayoutCreate(struct layout **l, int kind, uint64_t rows, uint64_t columns, int64_t ld)
{
	*l = malloc(sizeof **l);
	**l = (struct layout){ kind, rows, columns, ld };
	return OK;
}

int cublasLtMatmulPreferenceCreate(void **p)
{
	*p = calloc(1, 64);
	return OK;
}

int cublasLtMatmulPreferenceSetAttribute(void *p, int what, const void *value, size_t bytes)
{
	if (what == 3 && bytes == 4)
		memcpy(p, value, bytes); /* may it split? */
	return (what == 1 && bytes == 8) || ((what == 3 || (what >= 5 && what <= 8)) && bytes == 4) ? OK : INVALID;
}

struct choice {
	uint64_t algorithm[8];
	size_t workspace;
	int status;
	float waves;
	int reserved[4];
};

int cublasLtMatmulAlgoGetHeuristic(void *h, struct desc *d, struct layout *a, struct layout *b, struct layout *c,
				   struct layout *to, void *p, int wanted, struct choice *out, int *found)
{
	(void)h, (void)d, (void)a, (void)b, (void)c, (void)to, (void)wanted;
	*out = (struct choice){ .algorithm = { 42, *(uint32_t *)p != 0 }, .workspace = 4096 };
	*found = 1;
	return OK;
}

int cublasLtMatmul(void *h, struct desc *d, const void *alpha, const void *a, struct layout *la, const void *b,
		   struct layout *lb, const void *beta, const void *c, struct layout *lc, void *to,
		   struct layout *lto, const uint64_t *algorithm, void *work, size_t bytes, void *stream)
{
	const int inner = (int)(d->op[0] ? la->rows : la->columns);
	struct gemm g = { d->op[0],
			  d->op[1],
			  (int)lc->rows,
			  (int)lc->columns,
			  inner,
			  la->kind,
			  lb->kind,
			  lc->kind,
			  (int)la->ld,
			  (int)lb->ld,
			  (int)lc->ld,
			  a,
			  b,
			  d->epilogue == 4 ? d->bias : NULL,
			  to };

	(void)h;
	if (*algorithm != 42 || !work || bytes != 4096 || stream != state.stream || c != to || lto != lc ||
	    (d->op[0] ? la->columns : la->rows) != lc->rows ||
	    (d->op[1] ? lb->rows : lb->columns) != lc->columns ||
	    (int)(d->op[1] ? lb->columns : lb->rows) != inner)
		return INVALID;
	memset(work, 0xff, bytes);
	g.alpha = scalar(alpha, d->compute, la->kind);
	g.beta = scalar(beta, d->compute, la->kind);
	g.split = algorithm[1];
	return gemm(&g);
}

int cublasLtMatmulDescDestroy(void *d)
{
	free(d);
	return OK;
}

int cublasLtMatrixLayoutDestroy(void *l)
{
	free(l);
	return OK;
}

int cublasLtMatmulPreferenceDestroy(void *p)
{
	free(p);
	return OK;
}
