/* SPDX-License-Identifier: Apache-2.0
 *
 * out = self @ other: dot product of two vectors, matrix times vector, vector times matrix, matrix times matrix,
 * and stacks of matrices whose leading dimensions are broadcast.
 *
 * Error: every element is a sum of K products, mag = growth(K) * R (docs/error-bound.md). Products of zero-mean
 * numbers show TF32 inputs and half accumulators up to K = 8192; exact ones show wrong indices at any size;
 * nonfinite ones (NaN, infinities, zeros, subnormals, but nothing that overflows, which would depend on the order)
 * show what skips or masks. Integers are exact.
 *
 * The 5,184 runs under this name in the original call baddbmm, never matmul: none is taken over but the three
 * sizes (M, N, K) and three dtypes; all other rows here are ours.
 *
 * ATen takes a vector times a matrix for a matrix of one row: matmul.out gives its `out` that shape, and with it
 * dense strides, and writes there. Where `out` was strided, the answer does not lie where the caller looks for it.
 */
#include "op/op.h"

#include <string.h>

/* Every row of the result is a row of `left` times the matrix `right` of its stack. left is [stack, rows, K],
 * right is [stack, columns, K], where "columns" is the last dimension of the result. */
struct sides {
	struct ay_view left, right;
	int64_t rows, columns, k;
};

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

/* Stretches the stack of v, [.., rows, K], to the common one. */
static int stretch(struct ay_view *v, int ndim, const int64_t *stack, struct ay_err *err)
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
	const struct ay_view *a = ay_t(c, "self"), *b = ay_t(c, "other");
	int64_t stack[AY_MAX_DIM];
	int n;

	if (a->ndim < 1 || b->ndim < 1)
		return ay_fail(err, AY_ERR_BIND, "matmul takes tensors with at least one dimension");
	if (a->ndim > AY_MAX_DIM - 2 || b->ndim > AY_MAX_DIM - 2)
		return ay_fail(err, AY_ERR_BIND, "matmul: too many dimensions");
	s->left = as_matrix(a, false);
	s->right = as_matrix(b, true);
	transpose(&s->right);
	s->k = a->shape[a->ndim - 1];
	if (s->k != s->right.shape[s->right.ndim - 1])
		return ay_fail(err, AY_ERR_BIND, "matmul: self has rows of %lld, other has columns of %lld",
			       (long long)s->k, (long long)s->right.shape[s->right.ndim - 1]);
	if (ay_broadcast_shapes(s->left.ndim - 2, s->left.shape, s->right.ndim - 2, s->right.shape, &n, stack,
				err) ||
	    stretch(&s->left, n, stack, err) || stretch(&s->right, n, stack, err))
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
	m->dt = a->dt;
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
	enum ay_dt a = ay_t(c, "self")->dt, b = ay_t(c, "other")->dt;
	struct ay_meta m = { 0 };
	struct sides s;

	if (a != b)
		return ay_fail(err, AY_ERR_BIND, "matmul takes two tensors of one dtype, not %s and %s",
			       ay_dt_info(a)->name, ay_dt_info(b)->name);
	if (a == AY_DT_B8 || a == AY_DT_F8E4M3FN || a == AY_DT_F8E5M2)
		return ay_fail(err, AY_ERR_BIND, "matmul is not defined for %s", ay_dt_info(a)->name);
	return sides_of(c, &s, &m, err);
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

static void add_terms(const struct ay_ref *r, num x, const num *restrict y, int64_t n, const struct sums *s)
{
	num *restrict sum = s->sum;
	real *restrict sq = s->sq, *restrict top = s->top;

	for (int64_t j = 0; j < n; j++) {
		num t = x * y[j], u = acc(r, sum[j] + t);
		real size = square(u);

		sum[j] = u;
		sq[j] += square(t);
		top[j] = size > top[j] ? size : top[j];
	}
}

/* Row k of matrix `stack` of right, transposed: the numbers that meet element k of a left row. */
static void load_k(const struct ay_ref *r, const struct sides *s, int64_t stack, int64_t k, num *dst)
{
	ay_load(r, &s->right, -2, stack * s->k + k, dst);
}

enum { KEEP = 1 << 20 }; /* a matrix of at most so many numbers is loaded once for all rows of the range */

static void matmul(struct ay_ref *r)
{
	const bool integral = ay_dt_is_integral(ay_t(r->c, "self")->dt);
	struct ay_meta m = { 0 };
	struct ay_err err = { 0 };
	struct sides s;

	if (sides_of(r->c, &s, &m, &err))
		AY_BUG("%s", err.msg);
	const int64_t n = s.columns;
	const bool keep = r->hi - r->lo > 1 && n * s.k <= KEEP;
	num *x = ay_tmp(r, s.k), *y = ay_tmp(r, keep ? n * s.k : n);
	struct sums t = { ay_tmp(r, n), (real *)ay_tmp(r, n), (real *)ay_tmp(r, n) };
	int64_t kept = -1;

	for (int64_t i = r->lo; i < r->hi; i++) {
		const int64_t stack = i / s.rows;

		ay_load(r, &s.left, -1, i, x);
		for (int64_t k = 0; keep && kept != stack && k < s.k; k++)
			load_k(r, &s, stack, k, y + k * n);
		kept = stack;
		for (int64_t j = 0; j < n; j++) {
			t.sum[j] = 0;
			t.sq[j] = t.top[j] = 0;
		}
		for (int64_t k = 0; k < s.k; k++) {
			if (!keep)
				load_k(r, &s, stack, k, y);
			add_terms(r, x[k], keep ? y + k * n : y, n, &t);
		}
		for (int64_t j = 0; j < n; j++) {
			*ay_val(r, 0, i, j) = t.sum[j];
			*ay_mag(r, 0, i, j) = integral ? -1
						       : ay_err_sum(s.k, (double)fabs(t.sum[j]), (double)t.sq[j],
								    (double)sqrt(t.top[j]));
			*ay_norm(r, 0, i, j) = (double)sqrt(t.sq[j]);
		}
	}
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

static void cost(const struct ay_call *c, struct ay_cost *k)
{
	const struct ay_view *a = ay_t(c, "self");

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
		{ "((T([m, k], dt), T([k, n], dt)), {})", "dt=f16|f32|bf16 (m,n,k)=(1,1,32)|(15,160,1024)|(495,5333,71)|(512,512,512)|(1,4096,4096)", AY_FULL },
		{ "((T([4, m, k], dt), T([4, k, n], dt)), {})", "dt=f16|f32|bf16 (m,n,k)=(1,1,32)|(15,160,1024)|(495,333,71)", AY_FULL },
		{ "((T(a, dt), T(b, dt)), {})", "dt=f32|f16|bf16 (a,b)=([4096, 1024],[1024])|([16, 4, 64, 128],[16, 1, 128, 64])", AY_FULL },
		{ "((T(a, dt), T(b, dt)), {})", "dt=f32|f16|bf16 (a,b)=([384, 384],[384, 384])|([1024, 1024],[1024, 1024])|([1, 4096],[4096, 4096])|([16, 128, 64],[16, 64, 128])", AY_PERF },
	},
	.makers    = makers,
	.accepts   = accepts,
	.result    = result,
	.rows      = ay_rows_last,
	.reference = matmul,
	.cost      = cost,
	.aten_differs = aten_differs,
	.flags     = AY_INTEGRAL,
}, {0}};
