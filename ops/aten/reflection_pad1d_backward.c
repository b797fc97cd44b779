/* SPDX-License-Identifier: Apache-2.0
 *
 * The gradient of reflection_pad1d: out[j] is the sum of grad_output over all places that showed self[j]. With
 * padding (l, r) and a width of W these are
 *
 *	j + l,   l - j (1 <= j <= l),   2 (W - 1) - j + l (W - 1 - r <= j <= W - 2)
 *
 * the place itself, its mirror image on the left and the one on the right; a negative padding cuts places off
 * instead. self gives the shape alone.
 *
 * Error: a sum of up to three terms, mag = growth(n) * R in f32 (docs/error-bound.md); what has one term is a
 * copy, but for the sign of zero, because kernels add to a zero. Since the terms are known beforehand no kernel needs
 * atomics or sums in half types. ATen on the CPU adds to the result itself, in its dtype: where three terms meet,
 * half types are rounded twice.
 *
 * What the original test missed: with paddings of at most 5 three terms meet only where the width is 8. Never
 * tested: two-dimensional inputs, paddings of W - 1, none and negative ones, strides, an empty batch, f64, complex
 * numbers, NaN and infinities.
 *
 * Cases: original 54, 27 of them by .grad_input; all sound and distinct. Here the 27 full, from which those of
 * .grad_input are derived.
 */
#include "op/op.h"

#include <string.h>

static int accepts(const struct ay_call *c, struct ay_err *err)
{
	const struct ay_view *grad = ay_t(c, "grad_output"), *self = ay_t(c, "self");
	int64_t w, l, r;

	if (self->ndim != 2 && self->ndim != 3)
		return ay_fail(err, AY_ERR_BIND, "self has 2 or 3 dimensions, not %d", self->ndim);
	if (grad->dt != self->dt || ay_dt_is_integral(self->dt))
		return ay_fail(err, AY_ERR_BIND, "self and grad_output are of one floating dtype");
	if (grad->ndim != self->ndim || ay_list_count(c, "padding") != 2)
		return ay_fail(err, AY_ERR_BIND, "grad_output has %d dimensions, self has %d", grad->ndim,
			       self->ndim);
	for (int d = 0; d < self->ndim - 1; d++)
		if (grad->shape[d] != self->shape[d])
			return ay_fail(err, AY_ERR_BIND, "size %d of grad_output is %lld, of self %lld", d,
				       (long long)grad->shape[d], (long long)self->shape[d]);
	w = self->shape[self->ndim - 1];
	l = ay_int_at(c, "padding", 0);
	r = ay_int_at(c, "padding", 1);
	if (!w || l >= w || r >= w || l <= -w || r <= -w)
		return ay_fail(err, AY_ERR_BIND, "a padding of (%lld, %lld) is too much for a width of %lld",
			       (long long)l, (long long)r, (long long)w);
	if (w + l + r < 1 || grad->shape[grad->ndim - 1] != w + l + r)
		return ay_fail(err, AY_ERR_BIND, "grad_output is %lld wide; self and its padding are %lld",
			       (long long)grad->shape[grad->ndim - 1], (long long)(w + l + r));
	return 0;
}

static int result(const struct ay_call *c, int k, struct ay_meta *m, struct ay_err *err)
{
	const struct ay_view *self = ay_t(c, "self");

	(void)k, (void)err;
	m->dt = self->dt;
	m->ndim = self->ndim;
	for (int d = 0; d < self->ndim; d++)
		m->shape[d] = self->shape[d];
	return 0;
}

static void pad_backward(struct ay_ref *r)
{
	const struct ay_view *grad = ay_t(r->c, "grad_output");
	const int64_t wide = grad->shape[grad->ndim - 1], w = r->len[0], l = ay_int_at(r->c, "padding", 0);
	num *g = ay_tmp(r, wide);

	for (int64_t row = r->lo; row < r->hi; row++) {
		ay_load(r, grad, -1, row, g);
		for (int64_t j = 0; j < w; j++) {
			const int64_t place[3] = { j + l, j ? l - j : -1, j < w - 1 ? 2 * (w - 1) - j + l : -1 };
			double sumsq = 0, prefix = 0;
			int64_t n = 0;
			num sum = 0;

			for (int i = 0; i < 3; i++) {
				if (place[i] < 0 || place[i] >= wide)
					continue;
				sum = n++ ? acc(r, sum + g[place[i]]) : g[place[i]];
				sumsq += (double)(fabs(g[place[i]]) * fabs(g[place[i]]));
				prefix = fmax(prefix, (double)fabs(sum));
			}
			*ay_val(r, 0, row, j) = sum;
			*ay_mag(r, 0, row, j) = n > 1      ? ay_err_sum(n, (double)fabs(sum), sumsq, prefix)
						: sum == 0 ? 0
							   : -1;
			*ay_norm(r, 0, row, j) = n > 1 ? sqrt(sumsq) : 0;
		}
	}
}

static const char *aten_differs(const struct ay_call *c)
{
	const struct ay_view *self = ay_t(c, "self");
	const int64_t w = self->shape[self->ndim - 1], l = ay_int_at(c, "padding", 0),
		      r = ay_int_at(c, "padding", 1);
	const int64_t first = w - 1 - r > 1 ? w - 1 - r : 1, last = l < w - 2 ? l : w - 2;

	return (self->dt == AY_DT_F16 || self->dt == AY_DT_BF16) && first <= last
		       ? "sums of three are rounded to half types after every addition"
		       : NULL;
}

static const char *cuda_differs(const struct ay_call *c)
{
	const char *fill = ay_operand(c, "grad_output")->fill.name;
	const enum ay_dt dt = ay_t(c, "self")->dt;

	if (ay_schema_out(c->s) && !ay_view_is_dense(&c->out[0]->view))
		return "every grad_input is taken for a contiguous one";
	if (dt == AY_DT_F32 && (!strcmp(fill, "special") || !strcmp(fill, "nonfinite")))
		return "sums are made by atomic additions, which take subnormal numbers of f32 for 0";
	return dt == AY_DT_F16 || dt == AY_DT_BF16 ? "sums are rounded to half types after every addition" : NULL;
}

static void cost(const struct ay_call *c, struct ay_cost *k)
{
	k->flops = (double)ay_numel_of(ay_t(c, "grad_output"));
	/* self need not be read */
	k->bytes = ay_touched(&c->out[0]->view) + ay_touched(ay_t(c, "grad_output"));
}

/* clang-format off */
const struct ay_op ay_ops_reflection_pad1d_backward[] = {{
	.schemas   = AY_SCHEMAS("aten::reflection_pad1d_backward(Tensor grad_output, Tensor self, SymInt[2] padding) -> Tensor",
				"aten::reflection_pad1d_backward.grad_input(Tensor grad_output, Tensor self, SymInt[2] padding, *, Tensor(a!) grad_input) -> Tensor(a!)"),
	.doc       = "The gradient of reflection_pad1d. self is [C, W] or [N, C, W] and gives the shape alone; padding is [l, r], both less than "
		     "W; grad_output is W + l + r wide. Along the last dimension out[j] = g[j + l], plus g[l - j] for 1 <= j <= l, plus "
		     "g[2 (W - 1) - j + l] for W - 1 - r <= j <= W - 2. A negative padding means that the forward cut places off: terms whose "
		     "place is not in grad_output are left out, and the sum of none is 0. Half types are added in f32 and rounded once.",
	.cases     = {
		{ "((T([3, w + l + r], dt), T([3, w], dt), [l, r]), {})", "dt=f32|f16|bf16|f64|c64|c128 (w,l,r)=(9,2,3)|(33,32,32)", AY_QUICK },
		{ "((T(s + [w + l + r], dt), T(s + [w], dt), [l, r]), {})", "dt=f32|f16|bf16 s=[1]|[2, 3]|[0, 3] (w,l,r)=(1,0,0)|(2,1,1)|(7,0,0)|(7,6,6)|(7,3,0)|(7,0,6)|(65,2,5)", AY_QUICK },
		{ "((T(s + [w + l + r], dt), T(s + [w], dt), [l, r]), {})", "dt=f32|f16|bf16 s=[5] (w,l,r)=(9,-2,3)|(9,4,-3)|(9,-4,-4)|(9,-8,8)", AY_QUICK },
		{ "((T([4, 8, 100 + 2 * p], dt), T([4, 8, 100], dt), [p, p]), {})", "dt=f32|f16|bf16|f64 p=60|99", AY_QUICK },
		{ "((T([9, 120], dt, fill=nonfinite), T([9, 41], dt), [40, 39]), {})", "dt=f32|f16|bf16|f64", AY_QUICK },
		{ "((T([9, 43], dt, fill=special), T([9, 41], dt), [1, 1]), {})", "dt=f32|f16|bf16|f64", AY_QUICK },
		{ "((T([9, 120], dt, fill=f), T([9, 41], dt), [40, 39]), {})", "dt=f32|f16|bf16 f='exact'|'heavy'", AY_QUICK },
		{ "((T([2, 5, 45], dt, stride=st, offset=o), T([2, 5, 25], dt, stride=(250, 50, 2), offset=1), [8, 12]), {})", "dt=f32|f16|bf16 (st,o)=([450, 90, 2],1)|([1, 2, 10],3)|([0, 45, 1],0)|([225, 0, 1],0)|([5, 1, 0],0)", AY_QUICK },
		{ "((T([s[0], s[1], s[2] + p[0] + p[1]], dt), T(s, dt), p), {})", "p=[1, 1]|[2, 3]|[5, 5] dt=f32|f16|bf16 s=[2, 3, 8]|[4, 16, 64]|[32, 64, 512]", AY_FULL },
		{ "((T([32, 64, w + 2 * p], dt), T([32, 64, w], dt), [p, p]), {})", "dt=f32|bf16 (w,p)=(512,5)|(4096,64)", AY_PERF },
	},
	.vary      = {
		{ "((T(s + [w + l + r], dt, fill=f), T(s + [w], dt), [l, r]), {})", "w=last() s=[size(1, 9)]|[size(1, 4), size(1, 6)] l=int(0, w - 1)|int(1 - w, w - 1) r=int(0, w - 1)|int(l < 0 ? 1 - w - l : 1 - w, w - 1) dt=f32|f16|bf16|f64|c64|c128 f=None ; w=last() s=[size(1, 9)]|[size(1, 4), size(1, 6)] l=int(0, w - 1) r=int(0, w - 1) dt=f32|f16|bf16|f64 f='nonfinite'|'exact'|'heavy'" },
	},
	.accepts   = accepts,
	.result    = result,
	.rows      = ay_rows_last,
	.reference = pad_backward,
	.cost      = cost,
	.aten_differs = aten_differs,
	.cuda_differs = cuda_differs,
	.flags     = AY_INTEGRAL,
}, {0}};
