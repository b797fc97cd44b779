/* SPDX-License-Identifier: Apache-2.0
 *
 * out[c kh kw + i kw + j][y ow + x] = self[c][y sh - ph + i dh][x sw - pw + j dw], and 0 where that lies in the
 * padding: the windows of an image as columns. kh x kw is the kernel, s the stride, d the dilation, p the padding,
 * and oh = (H + 2 ph - dh (kh - 1) - 1) / sh + 1 (cut) the number of windows down, ow likewise across.
 *
 * Error: none, elements are copied bit for bit, the padding is +0.
 *
 * What the original test missed: images without a batch only, square but for one kernel; symmetric dilation; float
 * types, dense. Never tested: batches, sizes that leave a rest, a kernel of the image's size, windows that lie in
 * the padding altogether, an empty batch, strides, complex numbers, NaN.
 *
 * ATen writes an out that has gaps as if it had none: what lies between the elements is overwritten.
 *
 * Cases: original 72, 36 of them by .out; all sound and distinct. Here the 36 full, from which those of .out are
 * derived.
 */
#include "op/op.h"

enum { DOWN, ACROSS };

/* One direction of the window. */
struct axis {
	int64_t size, kernel, step, gap, pad, windows; /* step: stride; gap: dilation */
};

static int read_axis(const struct ay_call *c, int k, struct axis *x, struct ay_err *err)
{
	static const char *const names[] = { "kernel_size", "dilation", "padding", "stride" };
	const struct ay_view *self = ay_t(c, "self");
	const int64_t large = 1 << 20; /* products of three stay in int64 */
	int64_t v[4];

	for (int i = 0; i < 4; i++) {
		if (ay_list_count(c, names[i]) != 2)
			return ay_fail(err, AY_ERR_BIND, "%s takes two numbers", names[i]);
		v[i] = ay_int_at(c, names[i], k);
		if (v[i] < (i != 2) || v[i] >= large)
			return ay_fail(err, AY_ERR_BIND, "%s cannot be %lld", names[i], (long long)v[i]);
	}
	*x = (struct axis){ self->shape[self->ndim - 2 + k], v[0], v[3], v[1], v[2], 0 };
	if (x->size >= large || self->shape[self->ndim - 3] >= large)
		return ay_fail(err, AY_ERR_BIND, "the image is too large");
	if (x->size + 2 * x->pad < x->gap * (x->kernel - 1) + 1)
		return ay_fail(err, AY_ERR_BIND, "the window is larger than the image and its padding");
	x->windows = (x->size + 2 * x->pad - x->gap * (x->kernel - 1) - 1) / x->step + 1;
	return 0;
}

static int read_axes(const struct ay_call *c, struct axis a[2], struct ay_err *err)
{
	return read_axis(c, DOWN, &a[DOWN], err) || read_axis(c, ACROSS, &a[ACROSS], err) ? -1 : 0;
}

static int accepts(const struct ay_call *c, struct ay_err *err)
{
	const struct ay_view *self = ay_t(c, "self");

	if (ay_dt_info(self->dt)->cls == AY_CLASS_INT)
		return ay_fail(err, AY_ERR_BIND, "im2col is not made for %s", ay_dt_info(self->dt)->name);
	if (self->ndim != 3 && self->ndim != 4)
		return ay_fail(err, AY_ERR_BIND,
			       "self is an image (C, H, W) or a batch of them, not %d-dimensional", self->ndim);
	for (int d = self->ndim - 3; d < self->ndim; d++)
		if (!self->shape[d])
			return ay_fail(err, AY_ERR_BIND, "the image is empty");
	return 0;
}

static int result(const struct ay_call *c, int k, struct ay_meta *m, struct ay_err *err)
{
	const struct ay_view *self = ay_t(c, "self");
	struct axis a[2];

	(void)k;
	if (read_axes(c, a, err))
		return -1;
	m->dt = self->dt;
	m->ndim = self->ndim - 1;
	m->shape[0] = self->shape[0];
	m->shape[m->ndim - 2] = self->shape[self->ndim - 3] * a[DOWN].kernel * a[ACROSS].kernel;
	m->shape[m->ndim - 1] = a[DOWN].windows * a[ACROSS].windows;
	return 0;
}

static void im2col(struct ay_ref *r)
{
	const struct ay_view *self = ay_t(r->c, "self");
	struct axis a[2];
	num *line;

	if (read_axes(r->c, a, &(struct ay_err){ 0 }))
		AY_BUG("im2col: a call that was not checked");
	line = ay_tmp(r, a[ACROSS].size);
	for (int64_t row = r->lo; row < r->hi; row++) {
		const int64_t j = row % a[ACROSS].kernel, i = row / a[ACROSS].kernel % a[DOWN].kernel;
		const int64_t image = row / (a[DOWN].kernel * a[ACROSS].kernel);

		for (int64_t y = 0; y < a[DOWN].windows; y++) {
			const int64_t h = y * a[DOWN].step - a[DOWN].pad + i * a[DOWN].gap;

			if (h < 0 || h >= a[DOWN].size)
				continue;
			ay_load(r, self, -1, image * a[DOWN].size + h, line);
			for (int64_t x = 0; x < a[ACROSS].windows; x++) {
				const int64_t w = x * a[ACROSS].step - a[ACROSS].pad + j * a[ACROSS].gap;

				if (w >= 0 && w < a[ACROSS].size)
					*ay_val(r, 0, row, y * a[ACROSS].windows + x) = line[w];
			}
		}
	}
}

/* How many places along a direction some window shows. */
static int64_t shown(const struct axis *x)
{
	int64_t n = 0;

	for (int64_t at = 0; at < x->size; at++) {
		bool hit = false;

		for (int64_t i = 0; i < x->kernel && !hit; i++) {
			const int64_t first = at + x->pad - i * x->gap;

			hit = first >= 0 && first % x->step == 0 && first / x->step < x->windows;
		}
		n += hit;
	}
	return n;
}

static const char *aten_differs(const struct ay_call *c)
{
	return ay_schema_out(c->s) && !ay_view_is_dense(&c->out[0]->view)
		       ? "im2col.out takes every out for a contiguous one"
		       : NULL;
}

static const char *cuda_differs(const struct ay_call *c)
{
	return ay_schema_out(c->s) && ay_t(c, "self")->ndim == 3
		       ? "without a batch im2col.out leaves out with a dimension more, and returns another tensor"
		       : aten_differs(c);
}

static void cost(const struct ay_call *c, struct ay_cost *k)
{
	const struct ay_view *self = ay_t(c, "self");
	struct axis a[2];
	double part;

	k->bytes = ay_touched(&c->out[0]->view);
	if (read_axes(c, a, &(struct ay_err){ 0 }) || !ay_numel_of(self))
		return;
	part = (double)shown(&a[DOWN]) * (double)shown(&a[ACROSS]) /
	       ((double)a[DOWN].size * (double)a[ACROSS].size);
	k->bytes += part * ay_touched(self);
}

/* clang-format off */
const struct ay_op ay_ops_im2col[] = {{
	.schemas   = AY_SCHEMAS("aten::im2col(Tensor self, int[2] kernel_size, int[2] dilation, int[2] padding, int[2] stride) -> Tensor",
				"aten::im2col.out(Tensor self, int[2] kernel_size, int[2] dilation, int[2] padding, int[2] stride, *, Tensor(a!) out) -> Tensor(a!)"),
	.doc       = "The windows of an image as columns. self is [C, H, W] or [N, C, H, W]; out is [C kh kw, oh ow], with N in front if self "
		     "has it, where oh = floor((H + 2 ph - dh (kh - 1) - 1) / sh) + 1 and ow likewise; kh, kw are kernel_size, dh, dw dilation, ph, pw "
		     "padding, sh, sw stride. out[(c kh + i) kw + j][y ow + x] = self[c][y sh - ph + i dh][x sw - pw + j dw], and 0 where "
		     "that place is outside of the image. Elements are copied bit for bit.",
	.cases     = {
		{ "((T([2, 6, 7], dt), [3, 2], [1, 1], [1, 0], [2, 1]), {})", "dt=f32|f16|bf16|f64|c64|c128|b8", AY_QUICK },
		{ "((T(s, dt), [3, 3], [1, 1], [1, 1], [1, 1]), {})", "dt=f32|f16|bf16 s=[1, 1, 1]|[3, 7, 5]|[2, 3, 4, 5]|[1, 1, 9, 9]|[0, 3, 4, 5]", AY_QUICK },
		{ "((T([2, 3, 9, 11], dt), k, d, p, st), {})", "dt=f32|bf16 (k,d,p,st)=([1, 1],[1, 1],[0, 0],[1, 1])|([9, 11],[1, 1],[0, 0],[1, 1])|([2, 3],[1, 1],[0, 0],[2, 3])|([2, 3],[3, 2],[0, 0],[1, 1])|([3, 2],[2, 1],[2, 0],[1, 3])|([4, 4],[1, 1],[3, 3],[4, 4])|([1, 5],[1, 2],[0, 4],[2, 1])|([2, 2],[1, 1],[2, 3],[1, 1])|([1, 1],[1, 1],[0, 0],[3, 4])|([11, 1],[1, 1],[1, 0],[1, 2])", AY_QUICK },
		{ "((T([3, 6, 40], dt, fill=special), [2, 3], [1, 1], p, [2, 2]), {})", "dt=f32|f16|bf16|f64 p=[0, 0]|[1, 1]", AY_QUICK },
		{ "((T([3, 8, 9], dt, stride=st, offset=o), [3, 2], [1, 2], [1, 1], [2, 1]), {})", "dt=f32|f16|c64 (st,o)=([144, 18, 2],1)|([72, 1, 8],3)|([1, 27, 3],0)|([0, 9, 1],0)|([9, 0, 1],0)|([8, 1, 0],0)", AY_QUICK },
		{ "((T([2, 3, 8, 9], dt, stride=(216, 1, 27, 3)), [3, 3], [1, 1], [1, 1], [1, 1]), {})", "dt=f32|f16|bf16", AY_QUICK },
		{ "((T(s, dt), k, [1, 1], p, st), {})", "dt=f32|bf16 (s,k,p,st)=([2, 9, 1],[3, 1],[0, 0],[1, 1])|([2, 9, 1],[3, 1],[1, 0],[2, 1])|([2, 9, 1],[1, 1],[0, 0],[1, 1])|([2, 9, 1],[3, 3],[1, 1],[1, 1])|([2, 3, 7, 1],[2, 1],[0, 0],[1, 1])|([2, 1, 9],[1, 3],[0, 0],[1, 1])|([2, 3, 1, 9],[1, 2],[0, 1],[1, 2])|([1, 6, 7],[6, 1],[0, 0],[1, 1])|([3, 6, 7],[1, 7],[0, 0],[1, 1])|([2, 5, 1],[5, 1],[0, 0],[1, 1])", AY_QUICK },
		{ "((T([1, 70, 71], f32), [2, 2], [1, 1], [0, 0], [1, 1]), {})", "", AY_QUICK },
		{ "((T(s, dt), k, d, p, st), {})", "(k,d,p,st)=([3, 3],[1, 1],[1, 1],[1, 1])|([3, 3],[1, 1],[0, 0],[2, 2])|([5, 4],[2, 2],[2, 1],[1, 2])|([1, 1],[1, 1],[0, 0],[1, 1]) dt=f32|f16|bf16 s=[3, 8, 8]|[16, 64, 64]|[32, 128, 128]", AY_FULL },
		{ "((T(s, dt), [3, 3], [1, 1], [1, 1], st), {})", "dt=f32|bf16 (s,st)=([4, 32, 56, 56],[1, 1])|([8, 64, 112, 112],[2, 2])", AY_PERF },
	},
	.vary      = {{ "((T(b + [c, h, w], dt, fill=f), [i, j], [u, v], [p, q], [y, z]), {})", "w=last() h=size(2, 20) c=size(1, 4) b=[]|[size(1, 4)] i=int(1, h < 5 ? h : 5) j=int(1, w < 5 ? w : 5) u=int(1, i > 1 ? (h - 1) / (i - 1) < 3 ? (h - 1) / (i - 1) : 3 : 3) v=int(1, j > 1 ? (w - 1) / (j - 1) < 3 ? (w - 1) / (j - 1) : 3 : 3) p=0|i / 2|int(0, 2) q=0|j / 2|int(0, 3) y=int(1, 3) z=int(1, 3) dt=f32|f16|bf16|f64|c64|c128|b8 f=dt == b8 ? 'bool' : dt == f16 ? 'special' : one('normal', 'mixed')" }},
	.accepts   = accepts,
	.result    = result,
	.rows      = ay_rows_last,
	.reference = im2col,
	.cost      = cost,
	.aten_differs = aten_differs,
	.cuda_differs = cuda_differs,
	.flags     = AY_EXACT,
}, {0}};
