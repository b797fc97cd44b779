/* SPDX-License-Identifier: Apache-2.0
 *
 * x = op(A)^-1 x in place for f32 (cublasStrsv_v2): A is n x n, triangular, column-major.
 *
 * A is described as it is stored, T([columns, ld]), see gemm.c; x as the stored vector, one element in |incx|
 * used. uplo, trans and diag are cuBLAS's numbers, as in the original. What is not read is NaN here: the other
 * triangle, the padding of ld and, for a unit triangle, the diagonal.
 *
 * Judged backwards. A random triangle is badly conditioned: honest answers may differ in all digits, yet each
 * solves a system close by. So row i, in the order of solving, must hold with the x that the kernel gave:
 *
 *	|b_i - sum a_ij x_j| <= 4 u growth(k) R,  R = max(|a_ii x_i|, 2-norm of b_i and the terms, largest partial sum)
 *
 * with k the row's terms, b_i counted. The contracts measured it, n = 32 to 4,096: honest kernels need at most a
 * quarter of it, TF32 240 times as much. A row where the exact value is not finite either is not judged, nor are
 * those behind it: the cases have none. Elements of x's tensor between those used keep their bits.
 *
 * What the original test missed: everything off the diagonal. torch.tril of a row-major matrix is the upper
 * triangle in column-major order, so the triangle that cuBLAS read was zero but for its diagonal, and a kernel
 * that divides by it passed. It also ignored the status, and had no negative incx, no ld above n, no op 'C'.
 *
 * Cases: original 96, all degenerate; here the same 96 full, with a full triangle.
 */
#include "op/op.h"

#include <stdio.h>
#include <stdlib.h>

enum { LOWER = 0, UNIT = 1 };

static int accepts(const struct ay_call *c, struct ay_err *err)
{
	const struct ay_view *a = ay_t(c, "A"), *x = ay_t(c, "x");
	const int64_t n = ay_int(c, "n"), ld = ay_int(c, "lda"), inc = ay_int(c, "incx");
	int64_t last;

	if ((uint64_t)ay_int(c, "uplo") > 1 || (uint64_t)ay_int(c, "trans") > 2 || (uint64_t)ay_int(c, "diag") > 1)
		return ay_fail(err, AY_ERR_BIND, "uplo and diag are 0 or 1, trans is 0, 1 or 2");
	if (n < 0 || ld < 1 || ld < n)
		return ay_fail(err, AY_ERR_BIND, "n is negative, or lda smaller than n");
	if (a->dt != AY_DT_F32 || a->ndim != 2 || a->shape[0] < n || a->shape[1] < n)
		return ay_fail(err, AY_ERR_BIND, "A must be an f32 tensor, [columns, ld], that holds n x n");
	if ((a->shape[0] > 1 && a->stride[0] != ld) || (a->shape[1] > 1 && a->stride[1] != 1))
		return ay_fail(err, AY_ERR_BIND, "the columns of A are not %lld elements apart", (long long)ld);
	if (x->dt != AY_DT_F32 || x->ndim != 1 || (x->shape[0] > 1 && x->stride[0] != 1))
		return ay_fail(err, AY_ERR_BIND, "x must be a dense 1-dim f32 tensor");
	if (!inc || inc == INT64_MIN || __builtin_mul_overflow(n - 1, llabs(inc), &last) || last >= x->shape[0])
		return ay_fail(err, AY_ERR_BIND, "x has %lld elements, but %lld are used with incx = %lld",
			       (long long)x->shape[0], (long long)n, (long long)inc);
	if (ay_operand(c, "x")->role != AY_INOUT)
		return ay_fail(err, AY_ERR_BIND, "x has content before the call: not fill=out");
	return 0;
}

/* --- the system in the order in which it is solved --------------------------------------------------------- */

/* Row k of it is row at(k) of op(A), whose place in x is place(k). */
struct system {
	int64_t n, inc;
	bool unit, forward;
	struct ay_view a; /* op(A): element (i, j) by its two strides */
	num *column;
	real *left, *sumsq, *most; /* per row: b less the terms so far, squares of all these, largest of `left` */
};

static int64_t at(const struct system *s, int64_t k)
{
	return s->forward ? k : s->n - 1 - k;
}

static int64_t place(const struct system *s, int64_t k)
{
	return s->inc < 0 ? (s->n - 1 - at(s, k)) * -s->inc : at(s, k) * s->inc;
}

static struct system open_system(struct ay_ref *r)
{
	const bool trans = ay_int(r->c, "trans") != 0;
	const int64_t n = ay_int(r->c, "n"), ld = ay_int(r->c, "lda");
	struct system s = { .n = n, .inc = ay_int(r->c, "incx"), .unit = ay_int(r->c, "diag") == UNIT };

	s.forward = (ay_int(r->c, "uplo") == LOWER) != trans;
	s.a = *ay_t(r->c, "A");
	s.a.shape[0] = s.a.shape[1] = n;
	s.a.stride[0] = trans ? ld : 1;
	s.a.stride[1] = trans ? 1 : ld;
	s.column = ay_tmp(r, n + 1);
	s.left = AY_NEW_N(r->tmp, real, n + 1);
	s.sumsq = AY_NEW_N(r->tmp, real, n + 1);
	s.most = AY_NEW_N(r->tmp, real, n + 1);
	for (int64_t k = 0; k < n; k++) {
		const real b = re(ay_get(r, ay_t(r->c, "x"), place(&s, k)));

		s.left[at(&s, k)] = b;
		s.sumsq[at(&s, k)] = b * b;
		s.most[at(&s, k)] = fabs(b);
	}
	return s;
}

/* Column k, the pivot in *pivot. */
static void load_column(const struct ay_ref *r, const struct system *s, int64_t k, real *pivot)
{
	ay_load(r, &s->a, 0, at(s, k), s->column);
	*pivot = s->unit ? 1 : re(s->column[at(s, k)]);
}

/* Takes the terms of x_k out of the rows behind it. */
static void eliminate(const struct ay_ref *r, struct system *s, int64_t k, real x)
{
	const int64_t lo = s->forward ? at(s, k) + 1 : 0, hi = s->forward ? s->n : at(s, k);

	for (int64_t i = lo; i < hi; i++) {
		const real t = re(s->column[i]) * x;

		s->left[i] = re(acc(r, s->left[i] - t));
		s->sumsq[i] += t * t;
		s->most[i] = fabs(s->left[i]) > s->most[i] ? fabs(s->left[i]) : s->most[i];
	}
}

/* One of the right answers; x is rounded where a kernel stores it. */
static void trsv(struct ay_ref *r)
{
	struct system s = open_system(r);
	const struct ay_view *x = ay_t(r->c, "x");

	for (int64_t i = 0; i < r->len[0]; i++) {
		*ay_val(r, 0, 0, i) = ay_get(r, x, i);
		*ay_mag(r, 0, 0, i) = -1;
	}
	for (int64_t k = 0; k < s.n; k++) {
		real pivot, solved;

		load_column(r, &s, k, &pivot);
		solved = re(ay_round_bits(s.left[at(&s, k)] / pivot, ay_dt_info(AY_DT_F32)->mant));
		eliminate(r, &s, k, solved);
		*ay_val(r, 0, 0, place(&s, k)) = solved;
		*ay_mag(r, 0, 0, place(&s, k)) = AY_FREE;
	}
}

/* --- the residual ------------------------------------------------------------------------------------------ */

/* Is x a right value for row k? *want is what it would be exactly, *bound how far off it may be. */
static bool row_holds(const struct system *s, int64_t k, real pivot, real x, real *want, real *bound)
{
	const real left = s->left[at(s, k)], t = isfinite(x) ? pivot * x : 0; /* or it would excuse itself */
	const real norm = sqrt(s->sumsq[at(s, k)] + t * t), size = fmax(fmax(norm, s->most[at(s, k)]), fabs(t));
	const real flushed = ldexp((real)1, ay_dt_info(AY_DT_F32)->emin); /* subnormals may be taken for 0 */

	*want = left / pivot;
	*bound = (real)(AY_K_ACC * ay_u_acc(AY_DT_F32) * ay_growth(k + 1)) * size / fabs(pivot) + flushed;
	if (isnan(*want) || isnan(x))
		return isnan(*want) && isnan(x);
	if (isinf(x))
		return signbit(x) == signbit(*want) && fabs(*want) + *bound > (real)ay_dt_max(AY_DT_F32);
	return fabs(left - t) <= *bound * fabs(pivot);
}

static void note(struct ay_finding *f, int64_t index, real want, real got, real bound)
{
	if (f->bad++)
		return;
	f->index = index;
	f->want = (double)want;
	f->got = (double)got;
	f->bound = (double)bound;
	snprintf(f->text, sizeof f->text,
		 isnan(got)
			 ? "what is not to be read is NaN: the other triangle, a unit diagonal, the padding of lda"
			 : "op(A) x = b does not hold in this row, with the elements that were solved before it");
}

static void check(const struct ay_call *c, const struct ay_view *const *got, struct ay_finding *f)
{
	struct ay_arena tmp = { 0 };
	struct ay_ref r = { .c = c, .tmp = &tmp };
	struct system s = open_system(&r);

	for (int64_t k = 0; k < s.n; k++) {
		real x = re(ay_get(&r, got[0], place(&s, k))), pivot, want, bound;

		load_column(&r, &s, k, &pivot);
		if (!row_holds(&s, k, pivot, x, &want, &bound))
			note(f, place(&s, k), want, x, bound);
		if (!isfinite(x)) /* nothing is known about the rows behind it */
			break;
		eliminate(&r, &s, k, x);
	}
	ay_arena_release(&tmp);
}

/* --- around it --------------------------------------------------------------------------------------------- */

/* The triangle that is read: off the diagonal normal / sqrt(n), so that x neither grows nor fades; the diagonal in
 * +-[1, 2). The rest of the storage is NaN. */
static double make_triangle(const struct ay_call *c, const struct ay_operand *o, const struct ay_fill *f,
			    int64_t i, uint64_t bits)
{
	const int64_t n = ay_int(c, "n"), ld = ay_int(c, "lda"), from = i - o->view.offset;
	const int64_t row = from % ld, col = from / ld;
	double sum = 0;

	(void)f;
	if (from < 0 || row >= n || col >= n || (row != col && (row > col) != (ay_int(c, "uplo") == LOWER)))
		return NAN;
	if (row == col && ay_int(c, "diag") == UNIT)
		return NAN;
	if (row == col)
		return (bits & 1 ? -1 : 1) * (1 + (double)(bits >> 12) * 0x1p-52);
	for (int k = 0; k < 64; k += 16)
		sum += (double)(bits >> k & 0xffff) - 32767.5;
	return sum / sqrt(4 * (65536.0 * 65536.0 - 1) / 12 * (double)n);
}

static const struct ay_maker makers[] = { { "triangle", make_triangle }, { 0 } };

/* Each element of the triangle is read once, x read and written. */
static void cost(const struct ay_call *c, struct ay_cost *k)
{
	const double n = (double)ay_int(c, "n"), unit = ay_int(c, "diag") == UNIT;

	k->flops = n * (n - 1) + (unit ? 0 : n);
	k->bytes = 4 * (n * (n - 1) / 2 + (unit ? 0 : n) + 2 * n);
}

/* clang-format off */
#define LENGTH "1 + (n - 1) * (ix < 0 ? 0 - ix : ix)"
#define LINE(a, lda, b) "((u, t, d, n, " a ", " lda ", T([" LENGTH "], f32" b "), ix), {})"
#define DENSE(p, b) LINE("T([n, n + " p "], f32)", "n + " p, b)
#define FORMS "u=0|1 t=0|1|2 d=0|1 "

const struct ay_op ay_ops_trsv[] = {{
	.schemas   = AY_SCHEMAS("cublas::cublasStrsv_v2(int uplo, int trans, int diag, int n, Tensor A, int lda, Tensor(a!) x, int incx) -> Tensor(a!)"),
	.doc       = "Solves op(A) y = x and writes y to x, in f32. A is n x n and triangular, column-major: element (i, j) lies at "
		     "data[i + j * lda], whatever the shape of its tensor says. uplo: 0 = the lower triangle is read, 1 = the upper one. "
		     "trans: op(A) is A for 0, its transpose for 1 and 2. diag: 0 = the diagonal is read, 1 = it is taken to be 1. Nothing "
		     "else of A may be read: NaN lies there. Element i of x lies at i * incx, or at (n - 1 - i) * -incx if incx is negative; "
		     "elements of x's tensor between those keep their bits. Judged by the residual of each row, given the elements of x "
		     "solved before it: |b_i - sum a_ij x_j| <= 4 u (sqrt(k) + k / 32) R for k terms of size R.",
	.cases     = {
		{ DENSE("p", ""), FORMS "p=0|3 ix=1 n=1|2|7|33", AY_QUICK },
		{ DENSE("1", ""), FORMS "n=9 ix=2|-1|-3", AY_QUICK },
		{ DENSE("0", ""), FORMS "n=129|300 ix=1", AY_QUICK },
		{ DENSE("0", ""), "u=0|1 t=0|1 d=0|1 n=1000 ix=1|2", AY_QUICK },
		{ DENSE("0", ", fill=heavy"), "u=0|1 t=0|1 d=0|1 n=65 ix=1", AY_QUICK },
		{ DENSE("0", ", fill=normal(1, 1)"), "u=0|1 t=0|1 d=0|1 n=65 ix=1", AY_QUICK },
		/* no padding behind the last column: what reads there touches the guard */
		{ LINE("T([n, n], f32, stride=(n + 23, 1), offset=o)", "n + 23", ""), FORMS "n=17 ix=1 o=0|3", AY_QUICK },
		{ "((u, t, d, 0, T([0, 1], f32), 1, T([3], f32), 1), {})", FORMS, AY_QUICK },
		{ DENSE("0", ""), "d=0|1 t=0|1 u=0|1 ix=1|2 n=1|32|71|1024|4096|5333", AY_FULL },
		{ DENSE("0", ""), "u=0|1 t=0|1 d=0 ix=1 n=1024|4096|5333", AY_PERF },
	},
	.vary      = {
		{ "((u, t, d, n, T([n, n + q * p], f32, stride=(n + p, 1), offset=o), n + p, T([" LENGTH " + px], f32, stride=(1,), offset=ox, fill=f), ix), {})",
		  "n=last()|last()|last()|last()|last()|last()|last()|last()|last()|size(1, 500) " FORMS "p=0|0|0|0|0|0|size(1, 9) q=0|1 ix=1|1|2|3|-1|-2 px=0|0|int(1, 5) o=0|int(1, 7) ox=0|int(1, 7) f='normal'|'normal(1, 1)'|'heavy'|'exact'|'mixed'" },
	},
	.fills     = "A=triangle",
	.makers    = makers,
	.accepts   = accepts,
	.rows      = ay_rows_whole,
	.reference = trsv,
	.check     = check,
	.cost      = cost,
	.promises  = "how far x is from the exact solution: the residual decides",
	.flags     = AY_ANY_ORDER,
}, {0}};
