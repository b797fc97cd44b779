/* SPDX-License-Identifier: Apache-2.0
 *
 * out[i, j] = sum over k of input[i, k] * (q[k, j] - z[k / g, j]) * scales[k / g, j], with g = K / groups.
 *
 * q and z are 4-bit numbers, eight of them in an i32: qweight is [K, N / 8], qzeros [groups, N / 8]. Nibble p of a
 * word (bits 4 p and up) is column 0, 2, 4, 6, 1, 3, 5, 7 of its eight for p = 0 .. 7: AWQ's order. split_k_iters
 * says into how many parts vLLM cuts the sum; the result does not depend on it but by rounding.
 *
 * Error: a sum of K products, mag = growth(K) R. vLLM's kernels dequantise to f16, (q - z) * s rounded, before they
 * multiply: ay_err_round of the 2-norm of the terms. They also add up the split_k_iters parts in f16, each one
 * rounded: ay_err_round of the 2-norm of the result and as many terms of its size, where there is more than one part.
 *
 * What the original test missed: rtol 1e-3 of f16 results, without regard to the length of the sum, so an honest
 * kernel fails where terms cancel; random words for weights, fine, but one group of 128 and split_k_iters 1 alone;
 * never more than one kind of scale.
 *
 * Cases: original 8, all sound and distinct; here 8 full.
 */
#include "op/op.h"

/* Which nibble of a word holds column j of its eight. */
static const int nibble_of[8] = { 0, 4, 1, 5, 2, 6, 3, 7 };

static int accepts(const struct ay_call *c, struct ay_err *err)
{
	const struct ay_view *x = ay_t(c, "input"), *q = ay_t(c, "qweight"), *s = ay_t(c, "scales"),
			     *z = ay_t(c, "qzeros");

	if (x->ndim != 2 || q->ndim != 2 || s->ndim != 2 || z->ndim != 2)
		return ay_fail(err, AY_ERR_BIND, "all four tensors have 2 dimensions");
	if (x->dt != AY_DT_F16 || s->dt != AY_DT_F16 || q->dt != AY_DT_I32 || z->dt != AY_DT_I32)
		return ay_fail(err, AY_ERR_BIND, "input and scales are f16, qweight and qzeros i32");
	if (q->shape[0] != x->shape[1] || s->shape[1] != 8 * q->shape[1] || z->shape[1] != q->shape[1] ||
	    z->shape[0] != s->shape[0])
		return ay_fail(err, AY_ERR_BIND,
			       "qweight is [K, N / 8], scales [groups, N], qzeros [groups, N / 8]");
	if (!s->shape[0] || !x->shape[1] || x->shape[1] % s->shape[0])
		return ay_fail(err, AY_ERR_BIND, "K = %lld is no multiple of %lld groups", (long long)x->shape[1],
			       (long long)s->shape[0]);
	if (ay_int(c, "split_k_iters") < 1)
		return ay_fail(err, AY_ERR_BIND, "split_k_iters is at least 1");
	if (!ay_view_is_dense(x) || !ay_view_is_dense(q) || !ay_view_is_dense(s) || !ay_view_is_dense(z))
		return ay_fail(err, AY_ERR_BIND, "all four tensors are dense");
	return 0;
}

static int result(const struct ay_call *c, int k, struct ay_meta *m, struct ay_err *err)
{
	(void)k, (void)err;
	m->dt = AY_DT_F16;
	m->ndim = 2;
	m->shape[0] = ay_t(c, "input")->shape[0];
	m->shape[1] = 8 * ay_t(c, "qweight")->shape[1];
	return 0;
}

static int nibble(const struct ay_view *v, int64_t row, int64_t column)
{
	const uint32_t word = ((const uint32_t *)v->data)[row * v->shape[1] + column / 8];

	return (int)(word >> 4 * nibble_of[column % 8] & 15);
}

/* Column j of the dequantised weights. */
static void load_column(struct ay_ref *r, int64_t j, int64_t k, num *w)
{
	const struct ay_view *q = ay_t(r->c, "qweight"), *z = ay_t(r->c, "qzeros"), *s = ay_t(r->c, "scales");
	const int64_t group = k / s->shape[0];
	num *scale = ay_tmp(r, s->shape[0]);

	ay_load(r, s, 0, j, scale);
	for (int64_t i = 0; i < k; i++)
		w[i] = (nibble(q, i, j) - nibble(z, i / group, j)) * scale[i / group];
}

/* input, column by column: element e of all rows side by side. */
static const void *prepare(struct ay_ref *r)
{
	const struct ay_view *input = ay_t(r->c, "input");
	const int64_t m = input->shape[0], k = input->shape[1];
	num *x = ay_tmp(r, m * k + 1);

	for (int64_t e = 0; e < k && m; e++)
		ay_load(r, input, 0, e, x + e * m);
	return x;
}

/* Of all rows: the running sums, the sums of their terms' squares and the squares of the largest prefixes. */
struct sums {
	num *sum;
	real *sq, *top;
};

static void add_terms(const struct ay_ref *r, num w, const num *restrict x, int64_t m, const struct sums *s)
{
	num *restrict sum = s->sum;
	real *restrict sq = s->sq, *restrict top = s->top;

	for (int64_t i = 0; i < m; i++) {
		const real t = re(x[i]) * re(w), u = re(acc(r, sum[i] + t));

		sum[i] = u;
		sq[i] += t * t;
		top[i] = u * u > top[i] ? u * u : top[i];
	}
}

/* A range is of columns: the dequantised one serves all rows of input. */
static void awq_gemm(struct ay_ref *r)
{
	const int64_t k = ay_t(r->c, "input")->shape[1], m = r->len[0], parts = ay_int(r->c, "split_k_iters");
	const num *x = r->shared;
	struct sums s = { ay_tmp(r, m), AY_NEW_N(r->tmp, real, m), AY_NEW_N(r->tmp, real, m) };
	num *w = ay_tmp(r, k);

	for (int64_t j = r->lo; j < r->hi; j++) {
		load_column(r, j, k, w);
		for (int64_t i = 0; i < m; i++)
			s.sum[i] = s.sq[i] = s.top[i] = 0;
		for (int64_t e = 0; e < k; e++)
			add_terms(r, w[e], x + e * m, m, &s);
		for (int64_t i = 0; i < m; i++) {
			const double size = (double)fabs(s.sum[i]), norm = (double)sqrt(s.sq[i]);

			*ay_val(r, 0, j, i) = s.sum[i];
			*ay_mag(r, 0, j, i) = ay_err_sum(k, size, (double)s.sq[i], (double)sqrt(s.top[i])) +
					      ay_err_round(AY_DT_F16, AY_DT_F16, norm);
			if (parts > 1)
				*ay_mag(r, 0, j, i) += ay_err_round(AY_DT_F16, AY_DT_F16, 2 * norm + size);
			*ay_norm(r, 0, j, i) = norm;
		}
	}
}

static void rows(const struct ay_call *c, int k, struct ay_rowmap *m)
{
	const struct ay_view *out = &c->out[k]->view;

	*m = (struct ay_rowmap){ out->shape[1], out->shape[0], 0 };
}

static void cost(const struct ay_call *c, struct ay_cost *k)
{
	k->flops = 2.0 * (double)ay_numel_of(&c->out[0]->view) * (double)ay_t(c, "input")->shape[1];
	k->bytes = -1;
}

/* clang-format off */
#define LINE(k, n, g, fx, fs) "((T([m, " k "], f16" fx "), T([" k ", " n " / 8], i32), T([" k " / " g ", " n "], f16" fs "), T([" k " / " g ", " n " / 8], i32), sk), {})"

const struct ay_op ay_ops_awq_gemm[] = {{
	.schemas   = AY_SCHEMAS("vllm13::awq_gemm(Tensor input, Tensor qweight, Tensor scales, Tensor qzeros, int split_k_iters) -> Tensor"),
	.doc       = "out = input * W, f16 [M, N], with W[k, j] = (q[k, j] - z[k / g, j]) * scales[k / g, j]. input is f16 [M, K]; qweight i32 "
		     "[K, N / 8] holds q and qzeros i32 [groups, N / 8] holds z, eight unsigned 4-bit numbers a word: bits 4 p to 4 p + 3 are "
		     "column 0, 2, 4, 6, 1, 3, 5, 7 of the word's eight for p = 0 .. 7. scales is f16 [groups, N]; g = K / groups. Products are "
		     "added in f32. split_k_iters is a hint how to cut K into parts. All tensors are dense.",
	.cases     = {
		{ LINE("k", "n", "g", "", ""), "(m,k,n,g)=(1,1,8,1)|(3,7,24,1)|(1,128,8,128)|(3,128,24,32)|(7,256,40,128)|(16,64,16,64)|(5,384,8,128)|(33,96,72,32) sk=1|8", AY_QUICK },
		{ LINE("k", "n", "g", "", ""), "(m,k,n,g)=(5,1024,24,128)|(3,4096,16,128) sk=1|4", AY_QUICK },
		{ LINE("k", "n", "g", ", fill=heavy(0.1)", ""), "(m,k,n,g)=(5,256,24,64) sk=1", AY_QUICK },
		{ LINE("k", "n", "g", ", fill=normal(1, 1)", ""), "(m,k,n,g)=(5,256,24,64) sk=1", AY_QUICK },
		{ LINE("k", "n", "g", "", ", fill=normal(0, 0.05)"), "(m,k,n,g)=(5,256,24,64) sk=1", AY_QUICK },
		{ LINE("k", "n", "g", "", ""), "(m,k,n,g)=(1,256,128,128)|(16,256,128,128)|(32,512,256,128)|(64,1024,512,128)|(128,4096,4096,128)|(1,4096,11008,128)|(32,8192,8192,128)|(512,4096,11008,128) sk=1", AY_FULL },
		{ LINE("k", "n", "g", "", ""), "(m,k,n,g)=(4,2048,1024,128)|(1,4096,4096,128)|(32,4096,4096,128) sk=8", AY_PERF },
	},
	.vary      = {{ "((T([m, k], f16, fill=f), T([k, w], i32), T([q, 8 * w], f16), T([q, w], i32), sk), {})", "k=last() q=1|1|k % 2 == 0 ? k / 2 : 1|k % 2 == 0 ? 2 : 1|k % 3 == 0 ? 3 : 1|k m=size(1, 40) w=size(1, 12) sk=1|1|2|4|8 f='normal'|'mixed'|'heavy(0.1)'|'normal(1, 1)'" }},
	.fills     = "qweight=int(-2147483648, 2147483647); qzeros=int(-2147483648, 2147483647); scales=uniform(0.002, 0.02)",
	.accepts   = accepts,
	.result    = result,
	.rows      = rows,
	.prepare   = prepare,
	.reference = awq_gemm,
	.cost      = cost,
	.rounds    = "the dequantised weight, and the parts of a sum where split_k_iters is above 1 (both vLLM)",
	.flags     = AY_DENSE_ONLY,
}, {0}};
