/* SPDX-License-Identifier: Apache-2.0
 *
 * The gradient of upsample_nearest2d: out[n][c][h][w] is the sum of grad_output[n][c][y][x] over all y, x whose
 * nearest place is (h, w).
 *
 * Place y of oh belongs to h = min(floor(y * H / oh), H - 1); where scales_h is given, to min(floor(y / scales_h),
 * H - 1); columns likewise. PyTorch computes this in f32: the CPU takes floor(y * s) with s = H / oh rounded, CUDA
 * sums from ceil(h * t) to ceil((h + 1) * t) with t = oh / H rounded, and the CPU ignores a scale where oh is H or
 * 2 H. Where y * H / oh is whole or nearly so they may differ by one, and so may anyone: the two places that such
 * a y could belong to are not judged. With whole ratios there are none.
 *
 * Error: a sum of n terms, mag = growth(n) * R in f32 (docs/error-bound.md); what has one term is a copy, but for
 * the sign of zero. ATen sums half types in f32, on the CPU and on CUDA alike.
 *
 * What the original test missed: sizes grow by 1.5 and 2 only, so at most four terms meet; nothing shrinks,
 * nothing is odd, scales agree with the sizes. Never tested: strides (channels_last), many terms, sizes that stay
 * or shrink, an empty batch, f64, NaN and infinities.
 *
 * Cases: original 36, 18 of them by .grad_input; all sound and distinct. Here the 18 full, from which those of
 * .grad_input are derived.
 */
#include "op/op.h"

enum { DOWN, ACROSS };

/* One direction: which places of grad_output belong to each place of the result. */
struct axis {
	int64_t in, out;
	int64_t *from;  /* place h has from[h] .. from[h + 1] */
	bool *doubtful; /* per place of the result: rounding decides what belongs to it */
};

/* --- who belongs to whom --------------------------------------------------------------------------------- */

static int64_t at_most(double x, int64_t n)
{
	return x < (double)n ? (int64_t)x : n;
}

static int64_t place_of(const struct axis *a, double scale, int64_t y)
{
	return at_most(floor(scale > 0 ? (double)y / scale : (double)(y * a->in / a->out)), a->in - 1);
}

/* As ATen has it on the CPU. */
static int64_t place_on_cpu(const struct axis *a, double scale, int64_t y)
{
	const float s = scale > 0 ? (float)(1 / scale) : (float)a->in / (float)a->out, at = (float)y * s;

	if (a->out == a->in)
		return y;
	if (a->out == 2 * a->in)
		return y / 2;
	return at_most(floor((double)at), a->in - 1);
}

/* Does ATen on CUDA count y among those of h? */
static bool is_on_cuda(const struct axis *a, double scale, int64_t h, int64_t y)
{
	const float t = scale > 0 ? (float)scale : (float)a->out / (float)a->in;
	const float lo = (float)h * t, hi = (float)(h + 1) * t;

	return y >= at_most(ceil((double)lo), a->out) && y < at_most(ceil((double)hi), a->out);
}

static void make_axis(struct ay_ref *r, int k, struct axis *a)
{
	const char *name = k == DOWN ? "scales_h" : "scales_w";
	const double scale = ay_is_none(r->c, name) ? 0 : ay_float(r->c, name);

	a->in = ay_int_at(r->c, "input_size", 2 + k);
	a->out = ay_int_at(r->c, "output_size", k);
	a->from = AY_NEW_N(r->tmp, int64_t, a->in + 1);
	a->doubtful = AY_NEW_N(r->tmp, bool, a->in);
	for (int64_t y = 0; y < a->out; y++) {
		const int64_t h = place_of(a, scale, y), other = place_on_cpu(a, scale, y);

		a->from[h + 1] = y + 1;
		a->doubtful[h] |= other != h || !is_on_cuda(a, scale, h, y);
		a->doubtful[other] |= other != h;
		a->doubtful[h ? h - 1 : 0] |= h && is_on_cuda(a, scale, h - 1, y);
		a->doubtful[h + 1 < a->in ? h + 1 : h] |= h + 1 < a->in && is_on_cuda(a, scale, h + 1, y);
	}
	for (int64_t h = 0; h < a->in; h++) /* places that nothing belongs to */
		a->from[h + 1] = a->from[h + 1] > a->from[h] ? a->from[h + 1] : a->from[h];
}

static const void *prepare(struct ay_ref *r)
{
	struct axis *a = AY_NEW_N(r->tmp, struct axis, 2);

	make_axis(r, DOWN, &a[DOWN]);
	make_axis(r, ACROSS, &a[ACROSS]);
	return a;
}

/* --- the call -------------------------------------------------------------------------------------------- */

static int result(const struct ay_call *c, int k, struct ay_meta *m, struct ay_err *err)
{
	(void)k, (void)err;
	m->dt = ay_t(c, "grad_output")->dt;
	m->ndim = 4;
	for (int d = 0; d < 4; d++)
		m->shape[d] = ay_int_at(c, "input_size", d);
	return 0;
}

static int accepts(const struct ay_call *c, struct ay_err *err)
{
	static const char *const scales[] = { "scales_h", "scales_w" };
	const struct ay_view *grad = ay_t(c, "grad_output");
	const int64_t large = 1 << 24; /* f32 counts no further */

	if (grad->ndim != 4 || ay_list_count(c, "input_size") != 4 || ay_list_count(c, "output_size") != 2)
		return ay_fail(err, AY_ERR_BIND, "images have 4 dimensions, and output_size has 2");
	if (!ay_dt_is_float(grad->dt))
		return ay_fail(err, AY_ERR_BIND, "upsample_nearest2d_backward is not made for %s",
			       ay_dt_info(grad->dt)->name);
	for (int d = 0; d < 4; d++) {
		const int64_t in = ay_int_at(c, "input_size", d),
			      out = d < 2 ? in : ay_int_at(c, "output_size", d - 2);

		if (in < (d > 1) || in >= large || out < (d > 1) || out >= large || grad->shape[d] != out)
			return ay_fail(err, AY_ERR_BIND, "size %d of grad_output is %lld", d,
				       (long long)grad->shape[d]);
		if (d >= 2 && !ay_is_none(c, scales[d - 2]) &&
		    !(ay_float(c, scales[d - 2]) > 1e-6 && ay_float(c, scales[d - 2]) < 1e6))
			return ay_fail(err, AY_ERR_BIND, "%s is out of range", scales[d - 2]);
	}
	return 0;
}

/* --- the sum --------------------------------------------------------------------------------------------- */

struct total {
	int64_t n;
	double sumsq, prefix;
};

static void add(const struct ay_ref *r, num *sum, num x, struct total *t)
{
	*sum = t->n++ ? acc(r, *sum + x) : x;
	t->sumsq += (double)(re(x) * re(x));
	t->prefix = fmax(t->prefix, (double)fabs(*sum));
}

static void upsample_backward(struct ay_ref *r)
{
	const struct ay_view *grad = ay_t(r->c, "grad_output");
	const struct axis *a = r->shared, *across = &a[ACROSS];
	num *line = ay_tmp(r, across->out);

	for (int64_t row = r->lo; row < r->hi; row++) {
		const int64_t h = row % a[DOWN].in, image = row / a[DOWN].in;
		struct total *t = AY_NEW_N(r->tmp, struct total, across->in);

		for (int64_t y = a[DOWN].from[h]; y < a[DOWN].from[h + 1]; y++) {
			ay_load(r, grad, -1, image * a[DOWN].out + y, line);
			for (int64_t w = 0; w < across->in; w++)
				for (int64_t x = across->from[w]; x < across->from[w + 1]; x++)
					add(r, ay_val(r, 0, row, w), line[x], &t[w]);
		}
		for (int64_t w = 0; w < across->in; w++) {
			const double size = (double)fabs(*ay_val(r, 0, row, w));

			*ay_mag(r, 0, row, w) = a[DOWN].doubtful[h] || across->doubtful[w] ? AY_FREE
						: t[w].n > 1 ? ay_err_sum(t[w].n, size, t[w].sumsq, t[w].prefix)
						: size != 0  ? -1
							     : 0;
			*ay_norm(r, 0, row, w) = t[w].n > 1 ? sqrt(t[w].sumsq) : 0;
		}
	}
}

static void cost(const struct ay_call *c, struct ay_cost *k)
{
	k->flops = (double)ay_numel_of(ay_t(c, "grad_output"));
	k->bytes = -1; /* everything is read once and written once */
}

/* clang-format off */
const struct ay_op ay_ops_upsample_nearest2d_backward[] = {{
	.schemas   = AY_SCHEMAS("aten::upsample_nearest2d_backward(Tensor grad_output, SymInt[2] output_size, SymInt[4] input_size, float? scales_h=None, float? scales_w=None) -> Tensor",
				"aten::upsample_nearest2d_backward.grad_input(Tensor grad_output, SymInt[2] output_size, SymInt[4] input_size, float? scales_h=None, float? scales_w=None, *, Tensor(a!) grad_input) -> Tensor(a!)"),
	.doc       = "The gradient of upsample_nearest2d. grad_output is [N, C, oh, ow] with [oh, ow] = output_size; out is [N, C, H, W] = "
		     "input_size. out[n][c][h][w] is the sum of grad_output[n][c][y][x] over all y with min(floor(y H / oh), H - 1) = h and all "
		     "x with min(floor(x W / ow), W - 1) = w; where scales_h or scales_w is given, with y / scales_h or x / scales_w instead. The "
		     "sum of none is 0. Half types are added in f32 and rounded once.",
	.cases     = {
		{ "((T([2, 3, 8, 9], dt), [8, 9], [2, 3, 4, 3]), {})", "dt=f32|f16|bf16|f64", AY_QUICK },
		{ "((T([n, c, oh, ow], dt), [oh, ow], [n, c, h, w]), {})", "dt=f32|f16|bf16 (n,c,h,w,oh,ow)=(1,1,1,1,1,1)|(0,3,2,2,4,4)|(1,2,5,7,5,7)|(2,1,3,5,6,5)|(1,1,1,1,9,13)|(1,3,2,3,5,7)|(2,2,8,8,4,2)|(1,2,9,7,3,7)|(1,1,4,6,6,9)|(1,2,16,2,2,16)|(1,1,3,1,64,33)", AY_QUICK },
		{ "((T([1, 2, h * f, w * f], dt), [h * f, w * f], [1, 2, h, w], u == 'w' ? None : 1.0 * f, u == 'h' ? None : 1.0 * f), {})", "dt=f32|f16|bf16 (h,w,f)=(3,5,2)|(5,3,4) u='h'|'w'|'both'", AY_QUICK },
		{ "((T([2, 2, oh, ow], dt), [oh, ow], [2, 2, h, w], sh, sw), {})", "dt=f32|f16|bf16 (h,w,oh,ow,sh,sw)=(4,6,10,9,2.5,1.5)|(8,6,2,3,0.25,0.5)|(5,4,11,9,2.25,2.25)|(7,3,5,10,0.75,3.5)", AY_QUICK },
		{ "((T([1, 2, 96, 160], dt), [96, 160], [1, 2, 3, 5]), {})", "dt=f32|f16|bf16|f64", AY_QUICK },
		{ "((T([1, 2, 32, 64], dt, fill=f), [32, 64], [1, 2, 8, 8]), {})", "dt=f32|f16|bf16 f='heavy'|'exact'|'nonfinite'", AY_QUICK },
		{ "((T([1, 2, 9, 15], dt, fill=special), [9, 15], [1, 2, 9, 15]), {})", "dt=f32|f16|bf16|f64", AY_QUICK },
		{ "((T([2, 3, 8, 10], dt, stride=st, offset=o), [8, 10], [2, 3, 4, 5]), {})", "dt=f32|f16|bf16 (st,o)=([240, 1, 30, 3],0)|([480, 160, 20, 2],1)|([240, 80, 1, 8],3)|([0, 80, 10, 1],0)|([240, 80, 0, 1],0)|([3, 1, 6, 0],0)", AY_QUICK },
		{ "((T([2, 2, oh, ow], dt), [oh, ow], [2, 2, h, w], sh, sw), {})", "dt=f32|f16|bf16|f64 (h,w,oh,ow,sh,sw)=(4,6,12,15,2.0,4.0)|(6,5,18,15,4.0,5.0)|(8,8,24,24,4.0,None)|(8,8,24,24,None,4.0)|(5,7,15,21,1.5,6.0)", AY_QUICK },
		{ "((T([n, c, oh, ow], dt), [oh, ow], [n, c, h, w], u ? 1.0 * oh / h : None, u ? 1.0 * ow / w : None), {})", "u=False|True dt=f32|f16|bf16 (n,c,h,w,oh,ow)=(2,3,4,5,8,10)|(4,8,16,32,24,48)|(1,32,64,128,128,256)", AY_FULL },
		{ "((T([8, 64, 2 * h, 2 * h], dt), [2 * h, 2 * h], [8, 64, h, h]), {})", "dt=f32|bf16 h=16|64", AY_PERF },
	},
	.vary      = {
		{ "((T([n, c, oh, ow], dt, fill=f), [oh, ow], [n, c, h, w], sh, sw), {})", "n=size(1, 3) c=size(1, 4) h=size(1, 24) w=last() (oh,sh)=(2 * h,None)|(2 * h,2.0)|(h,None)|(3 * h,3.0)|((h + 1) / 2,None)|((h + 1) / 2,0.5)|(size(1, 40),None)|(h + h / 2,1.5)|(h + 3,2.5) (ow,sw)=(2 * w,None)|(2 * w,2.0)|(w,None)|((w + 1) / 2,None)|((w + 1) / 2,0.5)|(w + size(1, 20),None)|(w + w / 2,1.5)|(w + 3,0.7) dt=f32|f16|bf16|f64 f=None|None|'nonfinite'|'exact'|'heavy'" },
	},
	.accepts   = accepts,
	.result    = result,
	.rows      = ay_rows_last,
	.prepare   = prepare,
	.reference = upsample_backward,
	.cost      = cost,
	.promises  = "places whose share of grad_output depends on how y H / oh is rounded in f32",
	.flags     = AY_INTEGRAL,
}, {0}};
