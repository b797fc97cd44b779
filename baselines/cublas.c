/* SPDX-License-Identifier: Apache-2.0
 *
 * cublas - the baseline `cublas`: NVIDIA's library behind the functions of cuBLAS and PyTorch, for
 * GPUs. It is one kernel file like any other.
 *
 * src/timing/baseline.c puts two things before this text: CUBLAS, the path at which the judge found
 * the library, and cublas.h. The library is opened and its handle made when this object is loaded,
 * before the first clock is read. Calls only launch. Matrices are row-major by their strides. Calls
 * that cuBLAS, which is column-major, cannot express return AY_UNSUPPORTED. A call returns
 * NO_LIBRARY if library or device did not open, and FAILED plus cuBLAS's status if cuBLAS refuses.
 *
 * f32 keeps its 24 bits (no TF32). Half types are summed in f32, also between the parts of a split
 * sum.
 */
#ifndef CUBLAS
#include "cublas.h"
#endif

#ifndef DESCRIBED

/* --- cuBLAS ----------------------------------------------------------------------------------- */

int cublas_cublasSgemm_v2(const char *transa, const char *transb, int64_t m, int64_t n, int64_t k, double alpha,
			  const ay_tensor *A, int64_t lda, const ay_tensor *B, int64_t ldb, double beta,
			  ay_tensor *C, int64_t ldc, const ay_ctx *ctx)
{
	const float al = (float)alpha, be = (float)beta;

	if (!fits(m) || !fits(n) || !fits(k) || !fits(lda) || !fits(ldb) || !fits(ldc))
		return AY_UNSUPPORTED;
	if (!ready(ctx))
		return NO_LIBRARY;
	return result_of_status(cublas.sgemm(blas, op_of(transa), op_of(transb), (int)m, (int)n, (int)k, &al,
					     A->data, (int)lda, B->data, (int)ldb, &be, C->data, (int)ldc));
}

/* cuBLAS reads the matrices' addresses from device memory, so the list is copied there, in the
 * stream's order. */
int cublas_cublasDgemmBatched(const char *transa, const char *transb, int64_t m, int64_t n, int64_t k,
			      double alpha, const ay_tensor *const *Aarray, int64_t n_Aarray, int64_t lda,
			      const ay_tensor *const *Barray, int64_t n_Barray, int64_t ldb, double beta,
			      ay_tensor *const *Carray, int64_t n_Carray, int64_t ldc, int64_t batchCount,
			      const ay_ctx *ctx)
{
	const int64_t count = batchCount;
	void *list[3 * 256], **there;
	int status;

	(void)n_Aarray, (void)n_Barray, (void)n_Carray;
	if (!fits(m) || !fits(n) || !fits(k) || !fits(lda) || !fits(ldb) || !fits(ldc) || count > 256)
		return AY_UNSUPPORTED;
	if (!ready(ctx))
		return NO_LIBRARY;
	if (!count)
		return AY_OK;
	there = ctx->scratch(ctx, sizeof *list * (size_t)(3 * count));
	if (!there)
		return FAILED;
	for (int64_t i = 0; i < count; i++) {
		list[i] = Aarray[i]->data;
		list[count + i] = Barray[i]->data;
		list[2 * count + i] = Carray[i]->data;
	}
	status = cublas.set_vector((int)(3 * count), sizeof *list, list, 1, there, 1, stream);
	if (!status)
		status = cublas.dgemm_batched(blas, op_of(transa), op_of(transb), (int)m, (int)n, (int)k, &alpha,
					      (const double *const *)there, (int)lda,
					      (const double *const *)(there + count), (int)ldb, &beta,
					      (double *const *)(there + 2 * count), (int)ldc, (int)count);
	return result_of_status(status);
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
	return result_of_status(cublas.cgemv(blas, op_of(trans), (int)m, (int)n, al, A->data, (int)lda, x->data,
					     (int)incx, be, y->data, (int)incy));
}

/* The numbers have cuBLAS's values, as the operator defines them. */
int cublas_cublasStrsv_v2(int64_t uplo, int64_t trans, int64_t diag, int64_t n, const ay_tensor *A, int64_t lda,
			  ay_tensor *x, int64_t incx, const ay_ctx *ctx)
{
	if (trans < 0 || trans > 2 || !fits(n) || !fits(lda) || !fits(incx))
		return AY_UNSUPPORTED;
	if (!ready(ctx))
		return NO_LIBRARY;
	return result_of_status(cublas.strsv(blas, uplo != 0, (int)trans, diag != 0, (int)n, A->data, (int)lda,
					     x->data, (int)incx));
}

/* --- products --------------------------------------------------------------------------------- */

static const struct product_kind {
	int32_t dt;
	int code, compute;
	int64_t bytes;
} kinds[] = {
	{ AY_F32, R_32F, COMPUTE_32F, 4 }, { AY_F64, R_64F, COMPUTE_64F, 8 },
	{ AY_F16, R_16F, COMPUTE_32F, 2 }, { AY_BF16, R_16BF, COMPUTE_32F, 2 },
	{ AY_C64, C_32F, COMPUTE_32F, 8 }, { AY_C128, C_64F, COMPUTE_64F, 16 },
};

static const struct product_kind *kind_of(const ay_tensor *t)
{
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (kinds[i].dt == ay_dt(t))
			return &kinds[i];
	return NULL;
}

/* A matrix with strides, and its op and leading dimension in cuBLAS's column-major terms. */
struct cublas_matrix {
	char *data;
	int64_t rows, cols, row, col;
	int64_t step; /* distance from one matrix of the stack to the next */
	bool conj;
	int op, ld;
};

static struct cublas_matrix turned(struct cublas_matrix x)
{
	struct cublas_matrix t = x;

	t.rows = x.cols;
	t.cols = x.rows;
	t.row = x.col;
	t.col = x.row;
	return t;
}

/* Returns true if each column is dense, and stores their distance in *ld. A dimension of size 1 may
 * have any stride. */
static bool is_columns(int64_t rows, int64_t cols, int64_t within, int64_t step, int *ld)
{
	const int64_t least = rows > 1 ? rows : 1, apart = cols > 1 ? step : least;

	*ld = (int)apart;
	return (rows <= 1 || within == 1) && apart >= least && fits(apart);
}

/* Finds op and leading dimension. Returns false if there are none; cuBLAS has no conjugate without
 * a transpose. */
static bool express(struct cublas_matrix *x)
{
	x->op = OP_N;
	if (!x->conj && is_columns(x->rows, x->cols, x->row, x->col, &x->ld))
		return true;
	x->op = x->conj ? OP_C : OP_T;
	return is_columns(x->cols, x->rows, x->col, x->row, &x->ld);
}

/* A product of stacks of matrices: c = sign * a b, `count` times. */
struct cublas_product {
	struct cublas_matrix a, b, c;
	int64_t count;
	const struct product_kind *in, *out;
	const ay_tensor *bias; /* one element for each column of c; NULL = none */
	float sign;
};

/* Returns an equal product: the transposes in reverse order. */
static struct cublas_product other_way(const struct cublas_product *p)
{
	struct cublas_product q = *p;

	q.a = turned(p->b);
	q.b = turned(p->a);
	q.c = turned(p->c);
	return q;
}

static int multiply(const struct cublas_product *p)
{
	const struct cublas_matrix *a = &p->a, *b = &p->b, *c = &p->c;
	const float f[2] = { p->sign, 0 }, f0[2] = { 0, 0 };
	const double d[2] = { p->sign, 0 }, d0[2] = { 0, 0 };
	const bool f64 = p->in->compute == COMPUTE_64F;
	const void *one = f64 ? (const void *)d : f, *zero = f64 ? (const void *)d0 : f0;
	const int m = (int)c->rows, n = (int)c->cols, k = (int)a->cols;

	if (p->count == 1)
		return result_of_status(cublas.gemm(blas, a->op, b->op, m, n, k, one, a->data, p->in->code, a->ld,
						    b->data, p->in->code, b->ld, zero, c->data, p->out->code,
						    c->ld, p->in->compute, ANY_ALGORITHM));
	return result_of_status(cublas.gemm_strided(blas, a->op, b->op, m, n, k, one, a->data, p->in->code, a->ld,
						    a->step, b->data, p->in->code, b->ld, b->step, zero, c->data,
						    p->out->code, c->ld, c->step, (int)p->count, p->in->compute,
						    ANY_ALGORITHM));
}

static int multiply_with_bias(const struct cublas_product *p, const ay_ctx *ctx);

static bool fit(struct cublas_product *p)
{
	return is_columns(p->c.rows, p->c.cols, p->c.row, p->c.col, &p->c.ld) && express(&p->a) && express(&p->b);
}

/* Runs a product. A row-major result is the transpose of a column-major one. If both forms are
 * possible, the form with one column is faster. */
static int run(struct cublas_product p, const ay_ctx *ctx)
{
	if (!fits(p.c.rows) || !fits(p.c.cols) || !fits(p.a.cols) || !fits(p.count))
		return AY_UNSUPPORTED;
	if (!p.c.rows || !p.c.cols || !p.count)
		return AY_OK;
	if (p.bias || p.c.cols != 1)
		p = other_way(&p);
	if (p.bias)
		return fit(&p) ? multiply_with_bias(&p, ctx) : AY_UNSUPPORTED;
	if (!fit(&p)) {
		p = other_way(&p);
		if (!fit(&p))
			return AY_UNSUPPORTED;
	}
	return multiply(&p);
}

/* --- stacks ----------------------------------------------------------------------------------- */

enum { DIMS = 16 };

/* The leading dimensions of a result: their sizes, and the steps of the three matrices. */
struct stack {
	int n;
	int64_t size[DIMS], a[DIMS], b[DIMS], c[DIMS];
};

/* Returns the last dimensions of t as a matrix; a vector is a row (the left operand) or a
 * column. */
static struct cublas_matrix matrix_of(const ay_tensor *t, bool vector, bool as_row)
{
	const int64_t *shape = t->shape + t->ndim, *strides = t->strides + t->ndim;
	struct cublas_matrix m = { .data = t->data, .rows = 1, .cols = 1, .conj = t->flags & AY_CONJ };

	if (!vector || !as_row) {
		m.rows = shape[vector ? -1 : -2];
		m.row = strides[vector ? -1 : -2];
	}
	if (!vector || as_row) {
		m.cols = shape[-1];
		m.col = strides[-1];
	}
	return m;
}

/* Returns the stride of the dimension `from_end` places before the last `tail` ones, or 0 if its
 * size is 1. */
static int64_t step_of(const ay_tensor *t, int tail, int from_end)
{
	const int d = t->ndim - tail - 1 - from_end;

	return d >= 0 && t->shape[d] > 1 ? t->strides[d] : 0;
}

/* Makes a stack: leaves out dimensions of size 1, and joins dimensions where one continues the
 * other. */
static struct stack stack_of(const ay_tensor *a, int ta, const ay_tensor *b, int tb, const ay_tensor *c, int tc)
{
	struct stack s = { 0 };

	for (int i = c->ndim - tc - 1; i >= 0; i--) {
		const int64_t size = c->shape[c->ndim - tc - 1 - i];
		const int64_t sa = step_of(a, ta, i), sb = step_of(b, tb, i), sc = step_of(c, tc, i);
		const int k = s.n - 1;

		if (size == 1)
			continue;
		if (k >= 0 && s.a[k] == sa * size && s.b[k] == sb * size && s.c[k] == sc * size)
			s.size[k] *= size;
		else
			s.size[s.n++] = size;
		s.a[s.n - 1] = sa;
		s.b[s.n - 1] = sb;
		s.c[s.n - 1] = sc;
	}
	return s;
}

/* Joins a stack of a with a single b to one tall matrix, if its rows continue regularly. */
static void fold(struct cublas_product *p, struct stack *s)
{
	const int k = s->n - 1;

	if (k < 0 || s->b[k] || s->a[k] != p->a.rows * p->a.row || s->c[k] != p->c.rows * p->c.row)
		return;
	p->a.rows = p->c.rows *= s->size[k];
	s->n--;
}

/* Puts as much of a stack as possible into one call: its largest dimension becomes the last. */
static void sort_out(struct cublas_product *p, struct stack *s)
{
	int most = 0;

	for (int i = 1; i < s->n; i++)
		if (s->size[i] >= s->size[most])
			most = i;
	p->count = s->n ? s->size[most] : 1;
	if (!s->n)
		return;
	p->a.step = s->a[most];
	p->b.step = s->b[most];
	p->c.step = s->c[most];
	s->n--;
	for (int i = most; i < s->n; i++) {
		s->size[i] = s->size[i + 1];
		s->a[i] = s->a[i + 1];
		s->b[i] = s->b[i + 1];
		s->c[i] = s->c[i + 1];
	}
}

static int run_all(const struct cublas_product *p, const struct stack *s, const ay_ctx *ctx)
{
	int64_t calls = 1;
	int rc = AY_OK;

	for (int i = 0; i < s->n; i++)
		calls *= s->size[i];
	for (int64_t k = 0; k < calls && rc == AY_OK; k++) {
		struct cublas_product q = *p;
		int64_t left = k;

		for (int i = s->n - 1; i >= 0; i--) {
			const int64_t at = left % s->size[i];

			q.a.data += at * s->a[i] * p->in->bytes;
			q.b.data += at * s->b[i] * p->in->bytes;
			q.c.data += at * s->c[i] * p->out->bytes;
			left /= s->size[i];
		}
		rc = run(q, ctx);
	}
	return rc;
}

/* Multiplies. Leading dimensions of both operands are broadcast to those of out. */
static int matmul(const ay_tensor *self, const ay_tensor *other, const ay_tensor *bias, const ay_tensor *out,
		  const ay_ctx *ctx)
{
	const bool row = self->ndim == 1, column = other->ndim == 1;
	const int ta = row ? 1 : 2, tb = column ? 1 : 2, tc = ta + tb - 2;
	struct cublas_product p = { .in = kind_of(self), .out = kind_of(out), .bias = bias };
	struct stack s;

	if (!p.in || !p.out || ay_dt(self) != ay_dt(other) || out->ndim > DIMS || out->flags ||
	    (bias && (ay_dt(bias) != ay_dt(out) || bias->flags)))
		return AY_UNSUPPORTED;
	if (!ready(ctx))
		return NO_LIBRARY;
	p.sign = (self->flags ^ other->flags) & AY_NEG ? -1 : 1;
	p.a = matrix_of(self, row, true);
	p.b = matrix_of(other, column, false);
	p.c = (struct cublas_matrix){ .data = out->data, .rows = p.a.rows, .cols = p.b.cols };
	if (!column)
		p.c.col = out->strides[out->ndim - 1];
	if (!row)
		p.c.row = out->strides[out->ndim - tc];
	s = stack_of(self, ta, other, tb, out, tc);
	fold(&p, &s);
	sort_out(&p, &s);
	return run_all(&p, &s, ctx);
}

int aten_matmul(const ay_tensor *self, const ay_tensor *other, ay_tensor *out, const ay_ctx *ctx)
{
	return matmul(self, other, NULL, out, ctx);
}

int aten_mm(const ay_tensor *self, const ay_tensor *mat2, ay_tensor *out, const ay_ctx *ctx)
{
	return matmul(self, mat2, NULL, out, ctx);
}

int aten_mm_dtype(const ay_tensor *self, const ay_tensor *mat2, int32_t out_dtype, ay_tensor *out,
		  const ay_ctx *ctx)
{
	(void)out_dtype; /* out has this dtype */
	return matmul(self, mat2, NULL, out, ctx);
}

int aten_bmm(const ay_tensor *self, const ay_tensor *mat2, ay_tensor *out, const ay_ctx *ctx)
{
	return matmul(self, mat2, NULL, out, ctx);
}

int aten_bmm_dtype(const ay_tensor *self, const ay_tensor *mat2, int32_t out_dtype, ay_tensor *out,
		   const ay_ctx *ctx)
{
	(void)out_dtype;
	return matmul(self, mat2, NULL, out, ctx);
}

/* The weight is stored as its transpose. */
int aten_linear(const ay_tensor *input, const ay_tensor *weight, const ay_tensor *bias, ay_tensor *out,
		const ay_ctx *ctx)
{
	int64_t shape[2], strides[2];
	ay_tensor t = *weight;

	if (weight->ndim == 2) {
		for (int i = 0; i < 2; i++) {
			shape[i] = weight->shape[1 - i];
			strides[i] = weight->strides[1 - i];
		}
		t.shape = shape;
		t.strides = strides;
	}
	return matmul(input, &t, bias, out, ctx);
}

/* --- with a bias: cublasLt, as cuBLAS itself has none ----------------------------------------- */

/* Constants of cublasLt.h. */
enum { DESC_TRANS_A = 3, DESC_TRANS_B = 4, DESC_EPILOGUE = 7, DESC_BIAS = 8, EPILOGUE_BIAS = 4 };
enum {
	PREFER_WORKSPACE = 1,
	PREFER_REDUCTION = 3,
	PREFER_ALIGNMENT = 5 /* for a; the next three for b, c and d */
};
enum { NO_SPLIT = 0, REDUCE_IN_PLACE = 1, REDUCE_IN_COMPUTE = 2 };
enum { WORKSPACE = 32 << 20, ALIGNMENTS = 3 };

/* The choice for the last product, kept because choosing takes longer than most calls. */
static struct {
	int key[12]; /* from key_of */
	lt_desc desc;
	lt_layout layout[3];
	struct lt_choice choice;
} lt;

/* Returns the alignment of an address, at most 256. */
static uint32_t alignment_of(const void *p)
{
	const uintptr_t low = (uintptr_t)p & -(uintptr_t)p;

	return low && low < 256 ? (uint32_t)low : 256;
}

/* Makes the key: all values on which the choice depends. */
static void key_of(const struct cublas_product *p, int key[12])
{
	const int k[12] = { (int)p->c.rows,
			    (int)p->c.cols,
			    (int)p->a.cols,
			    p->a.op,
			    p->b.op,
			    p->a.ld,
			    p->b.ld,
			    p->c.ld,
			    p->in->code,
			    (int)alignment_of(p->a.data),
			    (int)alignment_of(p->b.data),
			    (int)alignment_of(p->c.data) };

	memcpy(key, k, sizeof k);
}

static bool is_in_hand(const struct cublas_product *p)
{
	int key[12];

	key_of(p, key);
	return lt.desc && !memcmp(key, lt.key, sizeof key);
}

static void lt_forget(void)
{
	if (lt.desc)
		cublas.lt_drop_desc(lt.desc);
	for (int i = 0; i < 3; i++)
		if (lt.layout[i])
			cublas.lt_drop_layout(lt.layout[i]);
	memset(&lt, 0, sizeof lt);
}

/* Makes the descriptors. Layouts describe the stored matrices; op is given separately. */
static int lt_describe(const struct cublas_product *p)
{
	const struct cublas_matrix *const m[] = { &p->a, &p->b, &p->c };
	const int epilogue = EPILOGUE_BIAS;
	int e = cublas.lt_new_desc(&lt.desc, p->in->compute, p->in->compute == COMPUTE_64F ? R_64F : R_32F);

	for (int i = 0; i < 3 && !e; i++) {
		const bool flip = i < 2 && m[i]->op != OP_N;

		e = cublas.lt_new_layout(&lt.layout[i], p->in->code, (uint64_t)(flip ? m[i]->cols : m[i]->rows),
					 (uint64_t)(flip ? m[i]->rows : m[i]->cols), m[i]->ld);
	}
	if (!e)
		e = cublas.lt_set(lt.desc, DESC_TRANS_A, &p->a.op, sizeof p->a.op);
	if (!e)
		e = cublas.lt_set(lt.desc, DESC_TRANS_B, &p->b.op, sizeof p->b.op);
	return e ? e : cublas.lt_set(lt.desc, DESC_EPILOGUE, &epilogue, sizeof epilogue);
}

static int lt_choose(const struct cublas_product *p)
{
	const void *at[ALIGNMENTS + 1] = { p->a.data, p->b.data, p->c.data, p->c.data };
	/* cublasLt adds a half-type bias to a split sum after rounding: pytorch #180875 */
	const uint32_t reduction = p->in->bytes == 2 ? NO_SPLIT : REDUCE_IN_PLACE | REDUCE_IN_COMPUTE;
	const size_t workspace = WORKSPACE;
	lt_preference wish = NULL;
	int e = cublas.lt_new_preference(&wish), found = 0;

	if (!e)
		e = cublas.lt_prefer(wish, PREFER_WORKSPACE, &workspace, sizeof workspace);
	if (!e)
		e = cublas.lt_prefer(wish, PREFER_REDUCTION, &reduction, sizeof reduction);
	for (int i = 0; i <= ALIGNMENTS && !e; i++) {
		const uint32_t bytes = alignment_of(at[i]);

		e = cublas.lt_prefer(wish, PREFER_ALIGNMENT + i, &bytes, sizeof bytes);
	}
	if (!e)
		e = cublas.lt_choose(blas, lt.desc, lt.layout[0], lt.layout[1], lt.layout[2], lt.layout[2], wish,
				     1, &lt.choice, &found);
	if (wish)
		cublas.lt_drop_preference(wish);
	return e ? e : found ? 0 : NOT_SUPPORTED;
}

/* Makes the descriptors and the choice for this product, or keeps the present ones if they fit. */
static int lt_prepare(const struct cublas_product *p)
{
	const void *bias = p->bias->data;
	const bool new = !is_in_hand(p);
	int e = 0;

	if (new) {
		lt_forget();
		key_of(p, lt.key);
		e = lt_describe(p);
	}
	if (!e)
		e = cublas.lt_set(lt.desc, DESC_BIAS, &bias, sizeof bias);
	if (!e && new)
		e = lt_choose(p);
	if (e)
		lt_forget();
	return e;
}

static int multiply_with_bias(const struct cublas_product *p, const ay_ctx *ctx)
{
	const double d[2] = { p->sign, 0 };
	const float f[2] = { p->sign, 0 };
	const bool f64 = p->in->compute == COMPUTE_64F;
	const void *one = f64 ? (const void *)d : f, *zero = f64 ? (const void *)(d + 1) : f + 1;
	void *work = NULL;
	int e;

	if (p->count != 1 || !p->a.cols || p->in != p->out || p->in->code == C_32F || p->in->code == C_64F ||
	    p->bias->ndim != 1 || (p->bias->shape[0] > 1 && p->bias->strides[0] != 1))
		return AY_UNSUPPORTED;
	e = lt_prepare(p);
	if (e)
		return result_of_status(e);
	if (lt.choice.workspace && !(work = ctx->scratch(ctx, lt.choice.workspace)))
		return FAILED;
	return result_of_status(cublas.lt_matmul(blas, lt.desc, one, p->a.data, lt.layout[0], p->b.data,
						 lt.layout[1], zero, p->c.data, lt.layout[2], p->c.data,
						 lt.layout[2], lt.choice.algorithm, work, lt.choice.workspace,
						 ctx->stream));
}

#endif
