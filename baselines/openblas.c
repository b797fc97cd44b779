/* SPDX-License-Identifier: Apache-2.0
 *
 * openblas - the baseline `openblas`: OpenBLAS behind the functions of cuBLAS and PyTorch. It is
 * one kernel file like any other.
 *
 * The library is opened at the first call, so the build does not need it. On processors that it
 * does not know, its own choice of a core can be five times too slow. So this file chooses the core
 * from the processor's features, and sets it in the environment before the library is loaded. A
 * call returns NO_LIBRARY (2) if that fails.
 *
 * This text is carried inside assay as source for the forge. It is also compiled into assay for
 * openblas_describe. So the reported version and core come from the code that the executor runs.
 */
#include <assay/kernel.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NO_LIBRARY = 2 };

static const char library[] = "libopenblas.so.0";

/* Constants of cblas.h that are used here. */
enum { ROW_MAJOR = 101, COL_MAJOR = 102 };
enum { NO_TRANS = 111, TRANS = 112, CONJ_TRANS = 113 };
enum { UPPER = 121, LOWER = 122 };
enum { NON_UNIT = 131, UNIT = 132 };

static struct blas {
	void (*sgemm)(int order, int ta, int tb, int m, int n, int k, float alpha, const float *a, int lda,
		      const float *b, int ldb, float beta, float *c, int ldc);
	void (*dgemm)(int order, int ta, int tb, int m, int n, int k, double alpha, const double *a, int lda,
		      const double *b, int ldb, double beta, double *c, int ldc);
	void (*sgemv)(int order, int trans, int m, int n, float alpha, const float *a, int lda, const float *x,
		      int incx, float beta, float *y, int incy);
	void (*dgemv)(int order, int trans, int m, int n, double alpha, const double *a, int lda, const double *x,
		      int incx, double beta, double *y, int incy);
	void (*cgemv)(int order, int trans, int m, int n, const void *alpha, const void *a, int lda, const void *x,
		      int incx, const void *beta, void *y, int incy);
	void (*strsv)(int order, int uplo, int trans, int diag, int n, const float *a, int lda, float *x,
		      int incx);
	void (*set_num_threads)(int n);
	char *(*get_corename)(void);
	char *(*get_config)(void);
} blas; /* not locked: calls come one at a time */

static const struct {
	const char *name;
	size_t at;
} symbols[] = {
	{ "cblas_sgemm", offsetof(struct blas, sgemm) },
	{ "cblas_dgemm", offsetof(struct blas, dgemm) },
	{ "cblas_sgemv", offsetof(struct blas, sgemv) },
	{ "cblas_dgemv", offsetof(struct blas, dgemv) },
	{ "cblas_cgemv", offsetof(struct blas, cgemv) },
	{ "cblas_strsv", offsetof(struct blas, strsv) },
	{ "openblas_set_num_threads", offsetof(struct blas, set_num_threads) },
	{ "openblas_get_corename", offsetof(struct blas, get_corename) },
	{ "openblas_get_config", offsetof(struct blas, get_config) },
};

/* --- the library ------------------------------------------------------------------------------ */

/* Returns the best core, or NULL for the library's own choice. Its cores for newer processors add
 * only bf16, which is not used here. */
static const char *best_core(void)
{
#if defined __x86_64__
	__builtin_cpu_init();
	if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
	    __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq"))
		return "SKYLAKEX";
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
		return "HASWELL";
	if (__builtin_cpu_supports("avx"))
		return "SANDYBRIDGE";
#endif
	return NULL;
}

/* Loads the library. Returns NULL, or what is wrong. The library starts that many threads now; idle
 * threads spin for their first 20 ms. */
static const char *load(const char *name, int threads)
{
	static char wrong[64];
	char count[16];
	void *lib;

	if (*wrong || blas.get_config)
		return *wrong ? wrong : NULL;
	snprintf(count, sizeof count, "%d", threads);
	setenv("OPENBLAS_NUM_THREADS", count, 1);
	if (best_core())
		setenv("OPENBLAS_CORETYPE", best_core(), 1);
	lib = dlopen(name, RTLD_NOW | RTLD_LOCAL);
	if (!lib) {
		snprintf(wrong, sizeof wrong, "is not installed");
		return wrong;
	}
	for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
		void *f = dlsym(lib, symbols[i].name);

		if (!f) {
			snprintf(wrong, sizeof wrong, "has no %s", symbols[i].name);
			return wrong;
		}
		memcpy((char *)&blas + symbols[i].at, &f, sizeof f);
	}
	return NULL;
}

/* Returns false if there is no library. */
static bool ready(const ay_ctx *ctx)
{
	static int threads;

	if (load(library, ctx->threads))
		return false;
	if (threads != ctx->threads)
		blas.set_num_threads(threads = ctx->threads);
	return true;
}

/* Stores "0.3.21 SkylakeX" and returns 0, or stores an error such as "is not installed" and returns
 * -1. name NULL: the library that the functions below load. For a process that ends soon: it loads
 * the library and changes the environment. */
int openblas_describe(const char *name, char *text, size_t n);
int openblas_describe(const char *name, char *text, size_t n)
{
	const char *wrong = load(name ? name : library, 1);
	char version[32];

	if (wrong) {
		snprintf(text, n, "%s", wrong);
		return -1;
	}
	if (sscanf(blas.get_config(), "OpenBLAS %31s", version) != 1)
		snprintf(version, sizeof version, "unknown");
	snprintf(text, n, "%s %s", version, blas.get_corename());
	return 0;
}

/* Returns true if x fits in int, which BLAS uses. */
static bool fits(int64_t x)
{
	return x >= INT_MIN && x <= INT_MAX;
}

static int trans_of(const char *t)
{
	return t[0] == 'N' ? NO_TRANS : t[0] == 'T' ? TRANS : CONJ_TRANS;
}

/* --- cuBLAS ----------------------------------------------------------------------------------- */

int cublas_cublasSgemm_v2(const char *transa, const char *transb, int64_t m, int64_t n, int64_t k, double alpha,
			  const ay_tensor *A, int64_t lda, const ay_tensor *B, int64_t ldb, double beta,
			  ay_tensor *C, int64_t ldc, const ay_ctx *ctx)
{
	if (!fits(m) || !fits(n) || !fits(k) || !fits(lda) || !fits(ldb) || !fits(ldc))
		return AY_UNSUPPORTED;
	if (!ready(ctx))
		return NO_LIBRARY;
	blas.sgemm(COL_MAJOR, trans_of(transa), trans_of(transb), (int)m, (int)n, (int)k, (float)alpha, A->data,
		   (int)lda, B->data, (int)ldb, (float)beta, C->data, (int)ldc);
	return AY_OK;
}

int cublas_cublasDgemmBatched(const char *transa, const char *transb, int64_t m, int64_t n, int64_t k,
			      double alpha, const ay_tensor *const *Aarray, int64_t n_Aarray, int64_t lda,
			      const ay_tensor *const *Barray, int64_t n_Barray, int64_t ldb, double beta,
			      ay_tensor *const *Carray, int64_t n_Carray, int64_t ldc, int64_t batchCount,
			      const ay_ctx *ctx)
{
	(void)n_Aarray, (void)n_Barray, (void)n_Carray;
	if (!fits(m) || !fits(n) || !fits(k) || !fits(lda) || !fits(ldb) || !fits(ldc))
		return AY_UNSUPPORTED;
	if (!ready(ctx))
		return NO_LIBRARY;
	for (int64_t i = 0; i < batchCount; i++)
		blas.dgemm(COL_MAJOR, trans_of(transa), trans_of(transb), (int)m, (int)n, (int)k, alpha,
			   Aarray[i]->data, (int)lda, Barray[i]->data, (int)ldb, beta, Carray[i]->data, (int)ldc);
	return AY_OK;
}

static void complex_of(ay_scalar s, float z[2])
{
	z[0] = s.kind == AY_SCALAR_BOOL  ? s.v.b
	       : s.kind == AY_SCALAR_INT ? (float)s.v.i
					 : (float)(s.kind == AY_SCALAR_FLOAT ? s.v.f : s.v.c[0]);
	z[1] = s.kind == AY_SCALAR_COMPLEX ? (float)s.v.c[1] : 0;
}

/* If there is nothing to add, BLAS leaves y unchanged instead of scaling it; this function scales
 * it. */
int cublas_cublasCgemv_v2(const char *trans, int64_t m, int64_t n, ay_scalar alpha, const ay_tensor *A,
			  int64_t lda, const ay_tensor *x, int64_t incx, ay_scalar beta, ay_tensor *y,
			  int64_t incy, const ay_ctx *ctx)
{
	float al[2], be[2];

	if (!m || !n || !fits(m) || !fits(n) || !fits(lda) || !fits(incx) || !fits(incy))
		return AY_UNSUPPORTED;
	if (!ready(ctx))
		return NO_LIBRARY;
	complex_of(alpha, al);
	complex_of(beta, be);
	blas.cgemv(COL_MAJOR, trans_of(trans), (int)m, (int)n, al, A->data, (int)lda, x->data, (int)incx, be,
		   y->data, (int)incy);
	return AY_OK;
}

/* The numbers have cuBLAS's values, as the operator defines them. */
int cublas_cublasStrsv_v2(int64_t uplo, int64_t trans, int64_t diag, int64_t n, const ay_tensor *A, int64_t lda,
			  ay_tensor *x, int64_t incx, const ay_ctx *ctx)
{
	static const int ops[] = { NO_TRANS, TRANS, CONJ_TRANS };

	if (trans < 0 || trans > 2 || !fits(n) || !fits(lda) || !fits(incx))
		return AY_UNSUPPORTED;
	if (!ready(ctx))
		return NO_LIBRARY;
	blas.strsv(COL_MAJOR, uplo ? UPPER : LOWER, ops[trans], diag ? UNIT : NON_UNIT, (int)n, A->data, (int)lda,
		   x->data, (int)incx);
	return AY_OK;
}

/* --- matmul ----------------------------------------------------------------------------------- */

/* A matrix with strides, and its transposition and leading dimension in row-major BLAS terms. */
struct blas_matrix {
	char *data;
	int64_t rows, cols, row, col;
	int trans, ld;
};

static struct blas_matrix turned(struct blas_matrix x)
{
	return (struct blas_matrix){ x.data, x.cols, x.rows, x.col, x.row, 0, 0 };
}

/* Returns true if each row is dense, and stores their distance in *ld. A dimension of size 1 may
 * have any stride. */
static bool is_rows(int64_t rows, int64_t cols, int64_t step, int64_t within, int *ld)
{
	const int64_t least = cols > 1 ? cols : 1, apart = rows > 1 ? step : least;

	*ld = (int)apart;
	return (cols <= 1 || within == 1) && apart >= least && fits(apart);
}

static bool express(struct blas_matrix *x)
{
	x->trans = NO_TRANS;
	if (is_rows(x->rows, x->cols, x->row, x->col, &x->ld))
		return true;
	x->trans = TRANS;
	return is_rows(x->cols, x->rows, x->col, x->row, &x->ld);
}

/* The factors: alpha for the product, beta for the previous content of the result. */
struct blas_scale {
	double alpha, beta;
	bool f64; /* dtype f64; else f32 */
};

static void gemm(struct blas_matrix a, struct blas_matrix b, struct blas_matrix c, const struct blas_scale *s)
{
	const int m = (int)c.rows, n = (int)c.cols, k = (int)a.cols;

	if (s->f64)
		blas.dgemm(ROW_MAJOR, a.trans, b.trans, m, n, k, s->alpha, (double *)a.data, a.ld,
			   (double *)b.data, b.ld, s->beta, (double *)c.data, c.ld);
	else
		blas.sgemm(ROW_MAJOR, a.trans, b.trans, m, n, k, (float)s->alpha, (float *)a.data, a.ld,
			   (float *)b.data, b.ld, (float)s->beta, (float *)c.data, c.ld);
}

/* Computes a matrix times a column x; y is a column. */
static void gemv(struct blas_matrix a, struct blas_matrix x, struct blas_matrix y, const struct blas_scale *s)
{
	const bool flip = a.trans == TRANS;
	const int rows = (int)(flip ? a.cols : a.rows), cols = (int)(flip ? a.rows : a.cols);
	const int incx = x.rows > 1 ? (int)x.row : 1, incy = y.rows > 1 ? (int)y.row : 1;

	if (s->f64)
		blas.dgemv(ROW_MAJOR, a.trans, rows, cols, s->alpha, (double *)a.data, a.ld, (double *)x.data,
			   incx, s->beta, (double *)y.data, incy);
	else
		blas.sgemv(ROW_MAJOR, a.trans, rows, cols, (float)s->alpha, (float *)a.data, a.ld, (float *)x.data,
			   incx, (float)s->beta, (float *)y.data, incy);
}

static bool is_vector(const struct blas_matrix *x)
{
	return x->rows <= 1 || (x->row > 0 && fits(x->row));
}

/* Computes c = alpha a b + beta c. A product with one column is a gemv. A product with one row, or
 * with a result stored by columns, is computed as the product of the transposes. */
static int multiply(struct blas_matrix a, struct blas_matrix b, struct blas_matrix c, const struct blas_scale *s)
{
	const struct blas_matrix at = turned(a), bt = turned(b), ct = turned(c);

	if (!fits(a.rows) || !fits(a.cols) || !fits(b.cols))
		return AY_UNSUPPORTED;
	if (c.cols == 1 && a.cols && express(&a) && is_vector(&b) && is_vector(&c)) {
		gemv(a, b, c, s);
		return AY_OK;
	}
	if (c.rows == 1 && c.cols > 1 && a.cols)
		return multiply(bt, at, ct, s);
	if (!express(&c))
		return AY_UNSUPPORTED;
	if (c.trans == TRANS)
		return multiply(bt, at, ct, s);
	if (!express(&a) || !express(&b))
		return AY_UNSUPPORTED;
	gemm(a, b, c, s);
	return AY_OK;
}

/* Returns the last dimensions of t as a matrix; a vector is a row (of self) or a column. */
static struct blas_matrix matrix_of(const ay_tensor *t, bool vector, bool as_row)
{
	const int64_t *shape = t->shape + t->ndim, *strides = t->strides + t->ndim;

	if (!vector)
		return (struct blas_matrix){ t->data, shape[-2], shape[-1], strides[-2], strides[-1], 0, 0 };
	if (as_row)
		return (struct blas_matrix){ t->data, 1, shape[-1], 0, strides[-1], 0, 0 };
	return (struct blas_matrix){ t->data, shape[-1], 1, strides[-1], 0, 0, 0 };
}

/* Returns the offset in t, in elements, of the matrix for matrix `stack` of out. The last `tail`
 * dimensions of t belong to the matrix. */
static int64_t stack_at(const ay_tensor *t, int32_t tail, const ay_tensor *out, int32_t out_tail, int64_t stack)
{
	int64_t at = 0;
	int32_t d = t->ndim - tail - 1;

	for (int32_t o = out->ndim - out_tail - 1; o >= 0; o--, d--) {
		if (d >= 0 && t->shape[d] > 1)
			at += stack % out->shape[o] * t->strides[d];
		stack /= out->shape[o];
	}
	return at;
}

/* Returns the result as a matrix; a dimension that a vector lacks is 1. */
static struct blas_matrix result_of(const ay_tensor *out, bool row, bool column, int64_t m, int64_t n)
{
	const int64_t *strides = out->strides + out->ndim;
	struct blas_matrix c = { out->data, m, n, 0, 0, 0, 0 };

	if (!column)
		c.col = strides[-1];
	if (!row)
		c.row = column ? strides[-1] : strides[-2];
	return c;
}

static double real_of(ay_scalar s)
{
	return s.kind == AY_SCALAR_BOOL    ? s.v.b
	       : s.kind == AY_SCALAR_INT   ? (double)s.v.i
	       : s.kind == AY_SCALAR_FLOAT ? s.v.f
					   : s.v.c[0];
}

static void copy_row(char *to, int64_t to_step, const char *from, int64_t from_step, int64_t n, int64_t size)
{
	if (to_step == 1 && from_step == 1) {
		memcpy(to, from, (size_t)(n * size));
		return;
	}
	for (int64_t i = 0; i < n; i++)
		memcpy(to + i * to_step * size, from + i * from_step * size, (size_t)size);
}

/* Copies t, broadcast, into out. */
static void spread(const ay_tensor *t, ay_tensor *out, int64_t size)
{
	const int32_t tail = t->ndim > 0, last = out->ndim - 1;
	const int64_t n = out->ndim ? out->shape[last] : 1, rows = n ? ay_numel(out) / n : 0;
	const int64_t from = tail && t->shape[t->ndim - 1] > 1 ? t->strides[t->ndim - 1] : 0;
	const int64_t to = out->ndim ? out->strides[last] : 1;

	for (int64_t r = 0; r < rows; r++)
		copy_row((char *)out->data + size * stack_at(out, 1, out, 1, r), to,
			 (const char *)t->data + size * stack_at(t, tail, out, 1, r), from, n, size);
}

/* Operands of out = alpha self other + beta add. */
struct sum {
	const ay_tensor *add; /* NULL: nothing to add */
	double alpha, beta;
	bool turned; /* other is stored as its transpose */
};

static const struct sum product_alone = { .alpha = 1 };

static bool is_of(const ay_tensor *t, const ay_tensor *out)
{
	return !t || ay_dt(t) == ay_dt(out);
}

static int product(const ay_tensor *self, const ay_tensor *other, const struct sum *with, ay_tensor *out,
		   const ay_ctx *ctx)
{
	const bool row = self->ndim == 1, column = other->ndim == 1, f64 = ay_dt(out) == AY_F64;
	const int32_t ta = row ? 1 : 2, tb = column ? 1 : 2, tc = ta + tb - 2;
	const struct blas_scale scale = { with->alpha, with->add ? with->beta : 0, f64 };
	struct blas_matrix a = matrix_of(self, row, true), b = matrix_of(other, column, false), c;
	const int64_t size = f64 ? sizeof(double) : sizeof(float);
	int64_t stacks;
	int rc = AY_OK;

	if ((ay_dt(out) != AY_F32 && !f64) || !is_of(self, out) || !is_of(other, out) || !is_of(with->add, out))
		return AY_UNSUPPORTED;
	if (!ready(ctx))
		return NO_LIBRARY;
	if (with->turned && !column)
		b = turned(b);
	c = result_of(out, row, column, a.rows, b.cols);
	stacks = c.rows && c.cols ? ay_numel(out) / (c.rows * c.cols) : 0;
	if (scale.beta != 0)
		spread(with->add, out, size);
	/* handled as one tall matrix */
	if (stacks > 1 && other->ndim <= 2 && ay_is_dense(self) && ay_is_dense(out)) {
		a.rows = c.rows *= stacks;
		a.row = a.cols;
		c.row = c.cols;
		stacks = 1;
	}
	for (int64_t s = 0; s < stacks && rc == AY_OK; s++) {
		struct blas_matrix as = a, bs = b, cs = c;

		as.data += size * stack_at(self, ta, out, tc, s);
		bs.data += size * stack_at(other, tb, out, tc, s);
		cs.data += size * stack_at(out, tc, out, tc, s);
		rc = multiply(as, bs, cs, &scale);
	}
	return rc;
}

int aten_matmul(const ay_tensor *self, const ay_tensor *other, ay_tensor *out, const ay_ctx *ctx)
{
	return product(self, other, &product_alone, out, ctx);
}

int aten_mm(const ay_tensor *self, const ay_tensor *mat2, ay_tensor *out, const ay_ctx *ctx)
{
	return product(self, mat2, &product_alone, out, ctx);
}

int aten_bmm(const ay_tensor *self, const ay_tensor *mat2, ay_tensor *out, const ay_ctx *ctx)
{
	return product(self, mat2, &product_alone, out, ctx);
}

int aten_mv(const ay_tensor *self, const ay_tensor *vec, ay_tensor *out, const ay_ctx *ctx)
{
	return product(self, vec, &product_alone, out, ctx);
}

int aten_dot(const ay_tensor *self, const ay_tensor *tensor, ay_tensor *out, const ay_ctx *ctx)
{
	return product(self, tensor, &product_alone, out, ctx);
}

int aten_linear(const ay_tensor *input, const ay_tensor *weight, const ay_tensor *bias, ay_tensor *out,
		const ay_ctx *ctx)
{
	return product(input, weight, &(struct sum){ bias, 1, 1, true }, out, ctx);
}

int aten_addmm(const ay_tensor *self, const ay_tensor *mat1, const ay_tensor *mat2, ay_scalar beta,
	       ay_scalar alpha, ay_tensor *out, const ay_ctx *ctx)
{
	return product(mat1, mat2, &(struct sum){ self, real_of(alpha), real_of(beta), false }, out, ctx);
}

int aten_addmv(const ay_tensor *self, const ay_tensor *mat, const ay_tensor *vec, ay_scalar beta, ay_scalar alpha,
	       ay_tensor *out, const ay_ctx *ctx)
{
	return product(mat, vec, &(struct sum){ self, real_of(alpha), real_of(beta), false }, out, ctx);
}

int aten_baddbmm(const ay_tensor *self, const ay_tensor *batch1, const ay_tensor *batch2, ay_scalar beta,
		 ay_scalar alpha, ay_tensor *out, const ay_ctx *ctx)
{
	return product(batch1, batch2, &(struct sum){ self, real_of(alpha), real_of(beta), false }, out, ctx);
}
