/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * op(A) * op(B) + beta * C, column-major, for one matrix (cublasSgemm_v2) and for arrays of matrices
 * (cublasDgemmBatched). op is nothing for "N" and the transpose for "T" and "C".
 *
 * A matrix is described as it is stored: T([columns, ld]), row-major, is the column-major matrix, its first rows
 * used; T([columns, rows], stride=(ld, 1)) is the same without padding behind the last column.
 *
 * Error: a sum of k products scaled and added to beta * C, mag = |alpha| growth(k) R + |alpha s| + |beta c|. What
 * is not part of the m x n result (rows between m and ldc, columns from n on) must stay as it was, bit for bit.
 * With beta = 0 C is not read: such cases have NaN there.
 *
 * The original has 352 and 180 cases, all of them full rows here. They have no padding, no NaN in C where beta
 * is 0 and no "C": the quick rows do.
 */
#include "op/op.h"

#include <string.h>

/* op(A) and op(B) of one product, seen so that row j of b (k numbers) meets row k of a (m numbers). */
struct product {
	struct ay_view a, b; /* [k, m] and [n, k] */
	int64_t m, n, k;
	num alpha, beta;
};

static bool is_trans(const struct ay_call *c, const char *name)
{
	return ay_text(c, name)[0] != 'N';
}

/* op(v) with the two dimensions [outer, inner]; inner runs along a stored column where flip is false. */
static struct ay_view op_view(const struct ay_view *v, int64_t outer, int64_t inner, int64_t ld, bool flip)
{
	struct ay_view w = *v;

	w.ndim = 2;
	w.shape[0] = outer;
	w.shape[1] = inner;
	w.stride[0] = flip ? 1 : ld;
	w.stride[1] = flip ? ld : 1;
	return w;
}

static struct product product_of(const struct ay_call *c, const struct ay_view *a, const struct ay_view *b)
{
	struct product p = { .m = ay_int(c, "m"), .n = ay_int(c, "n"), .k = ay_int(c, "k") };
	int bits = ay_dt_info(a->dt)->mant; /* cuBLAS takes alpha and beta in the dtype of the matrices */

	p.a = op_view(a, p.k, p.m, ay_int(c, "lda"), is_trans(c, "transa"));
	p.b = op_view(b, p.n, p.k, ay_int(c, "ldb"), is_trans(c, "transb"));
	p.alpha = ay_round_bits(ay_number(c, "alpha"), bits);
	p.beta = ay_round_bits(ay_number(c, "beta"), bits);
	return p;
}

/* --- what is a legal call --- */

static int check_matrix(const struct ay_view *v, const char *name, enum ay_dt dt, int64_t rows, int64_t columns,
			int64_t ld, struct ay_err *err)
{
	if (!v || v->dt != dt || v->ndim != 2)
		return ay_fail(err, AY_ERR_BIND, "%s must be a 2-dim %s tensor, [columns, ld]", name,
			       ay_dt_info(dt)->name);
	if (ld < 1 || ld < rows)
		return ay_fail(err, AY_ERR_BIND, "the leading dimension of %s is %lld, it has %lld rows", name,
			       (long long)ld, (long long)rows);
	if (v->shape[0] < columns || v->shape[1] < rows)
		return ay_fail(err, AY_ERR_BIND, "%s is %lld x %lld, but holds %lld columns of %lld", name,
			       (long long)v->shape[0], (long long)v->shape[1], (long long)columns,
			       (long long)rows);
	if ((v->shape[0] > 1 && v->stride[0] != ld) || (v->shape[1] > 1 && v->stride[1] != 1))
		return ay_fail(err, AY_ERR_BIND, "the columns of %s are not %lld elements apart", name,
			       (long long)ld);
	return 0;
}

static int check_args(const struct ay_call *c, struct ay_err *err)
{
	static const char *const trans[] = { "transa", "transb" }, *const sizes[] = { "m", "n", "k" };

	for (int i = 0; i < 2; i++)
		if (!strchr("NTC", ay_text(c, trans[i])[0]) || strlen(ay_text(c, trans[i])) != 1)
			return ay_fail(err, AY_ERR_BIND, "%s is 'N', 'T' or 'C', not '%s'", trans[i],
				       ay_text(c, trans[i]));
	for (int i = 0; i < 3; i++)
		if (ay_int(c, sizes[i]) < 0)
			return ay_fail(err, AY_ERR_BIND, "%s is negative", sizes[i]);
	return 0;
}

static int check_product(const struct ay_call *c, const struct ay_view *a, const struct ay_view *b,
			 const struct ay_operand *out, const char *const names[3], enum ay_dt dt,
			 struct ay_err *err)
{
	int64_t m = ay_int(c, "m"), n = ay_int(c, "n"), k = ay_int(c, "k");
	bool ta = is_trans(c, "transa"), tb = is_trans(c, "transb");

	if (check_matrix(a, names[0], dt, ta ? k : m, ta ? m : k, ay_int(c, "lda"), err) ||
	    check_matrix(b, names[1], dt, tb ? n : k, tb ? k : n, ay_int(c, "ldb"), err) ||
	    check_matrix(out ? &out->view : NULL, names[2], dt, m, n, ay_int(c, "ldc"), err))
		return -1;
	return out->role == AY_INOUT
		       ? 0
		       : ay_fail(err, AY_ERR_BIND, "%s has content before the call: not fill=out", names[2]);
}

static int accepts_one(const struct ay_call *c, struct ay_err *err)
{
	static const char *const names[] = { "A", "B", "C" };

	return check_args(c, err) || check_product(c, ay_t(c, "A"), ay_t(c, "B"), ay_operand(c, "C"), names,
						   AY_DT_F32, err)
		       ? -1
		       : 0;
}

static const struct ay_barg *find(const struct ay_call *c, const char *name)
{
	for (int i = 0; i < c->s->narg; i++)
		if (!strcmp(c->arg[i].s->name, name))
			return &c->arg[i];
	return NULL;
}

static int accepts_batch(const struct ay_call *c, struct ay_err *err)
{
	static const char *const names[] = { "Aarray", "Barray", "Carray" };
	const struct ay_barg *out = find(c, "Carray");
	int64_t count = ay_int(c, "batchCount");

	if (check_args(c, err))
		return -1;
	for (int i = 0; i < 3; i++)
		if (ay_t_count(c, names[i]) != count)
			return ay_fail(err, AY_ERR_BIND, "%s has %d matrices, batchCount is %lld", names[i],
				       ay_t_count(c, names[i]), (long long)count);
	for (int i = 0; i < count; i++) {
		if (check_product(c, ay_t_at(c, "Aarray", i), ay_t_at(c, "Barray", i), out->t[i], names, AY_DT_F64,
				  err))
			return -1;
		if (out->t[i]->view.shape[0] != out->t[0]->view.shape[0])
			return ay_fail(err, AY_ERR_BIND,
				       "the matrices of Carray differ in their number of columns");
	}
	return 0;
}

/* --- the reference --- */

struct sums {
	num *sum;
	real *sq, *top; /* sum of squares, square of the largest prefix */
};

static void add_terms(const struct ay_ref *r, num x, const num *restrict y, int64_t n, const struct sums *s)
{
	num *restrict sum = s->sum;
	real *restrict sq = s->sq, *restrict top = s->top;

	for (int64_t j = 0; j < n; j++) {
		num t = x * y[j], u = acc(r, sum[j] + t);
		real size = re(u) * re(u);

		sum[j] = u;
		sq[j] += re(t) * re(t);
		top[j] = size > top[j] ? size : top[j];
	}
}

static void put(const struct ay_ref *r, int out, int64_t col, int64_t i, const struct product *p, num old,
		const struct sums *s)
{
	double alpha = (double)fabs(p->alpha);
	num t = re(p->alpha) == 0 ? 0 : p->alpha * s->sum[i];
	num c = re(p->beta) == 0 ? 0 : p->beta * old; /* a NaN that must not be read */

	*ay_val(r, out, col, i) = t + c;
	*ay_mag(r, out, col, i) = ay_scaled_weight(
		alpha, ay_err_sum(p->k, (double)fabs(s->sum[i]), (double)s->sq[i], (double)sqrt(s->top[i])),
		(double)fabs(t), (double)fabs(c));
	*ay_norm(r, out, col, i) = alpha * (double)sqrt(s->sq[i]);
}

/* Columns [lo, hi) of one C, of which `old` is the content before. */
static void multiply(struct ay_ref *r, int out, const struct product *p, const struct ay_view *old)
{
	const int64_t len = r->len[out], m = p->m;
	num *x = ay_tmp(r, p->k), *was = ay_tmp(r, len), *y = ay_tmp(r, m * p->k);
	struct sums s = { ay_tmp(r, m), (real *)ay_tmp(r, m), (real *)ay_tmp(r, m) };

	for (int64_t k = 0; k < p->k && m; k++)
		ay_load(r, &p->a, -1, k, y + k * m);
	for (int64_t col = r->lo; col < r->hi; col++) {
		ay_load(r, old, -1, col, was);
		for (int64_t i = 0; i < len; i++) {
			*ay_val(r, out, col, i) = was[i];
			*ay_mag(r, out, col, i) = -1;
		}
		if (col >= p->n)
			continue;
		for (int64_t i = 0; i < m; i++) {
			s.sum[i] = 0;
			s.sq[i] = s.top[i] = 0;
		}
		if (p->k)
			ay_load(r, &p->b, -1, col, x);
		for (int64_t k = 0; k < p->k; k++)
			add_terms(r, x[k], y + k * m, m, &s);
		for (int64_t i = 0; i < m; i++)
			put(r, out, col, i, p, was[i], &s);
	}
}

static void gemm(struct ay_ref *r)
{
	struct product p = product_of(r->c, ay_t(r->c, "A"), ay_t(r->c, "B"));

	multiply(r, 0, &p, ay_t(r->c, "C"));
}

/* Row by row of the result as it is stored, which are C's columns; where C holds nothing else. */
static bool factors(const struct ay_call *c, struct ay_factors *f)
{
	const struct product p = product_of(c, ay_t(c, "A"), ay_t(c, "B"));
	const struct ay_operand *out = ay_operand(c, "C");

	*f = (struct ay_factors){ .a = ay_operand(c, "B"),
				  .b = ay_operand(c, "A"),
				  .left = p.b,
				  .right = p.a,
				  .rows = p.n,
				  .columns = p.m,
				  .k = p.k,
				  .c = out,
				  .scaled = true,
				  .alpha = (double)re(p.alpha),
				  .beta = (double)re(p.beta) };
	f->right.shape[0] = p.a.shape[1];
	f->right.shape[1] = p.a.shape[0];
	f->right.stride[0] = p.a.stride[1];
	f->right.stride[1] = p.a.stride[0];
	return out->view.shape[0] == p.n && out->view.shape[1] == p.m;
}

static void gemm_batched(struct ay_ref *r)
{
	for (int i = 0; i < r->c->nout; i++) {
		struct product p = product_of(r->c, ay_t_at(r->c, "Aarray", i), ay_t_at(r->c, "Barray", i));

		if (r->len[i])
			multiply(r, i, &p, ay_t_at(r->c, "Carray", i));
	}
}

static void cost(const struct ay_call *c, struct ay_cost *k)
{
	double m = (double)ay_int(c, "m"), n = (double)ay_int(c, "n"), inner = (double)ay_int(c, "k");

	if (ay_number(c, "alpha") == 0 || !inner)
		return; /* C is scaled at most, and with beta = 1 nothing is done */
	k->flops = (double)c->nout * m * n * (2 * inner + 2);
	/* without the padding up to lda, ldb and ldc */
	k->bytes = (double)c->nout * (m * inner + inner * n + m * n) * ay_dt_info(c->out[0]->view.dt)->bytes;
}

/* Spelling of the lines: A_N columns with LA rows are what A holds, and so on; p rows of padding. */
/* clang-format off */
#define A_N "(ta == 'N' ? k : m)"
#define LA  "(ta == 'N' ? m : k)"
#define B_N "(tb == 'N' ? n : k)"
#define LB  "(tb == 'N' ? k : n)"
/* the line with the three matrices written in full; then f32 and f64 ones with a fill each */
#define ONE(a, b, c, p) "((ta, tb, m, n, k, al, " a ", " LA " + " p ", " b ", " LB " + " p ", be, " c ", m + " p "), {})"
#define MA(p, dt, fill) "T([" A_N ", " LA " + " p "], " dt fill ")"
#define MB(p, dt, fill) "T([" B_N ", " LB " + " p "], " dt fill ")"
#define MC(p, dt, fill) "T([n, m + " p "], " dt fill ")"
#define FILLED(p, fill, fill_c) ONE(MA(p, "f32", fill), MB(p, "f32", fill), MC(p, "f32", fill_c), p)
#define BATCH(as, bs, cs, count) "((ta, tb, m, n, k, al, [" as "], " LA " + p, [" bs "], " LB " + p, be, [" cs "], m + p, " count "), {})"
#define X2(x) x ", " x
#define X4(x) X2(x) ", " X2(x)
#define DA MA("p", "f64", "")
#define DB MB("p", "f64", "")
#define DC MC("p", "f64", "")

/* Drawn cases. A matrix lies with or without padding behind its last column (q = 1: with), which its strides say. */
#define DRAWN(columns, rows, p, q, o, dt, fill) "T([" columns ", " rows " + " q " * " p "], " dt ", stride=(" rows " + " p ", 1), offset=" o ", fill=" fill ")"
#define DRAWN_A(dt) DRAWN(A_N, LA, "pa", "qa", "oa", dt, "f")
#define DRAWN_B(dt) DRAWN(B_N, LB, "pb", "qb", "ob", dt, "f")
#define DRAWN_C(dt) DRAWN("n", "m", "pc", "qc", "oc", dt, "fc")
#define DRAWN_SLOTS "ta='N'|'T'|'C' tb='N'|'T'|'C' al=1.0|1.0|-1.0|-0.999|100.001|0.0 be=0.0|0.0|1.0|-0.5|0.999 " \
		"pa=0|0|size(1, 9) pb=0|0|size(1, 9) pc=0|0|size(1, 9) qa=0|1 qb=0|1 qc=0|1 oa=0|int(1, 7) ob=0|int(1, 7) oc=0|int(1, 7) " \
		"f='normal'|'normal'|'normal(1, 1)'|'heavy(0.1)'|'exact'|'mixed' fc=be == 0.0 ? one('const(nan)', 'special', 'normal') : one('normal', 'exact') "
#define DRAWN_BATCH "((ta, tb, m, n, k, al, a, " LA " + pa, b, " LB " + pb, be, c, m + pc, x), {})"
#define DRAWN_LISTS "A=" DRAWN_A("f64") " B=" DRAWN_B("f64") " C=" DRAWN_C("f64") " (a,b,c,x)=([A],[B],[C],1)|([A, A],[B, B],[C, C],2)|([A, A, A],[B, B, B],[C, C, C],3)|([A, A, A, A, A],[B, B, B, B, B],[C, C, C, C, C],5)"

#define SIZES_S "(m,n,k)=(1,1,1)|(16,16,16)|(32,64,16)|(64,32,48)|(128,256,64)|(256,128,128)|(17,33,65)|(128,128,128)|(256,256,256)|(71,71,71)|(33,71,497)"
#define SIZES_D "(m,n,k)=(1,1,1)|(16,16,16)|(64,32,48)|(128,256,64)|(17,33,65)"
#define SCALES_S "(al,be)=(1.0,0.0)|(0.0,1.0)|(0.5,0.5)|(-1.0,1.0)|(2.0,-0.5)|(0.001,0.999)|(-0.999,0.5)|(100.001,-1.0)"
#define SCALES_D "(al,be)=(1.0,0.0)|(0.5,0.5)|(-1.0,1.0)"
#define TRANS   "(ta,tb)=('N','N')|('N','T')|('T','N')|('T','T') "
#define DOC     "Matrices are column-major: element (i, j) of X lies at data[i + j * ldX], whatever the shape of its tensor " \
		"says; op(X) is X for 'N' and its transpose for 'T' and 'C'; op(A) is m x k, op(B) is k x n, C is m x n. " \
		"If beta is 0, C is not read: NaN there must not reach the result. Elements of C's tensor outside the m x n " \
		"result (rows from m to ldc) keep their bits. m, n and k may be 0. "

const struct ay_op ay_ops_gemm[] = {{
	.schemas   = AY_SCHEMAS("cublas::cublasSgemm_v2(str transa, str transb, int m, int n, int k, float alpha, Tensor A, int lda, "
				"Tensor B, int ldb, float beta, Tensor(a!) C, int ldc) -> Tensor(a!)"),
	.doc       = "C = alpha * op(A) * op(B) + beta * C in f32. " DOC "All 24 bits of A and B count (no TF32).",
	.cases     = {
		{ FILLED("p", "", ""), TRANS "(al,be)=(1.0,0.0)|(-0.999,0.5) p=0|3 (m,n,k)=(1,1,1)|(7,5,3)|(17,33,65)|(1,9,64)|(9,1,64)", AY_QUICK },
		{ FILLED("p", "", ""), "(ta,tb)=('C','N')|('N','C')|('C','T') (al,be)=(2.0,-0.5)|(1.0,1.0) (m,n,k)=(13,11,37) p=2", AY_QUICK },
		{ FILLED("3", "", ""), TRANS "(al,be)=(1.0,0.0)|(1.0,0.5) (m,n,k)=(5,4,0)|(0,4,5)|(4,0,5)", AY_QUICK },
		{ FILLED("p", "", ""), TRANS "(al,be)=(0.0,1.0)|(0.0,0.5)|(0.0,0.0) (m,n,k)=(3,5,4) p=0|1", AY_QUICK },
		{ FILLED("p", "", ", fill=const(nan)"), TRANS "(al,be)=(1.0,0.0)|(0.5,0.0) p=0|5 (m,n,k)=(17,9,33)|(64,3,64)", AY_QUICK },
		{ FILLED("4", "", ", fill=special"), TRANS "(al,be)=(1.5,0.0)|(1.0,-1.0) (m,n,k)=(13,9,20)", AY_QUICK },
		{ FILLED("0", "", ""), "(ta,tb)=('N','N')|('T','N') (al,be)=(1.0,0.0)|(1.0,1.0) (m,n,k)=(9,13,64)|(9,13,1024)|(9,13,8192)|(64,64,64)", AY_QUICK },
		{ FILLED("0", "", ""), TRANS "(al,be)=(1.0,0.0) (m,n,k)=(2,3,4099)|(2,3,12289)", AY_QUICK },
		{ FILLED("p", ", fill=exact", ", fill=exact"), TRANS "(al,be)=(1.0,0.0)|(1.0,1.0) (m,n,k)=(33,41,60) p=0|1", AY_QUICK },
		{ FILLED("0", ", fill=heavy(0.1)", ""), TRANS "(al,be)=(1.0,0.0) (m,n,k)=(9,13,300)", AY_QUICK },
		{ FILLED("0", ", fill=normal(1, 1)", ""), TRANS "(al,be)=(1.0,1.0) (m,n,k)=(9,13,300)", AY_QUICK },
		/* no padding behind the last column: what reads or writes there touches the guard */
		{ ONE("T([" A_N ", " LA "], f32, stride=(" LA " + p, 1), offset=o)", "T([" B_N ", " LB "], f32, stride=(" LB " + p, 1))", "T([n, m], f32, stride=(m + p, 1), offset=o)", "p"),
		  TRANS "(al,be)=(1.0,0.5) (m,n,k)=(17,9,33) p=23 o=0|3", AY_QUICK },
		{ FILLED("0", "", ""), TRANS SCALES_S " " SIZES_S, AY_FULL },
		{ FILLED("0", "", ""), "(ta,tb)=('N','N')|('T','N') (al,be)=(1.0,0.0)|(0.5,0.5) (m,n,k)=(256,256,256)|(1024,1024,1024)", AY_PERF },
	},
	.vary      = {
		{ "((ta, tb, m, n, k, al, " DRAWN_A("f32") ", " LA " + pa, " DRAWN_B("f32") ", " LB " + pb, be, " DRAWN_C("f32") ", m + pc), {})", "k=last() m=size(1, 40) n=size(1, 40) " DRAWN_SLOTS },
		{ "((ta, tb, m, n, k, al, " DRAWN_A("f32") ", " LA " + pa, " DRAWN_B("f32") ", " LB " + pb, be, " DRAWN_C("f32") ", m + pc), {})", "m=last() k=size(1, 40) n=size(1, 40) " DRAWN_SLOTS },
		{ "((ta, tb, m, n, k, al, " DRAWN_A("f32") ", " LA " + pa, " DRAWN_B("f32") ", " LB " + pb, be, " DRAWN_C("f32") ", m + pc), {})", "n=last() m=size(1, 40) k=size(1, 40) " DRAWN_SLOTS },
	},
	.accepts   = accepts_one,
	.rows      = ay_rows_last,
	.factors   = factors,
	.reference = gemm,
	.promises  = "whether A and B are read where alpha is 0 (they hold finite numbers there)",
	.cost      = cost,
	.flags     = AY_INTEGRAL,
}, {
	.schemas   = AY_SCHEMAS("cublas::cublasDgemmBatched(str transa, str transb, int m, int n, int k, float alpha, Tensor[] Aarray, int lda, "
				"Tensor[] Barray, int ldb, float beta, Tensor(a!)[] Carray, int ldc, int batchCount) -> ()"),
	.doc       = "Carray[i] = alpha * op(Aarray[i]) * op(Barray[i]) + beta * Carray[i] in f64, for i below batchCount. " DOC
		     "The matrices of a batch do not overlap.",
	.cases     = {
		{ BATCH(DA, DB, DC, "1"), TRANS SCALES_D " (m,n,k)=(7,5,3)|(17,9,65) p=0|2", AY_QUICK },
		{ BATCH(X2(DA) ", " DA, X2(DB) ", " DB, X2(DC) ", " DC, "3"), TRANS "(al,be)=(1.0,0.0)|(-0.999,0.5) (m,n,k)=(1,1,1)|(7,5,3)|(9,13,64) p=0|3", AY_QUICK },
		{ BATCH(X2(DA), X2(DB), X2(DC), "2"), "(ta,tb)=('C','N')|('N','C') (al,be)=(2.0,-0.5) (m,n,k)=(13,11,37) p=0", AY_QUICK },
		{ BATCH(X2(DA), X2(DB), X2(DC), "2"), TRANS "(al,be)=(1.0,0.5) (m,n,k)=(5,4,0)|(0,4,5)|(4,0,5) p=3 ; ta='N' tb='N' (al,be)=(1.0,0.0) (m,n,k)=(9,13,1000) p=0 ; ta='N' tb='T' (al,be)=(0.0,1.0) (m,n,k)=(3,5,4) p=0", AY_QUICK },
		{ BATCH(X2(DA), X2(DB), X2(DC), "2"), TRANS "(al,be)=(1.0,0.0) (m,n,k)=(2,3,4099)|(2,3,12289) p=0", AY_QUICK },
		{ BATCH(X2(DA), X2(DB), X2(MC("p", "f64", ", fill=const(nan)")), "2"), TRANS "(al,be)=(1.0,0.0) (m,n,k)=(17,9,33) p=0|5", AY_QUICK },
		{ BATCH(X2(MA("p", "f64", ", fill=exact")), X2(MB("p", "f64", ", fill=exact")), X2(MC("p", "f64", ", fill=exact")), "2"), TRANS "(al,be)=(1.0,1.0) (m,n,k)=(33,41,60) p=1", AY_QUICK },
		{ BATCH("T([" A_N ", " LA "], f64, stride=(" LA " + p, 1), offset=o)", "T([" B_N ", " LB "], f64, stride=(" LB " + p, 1))", "T([n, m], f64, stride=(m + p, 1), offset=o)", "1"),
		  TRANS "(al,be)=(1.0,0.5) (m,n,k)=(17,9,33) p=23 o=0|3", AY_QUICK },
		{ BATCH(DA, DB, DC, "1"), TRANS SCALES_D " " SIZES_D " p=0", AY_FULL },
		{ BATCH(X2(DA), X2(DB), X2(DC), "2"), TRANS SCALES_D " " SIZES_D " p=0", AY_FULL },
		{ BATCH(X4(DA), X4(DB), X4(DC), "4"), TRANS SCALES_D " " SIZES_D " p=0", AY_FULL },
		{ BATCH(X4(DA), X4(DB), X4(DC), "4"), "(ta,tb)=('N','N')|('T','N') (al,be)=(1.0,0.0) (m,n,k)=(128,256,64)|(256,256,256) p=0", AY_PERF },
	},
	.vary      = {
		{ DRAWN_BATCH, "k=last() m=size(1, 20) n=size(1, 20) " DRAWN_SLOTS DRAWN_LISTS },
		{ DRAWN_BATCH, "m=last() k=size(1, 20) n=size(1, 20) " DRAWN_SLOTS DRAWN_LISTS },
		{ DRAWN_BATCH, "n=last() m=size(1, 20) k=size(1, 20) " DRAWN_SLOTS DRAWN_LISTS },
	},
	.accepts   = accepts_batch,
	.rows      = ay_rows_last,
	.reference = gemm_batched,
	.promises  = "whether A and B are read where alpha is 0 (they hold finite numbers there)",
	.cost      = cost,
	.flags     = AY_INTEGRAL,
}, {0}};
