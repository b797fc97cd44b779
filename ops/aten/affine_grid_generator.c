/* SPDX-License-Identifier: Apache-2.0
 *
 * out[n][h][w][k] = theta[n][k][0] x(w) + theta[n][k][1] y(h) + theta[n][k][2]: where an affine map sends the
 * places of an image. With a depth (theta [N, 3, 4], five sizes) there is a z(d) behind y, and out is [N, D, H, W,
 * 3].
 *
 * Coordinates run from -1 to 1. align_corners: x(w) = -1 + 2 w / (W - 1), the centres of the outer pixels are the
 * ends; else x(w) = -1 + (2 w + 1) / W, their edges are. A size of 1 has the coordinate 0 either way.
 *
 * Error: a sum of m = 3 or 4 terms, of which coordinates have an absolute error: made as a difference from an end,
 * they are as inexact near 0 as near 1. So mag = growth(m) * sum |theta[n][k][.]|, in f32 for half types. ATen
 * makes the coordinates in theta's dtype: for half types the step of 2 / (W - 1) is rounded before it is
 * multiplied, which for bf16 and W = 256 moves the grid by up to 0.6 of a pixel. A grid is made of sizes alone, so
 * f32 costs nothing, and is demanded. A size of 1 it has not for half types on the CPU. Grids of integers and
 * complex numbers, which ATen makes, too, are not judged.
 *
 * What the original test missed: sizes of 1, odd sizes, an empty batch, f64, strided theta, NaN and infinities;
 * and the answer in half types comes from ATen itself, with the error above.
 *
 * Cases: original 72, 36 of them by .out; all sound and distinct. Here the 36 full, from which those of .out are
 * derived.
 */
#include "op/op.h"

static int accepts(const struct ay_call *c, struct ay_err *err)
{
	const struct ay_view *theta = ay_t(c, "theta");
	const int n = ay_list_count(c, "size");

	if (n != 4 && n != 5)
		return ay_fail(err, AY_ERR_BIND, "size has 4 or 5 numbers, not %d", n);
	if (!ay_dt_is_float(theta->dt))
		return ay_fail(err, AY_ERR_BIND, "theta is of a floating dtype, not %s",
			       ay_dt_info(theta->dt)->name);
	if (theta->ndim != 3 || theta->shape[1] != n - 2 || theta->shape[2] != n - 1 ||
	    theta->shape[0] != ay_int_at(c, "size", 0))
		return ay_fail(err, AY_ERR_BIND, "theta must have the shape [%lld, %d, %d]",
			       (long long)ay_int_at(c, "size", 0), n - 2, n - 1);
	for (int d = 1; d < n; d++)
		if (ay_int_at(c, "size", d) < 1)
			return ay_fail(err, AY_ERR_BIND, "size %d is %lld", d, (long long)ay_int_at(c, "size", d));
	return 0;
}

static int result(const struct ay_call *c, int k, struct ay_meta *m, struct ay_err *err)
{
	const int n = ay_list_count(c, "size");

	(void)k, (void)err;
	m->dt = ay_t(c, "theta")->dt;
	m->ndim = n;
	m->shape[0] = ay_int_at(c, "size", 0);
	for (int d = 1; d < n - 1; d++)
		m->shape[d] = ay_int_at(c, "size", d + 1);
	m->shape[n - 1] = n - 2;
	return 0;
}

static real coordinate(int64_t i, int64_t n, bool corners)
{
	if (n == 1)
		return 0;
	return corners ? (real)(2 * i - (n - 1)) / (real)(n - 1) : (real)(2 * i + 1 - n) / (real)n;
}

static void affine_grid(struct ay_ref *r)
{
	const struct ay_view *theta = ay_t(r->c, "theta"), *out = &r->c->out[0]->view;
	const bool corners = ay_flag(r->c, "align_corners");
	const int m = out->ndim - 1; /* terms: the coordinates, the last dimension first, and 1 */
	num t[4];

	for (int64_t row = r->lo; row < r->hi; row++) {
		real at[4] = { 0 };
		int64_t rest = row;

		for (int d = m - 1; d > 0; d--) {
			at[m - 1 - d] = coordinate(rest % out->shape[d], out->shape[d], corners);
			rest /= out->shape[d];
		}
		at[m - 1] = 1;
		for (int64_t k = 0; k < m - 1; k++) {
			double sizes = 0, sumsq = 0;
			bool free = false;
			num sum = 0;

			ay_load(r, theta, -1, rest * (m - 1) + k, t);
			for (int i = 0; i < m; i++) {
				sum = acc(r, sum + t[i] * at[i]);
				sizes += (double)fabs(t[i]);
				sumsq += (double)(re(t[i]) * re(t[i]) * at[i] * at[i]);
				/* the middle of several places may be off 0, where infinity * 0 is not NaN */
				free |= at[i] == 0 && isinf(re(t[i])) && out->shape[m - 1 - i] > 1;
			}
			*ay_val(r, 0, row, k) = sum;
			*ay_mag(r, 0, row, k) = free ? AY_FREE : ay_growth(m) * sizes;
			*ay_norm(r, 0, row, k) = sqrt(sumsq);
		}
	}
}

static const char *aten_differs(const struct ay_call *c)
{
	const enum ay_dt dt = ay_t(c, "theta")->dt;

	return dt == AY_DT_F16 || dt == AY_DT_BF16 ? "coordinates are computed in half types" : NULL;
}

static void cost(const struct ay_call *c, struct ay_cost *k)
{
	const struct ay_view *out = &c->out[0]->view;

	k->flops = 2.0 * (double)(out->ndim - 2) * (double)ay_numel_of(out);
	k->bytes = -1;
}

/* clang-format off */
const struct ay_op ay_ops_affine_grid_generator[] = {{
	.schemas   = AY_SCHEMAS("aten::affine_grid_generator(Tensor theta, SymInt[] size, bool align_corners) -> Tensor",
				"aten::affine_grid_generator.out(Tensor theta, SymInt[] size, bool align_corners, *, Tensor(a!) out) -> Tensor(a!)"),
	.doc       = "out[n][h][w][k] = theta[n][k][0] x + theta[n][k][1] y + theta[n][k][2] for theta [N, 2, 3] and size [N, C, H, W]; out is [N, H, "
		     "W, 2]. For theta [N, 3, 4] and size [N, C, D, H, W] out[n][d][h][w][k] = theta[n][k][0] x + theta[n][k][1] y + theta[n][k][2] z + "
		     "theta[n][k][3], and out is [N, D, H, W, 3]. With align_corners x = -1 + 2 w / (W - 1), else x = -1 + (2 w + 1) / W; y and z "
		     "likewise from h, H and d, D; along a size of 1 the coordinate is 0. C means nothing. The dtype is theta's; for half "
		     "types coordinates and sums are f32, rounded once.",
	.cases     = {
		{ "((T([n, 2, 3], dt), [n, 3, h, w], a), {})", "dt=f32|f16|bf16 a=False|True (n,h,w)=(1,1,1)|(1,1,7)|(2,5,1)|(0,3,4)|(3,7,9)|(2,33,5)|(1,2,129) ; dt=f64 a=False|True (n,h,w)=(2,7,9)", AY_QUICK },
		{ "((T([n, 3, 4], dt), [n, 1, d, h, w], a), {})", "dt=f32|f16|bf16 a=False|True (n,d,h,w)=(1,1,1,1)|(2,1,3,5)|(1,4,3,7)|(0,2,2,2)|(2,9,2,3) ; dt=f64 a=False|True (n,d,h,w)=(2,3,4,5)", AY_QUICK },
		{ "((T([2, 2, 3], dt, fill=heavy), [2, 1, 16, 24], a), {})", "dt=f32|f16|bf16|f64 a=False|True", AY_QUICK },
		{ "((T([6, 2, 3], dt, fill=nonfinite), [6, 1, 4, 6], a), {})", "dt=f32|f16|bf16|f64 a=False|True", AY_QUICK },
		{ "((T([4, 2, 3], dt, stride=st, offset=o), [4, 2, 6, 5], a), {})", "dt=f32|f16|bf16 a=False|True (st,o)=([12, 6, 2],1)|([1, 4, 8],3)|([0, 3, 1],0)|([3, 0, 1],0)", AY_QUICK },
		{ "((T([1, 2, 3], dt), [1, 1, 64, 100], a), {})", "dt=f32|f16|bf16 a=False|True", AY_QUICK },
		{ "((T([s[0], len(s) - 2, len(s) - 1], dt), s, a), {})", "a=True|False dt=f32|f16|bf16 s=[1, 3, 4, 4]|[2, 3, 64, 64]|[4, 3, 128, 256]|[1, 2, 4, 4, 4]|[2, 1, 8, 16, 16]|[1, 1, 16, 32, 32]", AY_FULL },
		{ "((T([n, 2, 3], dt), [n, 3, h, h], False), {})", "dt=f32|bf16 (n,h)=(8,128)|(32,512)", AY_PERF },
	},
	.vary      = {{ "((T([n, len(z), len(z) + 1], dt, fill=f), [n, c] + z, a), {})", "z=shape(2, 3) n=size(1, 9) c=size(1, 5) a=True|False dt=f32|f16|bf16|f64 f='normal'|'mixed'|'heavy'|'nonfinite'|'exact'" }},
	.accepts   = accepts,
	.result    = result,
	.rows      = ay_rows_last,
	.reference = affine_grid,
	.cost      = cost,
	.aten_differs = aten_differs,
	.cuda_differs = aten_differs,
	.promises  = "an infinite theta where its coordinate is 0, along a size above 1: whether the product is infinite or NaN",
}, {0}};
