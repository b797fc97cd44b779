/* SPDX-License-Identifier: Apache-2.0
 *
 * matmul: out = self @ other: dot product of two vectors, matrix times vector, vector times matrix, matrix times
 * matrix, and stacks of matrices whose leading dimensions are broadcast. mm: two matrices. bmm: two stacks of as
 * many matrices. linear: out = input @ weight^T + bias, the bias one more term of every sum.
 *
 * Error: every element is a sum of K products, mag = growth(K) * R (docs/error-bound.md). Products of zero-mean
 * numbers show TF32 inputs and half accumulators up to K = 8192; exact ones show wrong indices at any size;
 * nonfinite ones (NaN, infinities, zeros, subnormals, but nothing that overflows, which would depend on the order)
 * show what skips or masks. Integers are exact.
 *
 * What the original tests missed. matmul and linear: their 5,184 runs each call baddbmm, 36 cases in a square of
 * themselves: none is taken over but the three sizes (M, N, K) and three dtypes; all other rows here are ours. mm
 * and bmm: at HEAD nothing runs (NameError). As intended they compare dense matrices (mm: the second also
 * column-major) with an absolute tolerance of 1e-4 * K, 0.1 for 1,024 terms: TF32 and half accumulators pass.
 *
 * Cases: matmul and linear: original 5,184 each, none sound; here 30 and 21 full, ours. mm: original 18, bmm: 9,
 * all sound as intended and distinct; here 18 and 9 full.
 *
 * ATen takes a vector times a matrix for a matrix of one row: matmul.out and linear.out give `out` that shape, and
 * with it dense strides, and write there. Where `out` was strided, the answer does not lie where the caller looks for it.
 * mm and bmm have out_dtype on CUDA only. linear refuses a bias beside a weight of one dimension where input has
 * two, and takes it otherwise; where it does not see input as one matrix it adds the bias to a product that was
 * rounded to the half type already.
 */
#include "op/op.h"

#include <string.h>

/* Every row of the result is a row of `left` times the matrix `right` of its stack. left is [stack, rows, K],
 * right is [stack, columns, K], where "columns" is the last dimension of the result. */
struct sides {
	struct ay_view left, right;
	int64_t rows, columns, k;
};

/* The two factors, whatever the operator calls them. */
static const struct ay_view *left_of(const struct ay_call *c)
{
	return ay_t(c, ay_has_arg(c, "input") ? "input" : "self");
}

static const struct ay_view *right_of(const struct ay_call *c)
{
	return ay_t(c, ay_has_arg(c, "other") ? "other" : ay_has_arg(c, "mat2") ? "mat2" : "weight");
}

static struct ay_view as_matrix(const struct ay_view *v, bool column)
{
	struct ay_view w = *v;

	if (v->ndim == 1) {
		int at = column ? 0 : 1;

		w.ndim = 2;
		w.shape[at] = v->shape[0];
		w.stride[at] = v->stride[0];
		w.shape[!at] = 1;
		w.stride[!at] = 0;
	}
	return w;
}

static void transpose(struct ay_view *v)
{
	int a = v->ndim - 2, b = v->ndim - 1;
	int64_t shape = v->shape[a], stride = v->stride[a];

	v->shape[a] = v->shape[b];
	v->stride[a] = v->stride[b];
	v->shape[b] = shape;
	v->stride[b] = stride;
}

/* Broadcasts the stack of v, [.., rows, K], to the common one. */
static int broadcast_stack(struct ay_view *v, int ndim, const int64_t *stack, struct ay_err *err)
{
	int64_t shape[AY_MAX_DIM];
	struct ay_view w = *v;

	memcpy(shape, stack, sizeof *shape * (size_t)ndim);
	shape[ndim] = v->shape[v->ndim - 2];
	shape[ndim + 1] = v->shape[v->ndim - 1];
	return ay_view_expand(&w, ndim + 2, shape, v, err);
}

static int sides_of(const struct ay_call *c, struct sides *s, struct ay_meta *m, struct ay_err *err)
{
	const struct ay_view *a = left_of(c), *b = right_of(c);
	int64_t stack[AY_MAX_DIM];
	int n;

	if (a->ndim < 1 || b->ndim < 1)
		return ay_fail(err, AY_ERR_BIND, "%s takes tensors with at least one dimension", c->s->base);
	if (a->ndim > AY_MAX_DIM - 2 || b->ndim > AY_MAX_DIM - 2)
		return ay_fail(err, AY_ERR_BIND, "%s: too many dimensions", c->s->base);
	s->left = as_matrix(a, false);
	s->right = as_matrix(b, true);
	if (b->ndim == 1 || !ay_has_arg(c, "weight")) /* a weight is [columns, K] as it is */
		transpose(&s->right);
	s->k = a->shape[a->ndim - 1];
	if (s->k != s->right.shape[s->right.ndim - 1])
		return ay_fail(err, AY_ERR_BIND, "%s: one factor has rows of %lld, the other one columns of %lld",
			       c->s->base, (long long)s->k, (long long)s->right.shape[s->right.ndim - 1]);
	if (ay_broadcast_shapes(s->left.ndim - 2, s->left.shape, s->right.ndim - 2, s->right.shape, &n, stack,
				err) ||
	    broadcast_stack(&s->left, n, stack, err) || broadcast_stack(&s->right, n, stack, err))
		return -1;
	if (b->ndim == 1) { /* one column: the result's last dimension runs over self's rows */
		struct ay_view t = s->left;

		s->left = s->right;
		s->right = t;
	}
	s->rows = s->left.shape[n];
	s->columns = s->right.shape[n];
	m->ndim = n;
	memcpy(m->shape, stack, sizeof *stack * (size_t)n);
	if (a->ndim > 1)
		m->shape[m->ndim++] = b->ndim > 1 ? s->rows : s->columns;
	if (b->ndim > 1)
		m->shape[m->ndim++] = s->columns;
	m->dt = ay_has_arg(c, "out_dtype") ? ay_dtype_or(c, "out_dtype", a->dt) : a->dt;
	return 0;
}

static int result(const struct ay_call *c, int k, struct ay_meta *m, struct ay_err *err)
{
	struct sides s;

	(void)k;
	return sides_of(c, &s, m, err);
}

static int accepts(const struct ay_call *c, struct ay_err *err)
{
	enum ay_dt a = left_of(c)->dt, b = right_of(c)->dt;
	struct ay_meta m = { 0 };
	struct sides s;

	if (a != b)
		return ay_fail(err, AY_ERR_BIND, "%s takes tensors of one dtype, not %s and %s", c->s->base,
			       ay_dt_info(a)->name, ay_dt_info(b)->name);
	if (a == AY_DT_B8 || a == AY_DT_F8E4M3FN || a == AY_DT_F8E5M2)
		return ay_fail(err, AY_ERR_BIND, "%s is not defined for %s", c->s->base, ay_dt_info(a)->name);
	return sides_of(c, &s, &m, err);
}

/* mm: matrices, bmm: stacks of equally many. out_dtype is theirs, or f32 where they are half types. */
static int accepts_stack(const struct ay_call *c, struct ay_err *err)
{
	const struct ay_view *a = left_of(c), *b = right_of(c);
	const int ndim = !strcmp(c->s->base, "mm") ? 2 : 3;
	const bool half = a->dt == AY_DT_F16 || a->dt == AY_DT_BF16;
	enum ay_dt dt;

	if (a->ndim != ndim || b->ndim != ndim)
		return ay_fail(err, AY_ERR_BIND, "%s takes tensors with %d dimensions", c->s->base, ndim);
	if (ndim == 3 && a->shape[0] != b->shape[0])
		return ay_fail(err, AY_ERR_BIND, "bmm: %lld matrices times %lld", (long long)a->shape[0],
			       (long long)b->shape[0]);
	dt = ay_has_arg(c, "out_dtype") ? ay_dtype_or(c, "out_dtype", a->dt) : a->dt;
	if (dt != a->dt && !(half && dt == AY_DT_F32))
		return ay_fail(err, AY_ERR_BIND, "%s gives no %s of %s", c->s->base, ay_dt_info(dt)->name,
			       ay_dt_info(a->dt)->name);
	return accepts(c, err);
}

static int accepts_linear(const struct ay_call *c, struct ay_err *err)
{
	const struct ay_view *weight = right_of(c), *bias = ay_t(c, "bias");

	if (weight->ndim != 1 && weight->ndim != 2)
		return ay_fail(err, AY_ERR_BIND, "a weight has one or two dimensions, not %d", weight->ndim);
	if (bias && bias->dt != weight->dt)
		return ay_fail(err, AY_ERR_BIND, "bias is %s, weight is %s", ay_dt_info(bias->dt)->name,
			       ay_dt_info(weight->dt)->name);
	if (bias && (bias->ndim != weight->ndim - 1 || (bias->ndim && bias->shape[0] != weight->shape[0])))
		return ay_fail(err, AY_ERR_BIND, "bias must have one element for each row of weight");
	return accepts(c, err);
}

/* --- the reference --- */

/* n running sums, their sums of squares and the squares of their largest prefixes. */
struct sums {
	num *sum;
	real *sq, *top;
};

static inline real square(num x)
{
	return sizeof(num) == sizeof(real) ? re(x) * re(x) : re(x) * re(x) + (real)cimag(x) * (real)cimag(x);
}

/* r NULL: no accumulator is narrowed. */
static inline void add_run(const struct ay_ref *r, num x, const num *restrict y, int64_t n, num *restrict sum,
			   real *restrict sq, real *restrict top)
{
	for (int64_t j = 0; j < n; j++) {
		num t = r ? ay_times(r, x, y[j]) : x * y[j], u = r ? acc(r, sum[j] + t) : sum[j] + t;
		real size = square(u);

		sum[j] = u;
		sq[j] += square(t);
		top[j] = size > top[j] ? size : top[j];
	}
}

static void add_terms(const struct ay_ref *r, num x, const num *y, int64_t n, const struct sums *s)
{
	enum { LANES = 8 }; /* a number that the compiler knows: it vectorises these at -O2 */
	int64_t j = 0;

	for (; !r->acc_bits && !r->wraps && j + LANES <= n; j += LANES)
		add_run(NULL, x, y + j, LANES, s->sum + j, s->sq + j, s->top + j);
	add_run(r, x, y + j, n - j, s->sum + j, s->sq + j, s->top + j);
}

/* Row k of matrix `stack` of right, transposed: the numbers that meet element k of a left row. */
static void load_k(const struct ay_ref *r, const struct sides *s, int64_t stack, int64_t k, num *dst)
{
	ay_load(r, &s->right, -2, stack * s->k + k, dst);
}

/* One more term, the same for all rows; without a bias none. */
static int64_t add_bias(struct ay_ref *r, int64_t n, const struct sums *s)
{
	const struct ay_view *bias = ay_has_arg(r->c, "bias") ? ay_t(r->c, "bias") : NULL;
	num *y;

	if (!bias)
		return 0;
	y = ay_tmp(r, n);
	ay_load(r, bias, -1, 0, y);
	for (int64_t j = bias->ndim ? n : 1; j < n; j++)
		y[j] = y[0];
	add_terms(r, 1, y, n, s);
	return 1;
}

/* What is small enough is loaded once: all matrices for all rows (in bytes), or one for all rows of a range. */
enum { KEEP_ALL = 1 << 27, KEEP = 1 << 20, BLOCK = 512 };

static const void *prepare(struct ay_ref *r)
{
	struct ay_meta m = { 0 };
	struct ay_err err = { 0 };
	struct sides s;
	int64_t stacks;
	num *y;

	if (sides_of(r->c, &s, &m, &err))
		AY_BUG("%s", err.msg);
	if (ay_numel_of(&s.right) > KEEP_ALL / (int64_t)sizeof(num) || !ay_numel_of(&s.right))
		return NULL;
	stacks = ay_numel_of(&s.right) / (s.columns * s.k);
	y = ay_tmp(r, stacks * s.columns * s.k);
	for (int64_t i = 0; i < stacks * s.k; i++)
		load_k(r, &s, i / s.k, i % s.k, y + i * s.columns);
	return y;
}

/* A row of left times a loaded matrix, by blocks of columns whose sums stay in the first-level cache. */
static void add_products(const struct ay_ref *r, const struct sides *s, const num *x, const num *y,
			 const struct sums *t)
{
	for (int64_t j = 0; j < s->columns; j += BLOCK) {
		const int64_t n = s->columns - j < BLOCK ? s->columns - j : BLOCK;
		const struct sums part = { t->sum + j, t->sq + j, t->top + j };

		for (int64_t k = 0; k < s->k; k++)
			add_terms(r, x[k], y + k * s->columns + j, n, &part);
	}
}

static void matmul(struct ay_ref *r)
{
	const bool integral = ay_dt_is_integral(left_of(r->c)->dt);
	struct ay_meta m = { 0 };
	struct ay_err err = { 0 };
	struct sides s;

	if (sides_of(r->c, &s, &m, &err))
		AY_BUG("%s", err.msg);
	const int64_t n = s.columns;
	const bool keep = !r->shared && r->hi - r->lo > 1 && n * s.k <= KEEP;
	num *x = ay_tmp(r, s.k), *y = ay_tmp(r, keep ? n * s.k : n);
	struct sums t = { ay_tmp(r, n), (real *)ay_tmp(r, n), (real *)ay_tmp(r, n) };
	int64_t kept = -1, terms;

	for (int64_t i = r->lo; i < r->hi; i++) {
		const int64_t stack = i / s.rows;
		const num *loaded = r->shared ? (const num *)r->shared + stack * n * s.k : keep ? y : NULL;

		ay_load(r, &s.left, -1, i, x);
		for (int64_t k = 0; keep && kept != stack && k < s.k; k++)
			load_k(r, &s, stack, k, y + k * n);
		kept = stack;
		for (int64_t j = 0; j < n; j++) {
			t.sum[j] = 0;
			t.sq[j] = t.top[j] = 0;
		}
		if (loaded)
			add_products(r, &s, x, loaded, &t);
		for (int64_t k = 0; !loaded && k < s.k; k++) {
			load_k(r, &s, stack, k, y);
			add_terms(r, x[k], y, n, &t);
		}
		terms = s.k + add_bias(r, n, &t);
		for (int64_t j = 0; j < n; j++) {
			*ay_val(r, 0, i, j) = t.sum[j];
			*ay_mag(r, 0, i, j) = integral ? -1
						       : ay_err_sum(terms, (double)fabs(t.sum[j]), (double)t.sq[j],
								    (double)sqrt(t.top[j]));
			*ay_norm(r, 0, i, j) = (double)sqrt(t.sq[j]);
		}
	}
}

static bool factors(const struct ay_call *c, struct ay_factors *f)
{
	const bool vector = right_of(c)->ndim == 1; /* sides_of has exchanged them */
	struct ay_meta m = { 0 };
	struct ay_err err = { 0 };
	struct sides s;

	if (sides_of(c, &s, &m, &err))
		AY_BUG("%s", err.msg);
	*f = (struct ay_factors){
		.left = s.left, .right = s.right, .rows = s.rows, .columns = s.columns, .k = s.k
	};
	f->a = c->operand[vector];
	f->b = c->operand[!vector];
	f->bias = ay_has_arg(c, "bias") ? ay_t(c, "bias") : NULL;
	return true;
}

/* Normal, but one element in sixteen is NaN, an infinity, a zero or a subnormal; none overflows in a product. */
static double nonfinite(const struct ay_call *c, const struct ay_operand *o, const struct ay_fill *f, int64_t i,
			uint64_t bits)
{
	const struct ay_dt_info *d = ay_dt_info(o->view.dt);
	const double tiny = ldexp(1, d->emin - d->mant + 1);
	const double list[] = { NAN, INFINITY, -INFINITY, 0.0, -0.0, tiny, -tiny, 1 };
	double sum = 0;

	(void)c, (void)f, (void)i;
	if (!(bits >> 60))
		return list[bits >> 57 & 7];
	for (int s = 0; s < 60; s += 15)
		sum += (double)(bits >> s & 0x7fff);
	return (sum - 4 * 16383.5) / 18918; /* four words of variance 2^30 / 12 */
}

static const struct ay_maker makers[] = { { "nonfinite", nonfinite }, { 0 } };

static const char *aten_differs(const struct ay_call *c)
{
	return ay_schema_out(c->s) && ay_t(c, "self")->ndim == 1 && ay_t(c, "other")->ndim == 2 &&
			       !ay_view_is_dense(&c->out[0]->view)
		       ? "matmul.out gives a strided out new strides where self is a vector"
		       : NULL;
}

static const char *aten_differs_stack(const struct ay_call *c)
{
	return ay_has_arg(c, "out_dtype") ? "out_dtype is not implemented" : NULL;
}

static const char *aten_differs_linear(const struct ay_call *c)
{
	const struct ay_view *input = left_of(c), *weight = right_of(c);

	if (ay_schema_out(c->s) && input->ndim == 1 && weight->ndim == 2 && !ay_view_is_dense(&c->out[0]->view))
		return "linear.out gives a strided out new strides where input is a vector";
	if (!ay_t(c, "bias"))
		return NULL;
	if (weight->ndim == 1 && input->ndim == 2)
		return "a bias beside a weight of one dimension is refused where input has two";
	if ((input->dt == AY_DT_F16 || input->dt == AY_DT_BF16) && (weight->ndim == 1 || input->ndim != 2))
		return "the product is rounded to half types before the bias is added";
	return NULL;
}

/* cuBLAS's split sums, for some shapes of few rows or columns; with torch's allow_*_reduced_precision_reduction off they
 * are within the bound (bench/h200.md). */
static const char *cuda_rounds_parts(const struct ay_call *c)
{
	const enum ay_dt dt = c->out[0]->view.dt;

	return dt == AY_DT_F16 || dt == AY_DT_BF16
		       ? "sums of parts of a row are rounded to half types, which torch allows by default"
		       : NULL;
}

static const char *cuda_differs(const struct ay_call *c)
{
	const char *why = aten_differs(c);

	return why ? why : cuda_rounds_parts(c);
}

static const char *cuda_differs_stack(const struct ay_call *c)
{
	return cuda_rounds_parts(c);
}

static const char *cuda_differs_linear(const struct ay_call *c)
{
	const char *why = aten_differs_linear(c);

	return why ? why : cuda_rounds_parts(c);
}

static void cost(const struct ay_call *c, struct ay_cost *k)
{
	const struct ay_view *a = left_of(c);

	k->flops = 2.0 * (double)ay_numel_of(&c->out[0]->view) * (double)a->shape[a->ndim - 1];
	k->bytes = -1;
}

/* clang-format off */
const struct ay_op ay_ops_matmul[] = {{
	.schemas   = AY_SCHEMAS("aten::matmul(Tensor self, Tensor other) -> Tensor",
				"aten::matmul.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)"),
	.doc       = "out = self @ other. Two vectors give a 0-dim dot product; [M, K] @ [K] gives [M]; [K] @ [K, N] gives [N]; "
		     "[M, K] @ [K, N] gives [M, N]. With more dimensions the last two are matrices and the leading ones are "
		     "broadcast (a vector counts as one matrix for all); the size-1 dimension that a vector was given is not in "
		     "the result. Both dtypes are equal and the result's. Half types accumulate in f32 and round once; f32 inputs "
		     "keep all their 24 bits (no TF32); integers are exact; K = 0 gives zeros. Arguments may be strided or "
		     "expanded, complex ones may carry AY_CONJ.",
	.cases     = {
		{ "((T([n], dt), T([n], dt)), {})", "dt=f32|f16|bf16 n=0|1|7|64|1000|8192", AY_QUICK },
		{ "((T(a, dt), T(b, dt)), {})", "dt=f32|f16|bf16 (a,b)=([7, 65],[65])|([65],[65, 9])|([5, 8192],[8192])|([1, 1],[1, 3])|([3, 5],[5, 7])|([17, 33],[33, 65])|([0, 4],[4, 3])|([3, 0],[0, 4])|([3, 4],[4, 0])|([4, 0],[0])", AY_QUICK },
		{ "((T(a, dt), T(b, dt)), {})", "dt=f32|f16|bf16 (a,b)=([2, 3, 4],[2, 4, 5])|([2, 3, 4],[4, 5])|([3, 4],[2, 4, 5])|([2, 1, 3, 4],[5, 4, 6])|([5],[2, 5, 3])|([2, 3, 5],[5])|([0, 3, 4],[0, 4, 2])|([4, 1, 3, 2, 6],[1, 5, 1, 6, 2])|([1, 3, 4],[7, 4, 1])", AY_QUICK },
		{ "((T([9, n], dt), T([n, 13], dt)), {})", "dt=f32|f16|bf16 n=64|1024|8192 ; dt=f64 n=64|1000", AY_QUICK },
		{ "((T([9, 300], dt, fill=normal(1, 1)), T([300, 13], dt)), {})", "dt=f32|f16|bf16", AY_QUICK },
		{ "((T([9, 300], dt, fill=heavy), T([300, 13], dt, fill=heavy(0.01))), {})", "dt=f32|f16|bf16", AY_QUICK },
		{ "((T([33, 60], dt, fill=exact), T([60, 41], dt, fill=exact)), {})", "dt=f32|f16|bf16", AY_QUICK },
		{ "((T([3, 33, 60], dt, fill=exact), T([3, 60, 41], dt, fill=exact)), {})", "dt=f32|f16", AY_QUICK },
		{ "((T([9, 12], dt, fill=nonfinite), T([12, 10], dt)), {})", "dt=f32|f16|bf16", AY_QUICK },
		{ "((T([9, 12], dt, fill=exact), T([12, 10], dt, fill=nonfinite)), {})", "dt=f32|f16|bf16", AY_QUICK },
		{ "((T([9, 33], dt, stride=sa, offset=3), T([33, 16], dt, stride=sb)), {})", "dt=f32|f16|bf16 (sa,sb)=([1, 9],[16, 1])|([33, 1],[1, 33])|([66, 2],[40, 1])|([0, 1],[16, 1])|([33, 1],[0, 1])", AY_QUICK },
		{ "((T([4, 9, 33], dt, stride=(0, 33, 1)), T([4, 33, 7], dt, stride=(7, 28, 1))), {})", "dt=f32|f16", AY_QUICK },
		{ "((T([7, 33], dt), T([33, 9], dt)), {})", "dt=f64|c64|c128|i64|i32|i16", AY_QUICK },
		{ "((T([7, 15], dt, fill=int(0, 2)), T([15, 9], dt, fill=int(0, 3))), {})", "dt=u8|i8", AY_QUICK },
		{ "((T([3, 7, 65], c64), T([3, 65, 9], c64, conj=True)), {})", "", AY_QUICK },
		{ "((T([7, 33], dt, fill=edge), T([33, 9], dt, fill=edge)), {})", "dt=i64|i32|i16", AY_QUICK },
		{ "((T(a, i64, fill=edge), T(b, i64, fill=edge)), {})", "(a,b)=([33],[33])|([7, 33],[33])|([2, 3, 33],[2, 33, 5])", AY_QUICK },
		{ "((T([33, 40], dt, stride=sa), T([40, 19], dt, stride=sb)), {})", "dt=f32|f16|i64 (sa,sb)=([1, 33],[1, 40])|([1, 35],[1, 41])", AY_QUICK },
		{ "((T([2, k], dt), T([k, 3], dt)), {})", "dt=f32|f16 k=4099|12289", AY_QUICK },
		{ "((T([k], f32), T([k], f32)), {})", "k=4099|12289|70001", AY_QUICK },
		{ "((T([m, k], dt), T([k, n], dt)), {})", "dt=f16|f32|bf16 (m,n,k)=(1,1,32)|(15,160,1024)|(495,5333,71)|(512,512,512)|(1,4096,4096)", AY_FULL },
		{ "((T([4, m, k], dt), T([4, k, n], dt)), {})", "dt=f16|f32|bf16 (m,n,k)=(1,1,32)|(15,160,1024)|(495,333,71)", AY_FULL },
		{ "((T(a, dt), T(b, dt)), {})", "dt=f32|f16|bf16 (a,b)=([4096, 1024],[1024])|([16, 4, 64, 128],[16, 1, 128, 64])", AY_FULL },
		{ "((T(a, dt), T(b, dt)), {})", "dt=f32|f16|bf16 (a,b)=([384, 384],[384, 384])|([1024, 1024],[1024, 1024])|([1, 4096],[4096, 4096])|([16, 128, 64],[16, 64, 128])", AY_PERF },
	},
	.vary      = {
		{ "((T(x, dt, conj=ca, fill=f), T(y, dt, conj=cb)), {})", "k=last() m=size(1, 30) n=size(1, 30) b=[]|[]|[size(1, 5)]|[size(1, 3), size(1, 3)]|[2, 1, 3]|[1, 2, 1, 2] (x,y)=(fits(b) + [m, k],fits(b) + [k, n])|(b + [m, k],[k, n])|([m, k],b + [k, n])|(b + [m, k],b + [k, n])|([k],b + [k, n])|(b + [m, k],[k])|([k],[k]) dt=f32|f16|bf16|f64|i64|i32|i16|i8|u8 f=None ca=False cb=False ; k=last() m=size(1, 30) n=size(1, 30) b=[]|[]|[size(1, 5)]|[size(1, 3), size(1, 3)]|[2, 1, 3]|[1, 2, 1, 2] (x,y)=(fits(b) + [m, k],fits(b) + [k, n])|(b + [m, k],[k, n])|([m, k],b + [k, n])|(b + [m, k],b + [k, n])|([k],b + [k, n])|(b + [m, k],[k])|([k],[k]) dt=c64|c128 f=None ca=True|False cb=True|False ; k=last() m=size(1, 30) n=size(1, 30) b=[]|[]|[size(1, 5)]|[size(1, 3), size(1, 3)]|[2, 1, 3]|[1, 2, 1, 2] (x,y)=(fits(b) + [m, k],fits(b) + [k, n])|(b + [m, k],[k, n])|([m, k],b + [k, n])|(b + [m, k],b + [k, n])|([k],b + [k, n])|(b + [m, k],[k])|([k],[k]) dt=f32|f16|bf16|f64 f='exact'|'nonfinite'|'normal(1, 1)'|'heavy(0.01)' ca=False cb=False" },
		{ "((T(x, dt, conj=ca), T(y, dt, conj=cb, fill=f)), {})", "n=last() m=size(1, 20) k=size(1, 40) b=[]|[]|[size(1, 5)]|[size(1, 3), size(1, 3)]|[2, 1, 3]|[1, 2, 1, 2] (x,y)=(fits(b) + [m, k],fits(b) + [k, n])|(b + [m, k],[k, n])|([m, k],b + [k, n])|(b + [m, k],b + [k, n])|([k],b + [k, n])|(b + [m, k],[k])|([k],[k]) dt=f32|f16|bf16|f64|i64|i32|i16|i8|u8 f=None ca=False cb=False ; n=last() m=size(1, 20) k=size(1, 40) b=[]|[]|[size(1, 5)]|[size(1, 3), size(1, 3)]|[2, 1, 3]|[1, 2, 1, 2] (x,y)=(fits(b) + [m, k],fits(b) + [k, n])|(b + [m, k],[k, n])|([m, k],b + [k, n])|(b + [m, k],b + [k, n])|([k],b + [k, n])|(b + [m, k],[k])|([k],[k]) dt=c64|c128 f=None ca=True|False cb=True|False ; n=last() m=size(1, 20) k=size(1, 40) b=[]|[]|[size(1, 5)]|[size(1, 3), size(1, 3)]|[2, 1, 3]|[1, 2, 1, 2] (x,y)=(fits(b) + [m, k],fits(b) + [k, n])|(b + [m, k],[k, n])|([m, k],b + [k, n])|(b + [m, k],b + [k, n])|([k],b + [k, n])|(b + [m, k],[k])|([k],[k]) dt=f32|f16|bf16|f64 f='exact'|'nonfinite'|'normal(1, 1)'|'heavy(0.01)' ca=False cb=False" },
	},
	.makers    = makers,
	.accepts   = accepts,
	.result    = result,
	.rows      = ay_rows_last,
	.prepare   = prepare,
	.factors   = factors,
	.reference = matmul,
	.cost      = cost,
	.aten_differs = aten_differs,
	.cuda_differs = cuda_differs,
	.flags     = AY_INTEGRAL,
}, {
	.schemas   = AY_SCHEMAS("aten::mm(Tensor self, Tensor mat2) -> Tensor",
				"aten::mm.out(Tensor self, Tensor mat2, *, Tensor(a!) out) -> Tensor(a!)",
				"aten::mm.dtype(Tensor self, Tensor mat2, ScalarType out_dtype) -> Tensor",
				"aten::mm.dtype_out(Tensor self, Tensor mat2, ScalarType out_dtype, *, Tensor(a!) out) -> Tensor(a!)"),
	.doc       = "out = self @ mat2, the product of two matrices: [M, K] times [K, N] gives [M, N]. Both dtypes are equal and the "
		     "result's, unless out_dtype says f32 for half types: the sum is then not rounded to them. Half types accumulate "
		     "in f32 and round once; f32 inputs keep all their 24 bits (no TF32); integers are exact and wrap; K = 0 gives "
		     "zeros. Arguments may be strided or expanded, complex ones may carry AY_CONJ.",
	.cases     = {
		{ "((T([m, k], dt), T([k, n], dt)), {})", "dt=f32|f16|bf16 (m,n,k)=(1,1,1)|(1,1,32)|(1,65,33)|(65,1,33)|(3,7,5)|(17,65,33)|(64,64,64)|(9,13,1024)|(3,5,8192)|(0,3,4)|(3,4,0)|(3,0,4)", AY_QUICK },
		{ "((T([9, 300], dt, fill=fa), T([300, 13], dt, fill=fb)), {})", "dt=f32|f16|bf16 (fa,fb)=('normal(1, 1)','normal')|('heavy','heavy(0.01)')", AY_QUICK },
		{ "((T([33, 60], dt, fill=exact), T([60, 41], dt, fill=exact)), {})", "dt=f32|f16|bf16", AY_QUICK },
		{ "((T([9, 12], dt, fill=fa), T([12, 10], dt, fill=fb)), {})", "dt=f32|f16|bf16 (fa,fb)=('nonfinite','normal')|('exact','nonfinite')", AY_QUICK },
		{ "((T([9, 33], dt, stride=sa, offset=3), T([33, 16], dt, stride=sb)), {})", "dt=f32|f16|bf16 (sa,sb)=([1, 9],[16, 1])|([33, 1],[1, 33])|([66, 2],[40, 1])|([0, 1],[16, 1])|([33, 1],[0, 1])", AY_QUICK },
		{ "((T([7, 33], dt), T([33, 9], dt)), {})", "dt=f64|c64|c128|i64|i32|i16", AY_QUICK },
		{ "((T([7, 15], dt, fill=int(0, 2)), T([15, 9], dt, fill=int(0, 3))), {})", "dt=u8|i8", AY_QUICK },
		{ "((T([7, 65], c64, conj=True), T([65, 9], c64)), {})", "", AY_QUICK },
		{ "aten::mm.dtype((T([m, k], dt), T([k, n], dt), f32), {})", "dt=f16|bf16 (m,n,k)=(1,1,32)|(7,9,65)|(9,13,1024)|(0,3,4)", AY_QUICK },
		{ "aten::mm.dtype((T([7, 65], dt), T([65, 9], dt, stride=(1, 65)), dt), {})", "dt=f16|bf16|f32", AY_QUICK },
		{ "((T([7, 33], dt, fill=edge), T([33, 9], dt, fill=edge)), {})", "dt=i64|i32|i16", AY_QUICK },
		{ "((T([33, 40], dt, stride=sa), T([40, 19], dt, stride=sb)), {})", "dt=f32|f16|i64 (sa,sb)=([1, 33],[1, 40])|([1, 35],[1, 41])", AY_QUICK },
		{ "((T([2, k], dt), T([k, 3], dt)), {})", "dt=f32|f16 k=4099|12289", AY_QUICK },
		{ "((T([m, k], dt), T([k, n], dt, stride=b ? [1, k] : [n, 1])), {})", "b=True|False dt=f16|f32|bf16 (m,n,k)=(1,1,32)|(15,160,1024)|(495,5333,71)", AY_FULL },
		{ "((T([m, k], dt), T([k, n], dt)), {})", "dt=f32|f16|bf16 (m,n,k)=(384,384,384)|(1024,1024,1024)|(1,4096,4096)", AY_PERF },
	},
	.vary      = {
		{ "((T([m, k], dt, conj=ca, fill=f), T([k, n], dt, conj=cb)), {})", "k=last() m=size(1, 30) n=size(1, 30) dt=f32|f16|bf16|f64|i64|i32|i16|i8|u8 f=None ca=False cb=False ; k=last() m=size(1, 30) n=size(1, 30) dt=c64|c128 f=None ca=True|False cb=True|False ; k=last() m=size(1, 30) n=size(1, 30) dt=f32|f16|bf16|f64 f='exact'|'nonfinite'|'normal(1, 1)'|'heavy(0.01)' ca=False cb=False" },
		{ "((T([m, k], dt, conj=ca), T([k, n], dt, conj=cb, fill=f)), {})", "n=last() m=size(1, 20) k=size(1, 40) dt=f32|f16|bf16|f64|i64|i32|i16|i8|u8 f=None ca=False cb=False ; n=last() m=size(1, 20) k=size(1, 40) dt=c64|c128 f=None ca=True|False cb=True|False ; n=last() m=size(1, 20) k=size(1, 40) dt=f32|f16|bf16|f64 f='exact'|'nonfinite'|'normal(1, 1)'|'heavy(0.01)' ca=False cb=False" },
		{ "aten::mm.dtype((T([m, k], dt), T([k, n], dt), dr), {})", "k=last() m=size(1, 30) n=size(1, 30) dt=f16|bf16 dr=f32|f32|dt ; n=last() m=size(1, 20) k=size(1, 40) dt=f16|bf16|f32 dr=f32" },
	},
	.makers    = makers,
	.accepts   = accepts_stack,
	.result    = result,
	.rows      = ay_rows_last,
	.prepare   = prepare,
	.factors   = factors,
	.reference = matmul,
	.cost      = cost,
	.aten_differs = aten_differs_stack,
	.cuda_differs = cuda_differs_stack,
	.flags     = AY_INTEGRAL,
}, {
	.schemas   = AY_SCHEMAS("aten::bmm(Tensor self, Tensor mat2) -> Tensor",
				"aten::bmm.out(Tensor self, Tensor mat2, *, Tensor(a!) out) -> Tensor(a!)",
				"aten::bmm.dtype(Tensor self, Tensor mat2, ScalarType out_dtype) -> Tensor",
				"aten::bmm.dtype_out(Tensor self, Tensor mat2, ScalarType out_dtype, *, Tensor(a!) out) -> Tensor(a!)"),
	.doc       = "out[b] = self[b] @ mat2[b] for every b: [B, M, K] times [B, K, N] gives [B, M, N]; nothing is broadcast. Both dtypes are "
		     "equal and the result's, unless out_dtype says f32 for half types: the sum is then not rounded to them. Half "
		     "types accumulate in f32 and round once; f32 inputs keep all their 24 bits (no TF32); integers are exact and "
		     "wrap; K = 0 gives zeros. Arguments may be strided or expanded, complex ones may carry AY_CONJ.",
	.cases     = {
		{ "((T([b, m, k], dt), T([b, k, n], dt)), {})", "dt=f32|f16|bf16 (b,m,n,k)=(1,1,1,1)|(4,1,1,32)|(7,1,9,33)|(5,17,1,65)|(3,3,7,5)|(2,17,65,33)|(16,8,8,64)|(2,9,13,1024)|(2,3,5,8192)|(0,2,3,4)|(2,0,3,4)|(2,3,4,0)|(2,3,0,4)", AY_QUICK },
		{ "((T([3, 9, 300], dt, fill=fa), T([3, 300, 13], dt, fill=fb)), {})", "dt=f32|f16|bf16 (fa,fb)=('normal(1, 1)','normal')|('heavy','heavy(0.01)')", AY_QUICK },
		{ "((T([3, 33, 60], dt, fill=exact), T([3, 60, 41], dt, fill=exact)), {})", "dt=f32|f16|bf16", AY_QUICK },
		{ "((T([2, 9, 12], dt, fill=fa), T([2, 12, 10], dt, fill=fb)), {})", "dt=f32|f16|bf16 (fa,fb)=('nonfinite','normal')|('exact','nonfinite')", AY_QUICK },
		{ "((T([4, 9, 33], dt, stride=sa, offset=3), T([4, 33, 7], dt, stride=sb)), {})", "dt=f32|f16|bf16 (sa,sb)=([0, 33, 1],[7, 28, 1])|([297, 1, 9],[231, 1, 33])|([33, 132, 1],[231, 7, 1])|([594, 66, 2],[0, 7, 1])", AY_QUICK },
		{ "((T([2, 7, 33], dt), T([2, 33, 9], dt)), {})", "dt=f64|c64|c128|i64|i32|i16", AY_QUICK },
		{ "((T([2, 7, 15], dt, fill=int(0, 2)), T([2, 15, 9], dt, fill=int(0, 3))), {})", "dt=u8|i8", AY_QUICK },
		{ "((T([3, 7, 65], c64), T([3, 65, 9], c64, conj=True)), {})", "", AY_QUICK },
		{ "aten::bmm.dtype((T([b, m, k], dt), T([b, k, n], dt), f32), {})", "dt=f16|bf16 (b,m,n,k)=(4,1,1,32)|(3,7,9,65)|(2,9,13,1024)|(2,0,3,4)", AY_QUICK },
		{ "aten::bmm.dtype((T([2, 7, 65], dt), T([2, 65, 9], dt, stride=(585, 1, 65)), dt), {})", "dt=f16|bf16|f32", AY_QUICK },
		{ "((T([2, 7, 33], dt, fill=edge), T([2, 33, 9], dt, fill=edge)), {})", "dt=i64|i32|i16", AY_QUICK },
		{ "((T([3, 33, 40], dt, stride=sa), T([3, 40, 19], dt, stride=sb)), {})", "dt=f32|f16 (sa,sb)=([1320, 1, 33],[760, 1, 40])|([1, 120, 3],[1, 3, 120])", AY_QUICK },
		{ "((T([2, 2, k], dt), T([2, k, 3], dt)), {})", "dt=f32|f16 k=4099|12289", AY_QUICK },
		{ "((T([4, m, k], dt), T([4, k, n], dt)), {})", "dt=f16|f32|bf16 (m,n,k)=(1,1,32)|(15,160,1024)|(495,5333,71)", AY_FULL },
		{ "((T([b, m, k], dt), T([b, k, n], dt)), {})", "dt=f32|f16|bf16 (b,m,n,k)=(16,128,128,64)|(16,256,256,256)|(96,128,64,128)", AY_PERF },
	},
	.vary      = {
		{ "((T([b, m, k], dt, conj=ca, fill=f), T([b, k, n], dt, conj=cb)), {})", "b=size(1, 6) k=last() m=size(1, 30) n=size(1, 30) dt=f32|f16|bf16|f64|i64|i32|i16|i8|u8 f=None ca=False cb=False ; b=size(1, 6) k=last() m=size(1, 30) n=size(1, 30) dt=c64|c128 f=None ca=True|False cb=True|False ; b=size(1, 6) k=last() m=size(1, 30) n=size(1, 30) dt=f32|f16|bf16|f64 f='exact'|'nonfinite'|'normal(1, 1)'|'heavy(0.01)' ca=False cb=False" },
		{ "((T([b, m, k], dt, conj=ca), T([b, k, n], dt, conj=cb, fill=f)), {})", "b=size(1, 6) n=last() m=size(1, 20) k=size(1, 40) dt=f32|f16|bf16|f64|i64|i32|i16|i8|u8 f=None ca=False cb=False ; b=size(1, 6) n=last() m=size(1, 20) k=size(1, 40) dt=c64|c128 f=None ca=True|False cb=True|False ; b=size(1, 6) n=last() m=size(1, 20) k=size(1, 40) dt=f32|f16|bf16|f64 f='exact'|'nonfinite'|'normal(1, 1)'|'heavy(0.01)' ca=False cb=False" },
		{ "aten::bmm.dtype((T([b, m, k], dt), T([b, k, n], dt), dr), {})", "b=size(1, 6) k=last() m=size(1, 30) n=size(1, 30) dt=f16|bf16 dr=f32|f32|dt ; b=size(1, 6) n=last() m=size(1, 20) k=size(1, 40) dt=f16|bf16|f32 dr=f32" },
	},
	.makers    = makers,
	.accepts   = accepts_stack,
	.result    = result,
	.rows      = ay_rows_last,
	.prepare   = prepare,
	.factors   = factors,
	.reference = matmul,
	.cost      = cost,
	.aten_differs = aten_differs_stack,
	.cuda_differs = cuda_differs_stack,
	.flags     = AY_INTEGRAL,
}, {
	.schemas   = AY_SCHEMAS("aten::linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor",
				"aten::linear.out(Tensor input, Tensor weight, Tensor? bias=None, *, Tensor(a!) out) -> Tensor(a!)"),
	.doc       = "out = input @ weight^T + bias: [.., K] times the transpose of [N, K] plus [N] gives [.., N]; a weight [K] and a 0-dim "
		     "bias give [..]. bias may be None. All dtypes are equal and the result's. Half types accumulate in f32, bias "
		     "included, and round once; f32 inputs keep all their 24 bits (no TF32); integers are exact and wrap; K = 0 gives "
		     "the bias, or zeros. Arguments may be strided or expanded.",
	.cases     = {
		{ "((T(a, dt), T([n, a[-1]], dt), b ? T([n], dt) : None), {})", "dt=f32|f16|bf16 b=True|False (a,n)=([1, 1],1)|([1],1)|([65],9)|([7, 33],65)|([1, 64],33)|([5, 3, 33],9)|([2, 3, 4, 5],7)|([0, 4],3)|([3, 4],0)|([3, 0],4)|([2, 0, 5],3)", AY_QUICK },
		{ "((T([9, k], dt), T([13, k], dt), T([13], dt)), {})", "dt=f32|f16|bf16 k=1024|8192", AY_QUICK },
		{ "((T(a, dt), T([33], dt), b ? T([], dt) : None), {})", "dt=f32|f16|bf16 b=True|False a=[33]|[7, 33]|[2, 5, 33]", AY_QUICK },
		{ "((T([9, 300], dt, fill=fa), T([13, 300], dt), T([13], dt, fill=fb)), {})", "dt=f32|f16|bf16 (fa,fb)=('normal(1, 1)','normal(100, 1)')|('heavy(0.01)','heavy')", AY_QUICK },
		{ "((T(a, dt, fill=exact), T([41, 60], dt, fill=exact), b ? T([41], dt, fill=exact) : None), {})", "dt=f32|f16|bf16 a=[33, 60]|[3, 11, 60] b=True|False", AY_QUICK },
		{ "((T([9, 12], dt, fill=fa), T([10, 12], dt, fill=fb), T([10], dt, fill=fc)), {})", "dt=f32|f16|bf16 (fa,fb,fc)=('nonfinite','normal','normal')|('exact','nonfinite','normal')|('normal','normal','nonfinite')", AY_QUICK },
		{ "((T([9, 33], dt, stride=sa, offset=3), T([16, 33], dt, stride=sb), T([16], dt, stride=sc)), {})", "dt=f32|f16|bf16 (sa,sb,sc)=([1, 9],[33, 1],[1])|([66, 2],[1, 16],[2])|([0, 1],[40, 1],[0])|([33, 1],[0, 1],[1])", AY_QUICK },
		{ "((T([4, 9, 65], dt, stride=st), T([16, 65], dt), T([16], dt)), {})", "dt=f32|f16|bf16 st=[65, 260, 1]|[0, 65, 1]|[2, 8, 72]", AY_QUICK },
		{ "((T([7, 33], dt), T([9, 33], dt), T([9], dt)), {})", "dt=f64|c64|c128|i64|i32", AY_QUICK },
		{ "((T([7, 33], dt, fill=edge), T([9, 33], dt, fill=edge), T([9], dt, fill=edge)), {})", "dt=i64|i32", AY_QUICK },
		{ "((T([33, 40], dt, stride=(1, 33)), T([19, 40], dt, stride=st), T([19], dt)), {})", "dt=f32|f16 st=[1, 19]|[40, 1]", AY_QUICK },
		{ "((T([2, k], dt), T([3, k], dt), T([3], dt)), {})", "dt=f32|f16 k=4099|12289", AY_QUICK },
		{ "((T([m, k], dt), T([n, k], dt), b ? T([n], dt) : None), {})", "dt=f16|f32|bf16 b=True|False (m,n,k)=(1,1,32)|(15,160,1024)|(495,5333,71)", AY_FULL },
		{ "((T([8, 128, 256], dt), T([512, 256], dt), T([512], dt)), {})", "dt=f16|f32|bf16", AY_FULL },
		{ "((T([m, k], dt), T([n, k], dt), T([n], dt)), {})", "dt=f32|f16|bf16 (m,n,k)=(384,384,384)|(512,3072,768)|(1,4096,4096)", AY_PERF },
	},
	.vary      = {
		{ "((T(p + [k], dt, fill=f), T([n, k], dt), c), {})", "k=last() n=size(1, 30) p=[]|[size(1, 9)]|[size(1, 9)]|[size(1, 4), size(1, 5)]|[2, size(1, 3), 3]|[1, 2, 1, 2, 2] dt=f32|f16|bf16|f64|c64|c128|i64|i32|i16 f=None c=None|T([n], dt)|T([n], dt) ; k=last() n=size(1, 30) p=[]|[size(1, 9)]|[size(1, 9)]|[size(1, 4), size(1, 5)]|[2, size(1, 3), 3]|[1, 2, 1, 2, 2] dt=f32|f16|bf16|f64 f='exact'|'nonfinite'|'normal(1, 1)' c=None|T([n], dt)" },
		{ "((T(p + [k], dt), T([n, k], dt, fill=f), c), {})", "n=last() k=size(1, 40) p=[]|[size(1, 9)]|[size(1, 9)]|[size(1, 4), size(1, 5)]|[2, size(1, 3), 3]|[1, 2, 1, 2, 2] dt=f32|f16|bf16|f64|c64|c128|i64|i32|i16 f=None c=None|T([n], dt)|T([n], dt) ; n=last() k=size(1, 40) p=[]|[size(1, 9)]|[size(1, 9)]|[size(1, 4), size(1, 5)]|[2, size(1, 3), 3]|[1, 2, 1, 2, 2] dt=f32|f16|bf16|f64 f='exact'|'nonfinite'|'normal(1, 1)' c=None|T([n], dt)|T([n], dt, fill=normal(100, 1))" },
		{ "((T(p + [k], dt), T([k], dt), c), {})", "k=last() p=[]|[size(1, 9)]|[size(1, 9)]|[size(1, 4), size(1, 5)]|[2, size(1, 3), 3]|[1, 2, 1, 2, 2] dt=f32|f16|bf16|f64|c64|i64 c=None|T([], dt)" },
	},
	.makers    = makers,
	.accepts   = accepts_linear,
	.result    = result,
	.rows      = ay_rows_last,
	.prepare   = prepare,
	.factors   = factors,
	.reference = matmul,
	.cost      = cost,
	.aten_differs = aten_differs_linear,
	.cuda_differs = cuda_differs_linear,
	.flags     = AY_INTEGRAL,
}, {0}};
