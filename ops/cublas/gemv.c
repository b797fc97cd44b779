/* SPDX-License-Identifier: Apache-2.0
 *
 * y = alpha * op(A) * x + beta * y for complex64 (cublasCgemv_v2). A is m x n, column-major; op is nothing for "N",
 * the transpose for "T" and the conjugate transpose for "C".
 *
 * A is described as it is stored, T([columns, ld]), see gemm.c; x and y as the stored vectors, one element in |inc|
 * used. A negative increment runs from the end, as in every BLAS: element i lies at (len - 1 - i) |inc|.
 *
 * Error: a sum of k complex products scaled and added to beta * y, mag = |alpha| growth(k) R + |alpha s| + |beta y|
 * with moduli for sizes. What lies between the elements of y must stay as it was, bit for bit. With beta = 0 y is not
 * read: such cases have NaN there.
 *
 * What the original test missed: its baseline passes host scalars where the library expects device pointers; a
 * tolerance without the length of the sum; no ld above m, no odd size, no negative increment, no NaN in y where beta
 * is 0, no beta with an imaginary part. A kernel that takes "C" for "T" it does see.
 *
 * Cases: original 1,152, all sound and distinct; here 1,152 full.
 */
#include "op/op.h"

#include <stdlib.h>
#include <string.h>

static bool is_trans(const struct ay_call *c)
{
	return ay_text(c, "trans")[0] != 'N';
}

static int check_vector(const struct ay_call *c, const char *name, const char *inc, int64_t len,
			struct ay_err *err)
{
	const struct ay_view *v = ay_t(c, name);
	const int64_t step = llabs(ay_int(c, inc));

	if (v->dt != AY_DT_C64 || v->ndim != 1 || (v->shape[0] > 1 && v->stride[0] != 1))
		return ay_fail(err, AY_ERR_BIND, "%s must be a dense 1-dim c64 tensor", name);
	if (!step || (len && v->shape[0] < 1 + (len - 1) * step))
		return ay_fail(err, AY_ERR_BIND, "%s has %lld elements, but %lld are used with %s = %lld", name,
			       (long long)v->shape[0], (long long)len, inc, (long long)ay_int(c, inc));
	return 0;
}

static int accepts(const struct ay_call *c, struct ay_err *err)
{
	const struct ay_view *a = ay_t(c, "A");
	const int64_t m = ay_int(c, "m"), n = ay_int(c, "n"), ld = ay_int(c, "lda");

	if (!strchr("NTC", ay_text(c, "trans")[0]) || strlen(ay_text(c, "trans")) != 1)
		return ay_fail(err, AY_ERR_BIND, "trans is 'N', 'T' or 'C', not '%s'", ay_text(c, "trans"));
	if (m < 0 || n < 0 || ld < 1 || ld < m)
		return ay_fail(err, AY_ERR_BIND, "m or n is negative, or lda smaller than m");
	if (a->dt != AY_DT_C64 || a->ndim != 2 || a->shape[0] < n || a->shape[1] < m)
		return ay_fail(err, AY_ERR_BIND, "A must be a c64 tensor, [columns, ld], that holds m x n");
	if ((a->shape[0] > 1 && a->stride[0] != ld) || (a->shape[1] > 1 && a->stride[1] != 1))
		return ay_fail(err, AY_ERR_BIND, "the columns of A are not %lld elements apart", (long long)ld);
	if (ay_operand(c, "y")->role != AY_INOUT)
		return ay_fail(err, AY_ERR_BIND, "y has content before the call: not fill=out");
	return check_vector(c, "x", "incx", is_trans(c) ? m : n, err) ||
			       check_vector(c, "y", "incy", is_trans(c) ? n : m, err)
		       ? -1
		       : 0;
}

/* A Scalar as cuBLAS takes it, in c64. */
static num factor(const struct ay_call *c, const char *name)
{
	return ay_round_bits(ay_number(c, name), ay_dt_info(AY_DT_C64)->mant);
}

/* Element i of len that lie inc apart. */
static int64_t vector_at(int64_t i, int64_t len, int64_t inc)
{
	return inc < 0 ? (len - 1 - i) * -inc : i * inc;
}

/* Row `row` of op(A), n numbers, times x. */
static void dot(struct ay_ref *r, const num *a, const num *x, int64_t n, num old, int64_t at)
{
	const num alpha = factor(r->c, "alpha"), beta = factor(r->c, "beta");
	const double size = (double)fabs(alpha);
	double sumsq = 0, prefix = 0;
	num sum = 0, s, b;

	for (int64_t k = 0; k < n; k++) {
		num t = a[k] * x[k];
		double term = (double)fabs(t);

		sum = acc(r, sum + t);
		sumsq += term * term;
		prefix = fmax(prefix, (double)fabs(sum));
	}
	s = alpha == 0 ? 0 : alpha * sum;
	b = beta == 0 ? 0 : beta * old; /* a NaN that must not be read */
	*ay_val(r, 0, at, 0) = s + b;
	*ay_mag(r, 0, at, 0) = (size == 0 ? 0 : size * ay_err_sum(n, (double)fabs(sum), sumsq, prefix)) +
			       2 * (double)(fabs(s) + fabs(b));
	*ay_norm(r, 0, at, 0) = size * sqrt(sumsq);
}

static void gemv(struct ay_ref *r)
{
	const int64_t m = ay_int(r->c, "m"), n = ay_int(r->c, "n"), ld = ay_int(r->c, "lda");
	const int64_t incx = ay_int(r->c, "incx"), incy = ay_int(r->c, "incy");
	const int64_t out = is_trans(r->c) ? n : m, in = is_trans(r->c) ? m : n;
	const num *old = ay_load_flat(r, ay_t(r->c, "y"), 0);
	struct ay_view a = *ay_t(r->c, "A");
	num *row = ay_tmp(r, in + 1), *x = ay_tmp(r, in + 1);

	a.conj ^= ay_text(r->c, "trans")[0] == 'C';
	a.shape[0] = out;
	a.shape[1] = in;
	a.stride[0] = is_trans(r->c) ? ld : 1;
	a.stride[1] = is_trans(r->c) ? 1 : ld;
	for (int64_t k = 0; k < in; k++)
		x[k] = ay_get(r, ay_t(r->c, "x"), vector_at(k, in, incx));
	for (int64_t i = r->lo; i < r->hi; i++) {
		const int64_t k = i / llabs(incy);

		if (i % llabs(incy) || k >= out) {
			*ay_val(r, 0, i, 0) = old[i - r->lo];
			*ay_mag(r, 0, i, 0) = -1;
			continue;
		}
		if (in)
			ay_load(r, &a, -1, incy < 0 ? out - 1 - k : k, row);
		dot(r, row, x, in, old[i - r->lo], i);
	}
}

static void cost(const struct ay_call *c, struct ay_cost *k)
{
	double m = (double)ay_int(c, "m"), n = (double)ay_int(c, "n");

	if (ay_number(c, "alpha") == 0 || !m || !n)
		return; /* y is scaled at most, and with beta = 1 nothing is done */
	k->flops = 8 * m * n;
	k->bytes = 8 * (m * n + m + n); /* without the padding and what the increments step over */
}

/* clang-format off */
#define OUT "(tr == 'N' ? m : n)"
#define IN  "(tr == 'N' ? n : m)"
#define ABS(x) "(" x " < 0 ? 0 - " x " : " x ")"
#define LINE(a, lda, fx, fy) "((tr, m, n, al, " a ", " lda ", T([1 + (" IN " - 1) * " ABS("ix") "], c64" fx "), ix, be, T([1 + (" OUT " - 1) * " ABS("iy") "], c64" fy "), iy), {})"
#define DENSE(p, f, fy) LINE("T([n, m + " p "], c64" f ")", "m + " p, f, fy)
/* Drawn cases. A lies with or without padding behind its last column (q = 1: with), which its strides say. */
#define VECTOR(len, inc, p, o, fill) "T([1 + (" len " - 1) * " ABS(inc) " + " p "], c64, stride=(1,), offset=" o ", fill=" fill ")"
#define DRAWN "((tr, m, n, al, T([n, m + q * p], c64, stride=(m + p, 1), offset=o, fill=f), m + p, " VECTOR(IN, "ix", "px", "ox", "f") ", ix, be, " VECTOR(OUT, "iy", "py", "oy", "fy") ", iy), {})"
#define DRAWN_SLOTS "tr='N'|'T'|'C' al=(1+0j)|1|(-0.5+0.5j)|(0.5-2j)|2j|0j be=0j|0|0|(1+0j)|(0.75-0.25j)|-1j p=0|0|size(1, 9) q=0|1 " \
		"ix=1|1|2|3|-1|-2 iy=1|1|2|3|-1|-3 px=0|0|int(1, 5) py=0|0|int(1, 5) o=0|int(1, 7) ox=0|int(1, 7) oy=0|int(1, 7) " \
		"f='normal'|'normal'|'normal(1, 1)'|'heavy(0.1)'|'exact'|'mixed' fy=be == 0j ? one('const(nan)', 'normal') : be == 0 ? one('const(nan)', 'normal') : one('normal', 'exact')"
#define TRANS "tr='N'|'T'|'C' "

const struct ay_op ay_ops_gemv[] = {{
	.schemas   = AY_SCHEMAS("cublas::cublasCgemv_v2(str trans, int m, int n, Scalar alpha, Tensor A, int lda, Tensor x, int incx, "
				"Scalar beta, Tensor(a!) y, int incy) -> Tensor(a!)"),
	.doc       = "y = alpha * op(A) * x + beta * y in complex64. A is m x n and column-major: element (i, j) lies at data[i + j * lda], "
		     "whatever the shape of its tensor says. op(A) is A for 'N', its transpose for 'T', its conjugate transpose for 'C'; x "
		     "has n elements and y m for 'N', else m and n. Element i of x lies at i * incx, or at (len - 1 - i) * -incx if incx is "
		     "negative; y likewise. If beta is 0, y is not read: NaN there must not reach the result. Elements of y's tensor "
		     "between those used keep their bits. alpha and beta are rounded to complex64.",
	.cases     = {
		{ DENSE("p", "", ""), TRANS "(al,be)=((1+0j),0j)|((-0.5+0.5j),(0.75-0.25j)) p=0|3 (m,n)=(1,1)|(7,5)|(1,33)|(33,1)|(17,65) (ix,iy)=(1,1)|(2,3)", AY_QUICK },
		{ DENSE("2", "", ""), TRANS "(al,be)=((0.5-2j),(1+0j)) (m,n)=(9,13) (ix,iy)=(-1,1)|(1,-1)|(-2,-3)|(3,-2)", AY_QUICK },
		{ DENSE("p", "", ", fill=const(nan)"), TRANS "(al,be)=((1+0j),0j)|(2j,0j) p=0|5 (m,n)=(17,9) (ix,iy)=(1,1)", AY_QUICK },
		{ DENSE("0", "", ""), TRANS "(al,be)=(0j,(1+0j))|(0j,1j)|((1+0j),1j) (m,n)=(5,7) (ix,iy)=(1,1)|(1,2)", AY_QUICK },
		{ DENSE("0", "", ""), TRANS "(al,be)=((1+0j),0j)|(1,1)|(0.5,2.0) (m,n)=(64,1000)|(1000,64) (ix,iy)=(1,1)", AY_QUICK },
		{ DENSE("0", "", ""), "tr='N' (al,be)=((1+0j),0j) (m,n)=(9,8192) (ix,iy)=(1,1) ; tr='C' (al,be)=((1+0j),0j) (m,n)=(8192,9) (ix,iy)=(1,1)", AY_QUICK },
		{ DENSE("0", "", ""), "tr='N' (al,be)=((1+0j),0j) (m,n)=(2,4099)|(2,12289) (ix,iy)=(1,1) ; tr='T'|'C' (al,be)=((1+0j),0j) (m,n)=(4099,2)|(12289,2) (ix,iy)=(1,1)", AY_QUICK },
		{ DENSE("1", ", fill=exact", ", fill=exact"), TRANS "(al,be)=(1,0)|(1,1) (m,n)=(33,41) (ix,iy)=(1,1)|(1,2)", AY_QUICK },
		{ DENSE("0", ", fill=normal(1, 1)", ""), TRANS "(al,be)=((1+1j),(1+0j)) (m,n)=(41,300) (ix,iy)=(1,1)", AY_QUICK },
		/* no padding behind the last column: what reads there touches the guard */
		{ LINE("T([n, m], c64, stride=(m + 23, 1), offset=o)", "m + 23", "", ""), TRANS "(al,be)=((1+0j),(0.5+0j)) (m,n)=(17,9) (ix,iy)=(1,2) o=0|3", AY_QUICK },
		{ DENSE("0", "", ""), "iy=1|2 ix=1|2 be=(1+0j)|0j al=(1+0j)|0j|(-0.5+0.5j) " TRANS "n=1|16|64|128 m=1|16|64|128", AY_FULL },
		{ DENSE("0", "", ""), TRANS "(al,be)=((1+0j),0j) (m,n)=(1024,1024)|(4096,4096) (ix,iy)=(1,1)", AY_PERF },
	},
	.vary      = {
		{ DRAWN, "m=last() n=size(1, 80) " DRAWN_SLOTS },
		{ DRAWN, "n=last() m=size(1, 80) " DRAWN_SLOTS },
	},
	.accepts   = accepts,
	.reference = gemv,
	.promises  = "whether A and x are read where alpha is 0 (they hold finite numbers there)",
	.cost      = cost,
	.flags     = AY_INTEGRAL,
}, {0}};
