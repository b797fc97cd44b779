/* SPDX-License-Identifier: Apache-2.0
 *
 * as_strided, narrow, select, t, unsqueeze: out = self seen with another shape, strides and start. reshape: with
 * another shape, in row-major order. resolve_conj, resolve_neg: self, where it is stored as it is.
 *
 * PyTorch returns a view where it can. A native kernel has no views to return: it copies the elements into a dense
 * result. What is promised are shape, dtype and values; resolve_conj and resolve_neg promise too that the result
 * is no lazily conjugated, or negated, view any more. Error: none, elements are copied bit for bit, and a sign is
 * turned exactly, that of zeros too. ATen on the CPU subtracts complex numbers from 0 in its vectors, so that
 * -(+0) is +0 there; in the rest of the loop, and for real numbers, it is -0, as IEEE 754 has it.
 *
 * as_strided counts storage_offset from the start of the storage. Kernels are given self from its first element
 * on, so the two are the same only where self has no offset: with storage_offset self must have none.
 *
 * What the original tests missed. as_strided, reshape, t and unsqueeze are compared by tolerance, from dense
 * tensors but for four permuted ones of reshape and the transposed ones of t; as_strided never shares elements and
 * never starts from strides, t never sees one dimension or none. narrow and select take dim, start and index from
 * a generator that is not seeded, so two runs are two tests; none is ever negative; narrow.Tensor is not called.
 * All these are of three float dtypes. resolve_conj and resolve_neg have no test at HEAD, and the intended ones,
 * of c64, look at is_conj() and is_neg() alone: zeros would pass.
 *
 * Cases: as_strided original 117 (45 + 36 + 36), here 117 full. narrow original 18, of which 3 return before they
 * call anything; here 15 full, dim, start and length ours. select original 9; here 9 full, dim and index ours.
 * reshape original 42 (30 + 12), t original 18, unsqueeze original 69, all distinct; here as many full.
 * resolve_conj and resolve_neg original 0 at HEAD, 5 intended each; here 5 full each. select.Dimname is for named
 * dimensions (PyTorch 2.13 has it no more), select.t a list's, for TorchScript.
 */
#include "op/op.h"

#include <assay/kernel.h>
#include <string.h>

typedef int (*view_fn)(const struct ay_call *c, struct ay_view *v, struct ay_err *err);

/* v starts `at` elements further on. There is no memory yet while a call is bound. */
static void advance(struct ay_view *v, int64_t at)
{
	if (v->data)
		v->data = (uint8_t *)v->data + at * ay_dt_info(v->dt)->bytes;
}

static void drop_dim(struct ay_view *v, int dim)
{
	v->ndim--;
	memmove(v->shape + dim, v->shape + dim + 1, sizeof *v->shape * (size_t)(v->ndim - dim));
	memmove(v->stride + dim, v->stride + dim + 1, sizeof *v->stride * (size_t)(v->ndim - dim));
}

static int view_as_strided(const struct ay_call *c, struct ay_view *v, struct ay_err *err)
{
	const struct ay_view *self = ay_t(c, "self");
	const bool none = ay_is_none(c, "storage_offset");
	const int64_t start = none ? 0 : ay_int(c, "storage_offset");

	v->ndim = ay_list_count(c, "size");
	if (v->ndim != ay_list_count(c, "stride") || v->ndim > AY_MAX_DIM)
		return ay_fail(err, AY_ERR_BIND, "size has %d numbers, stride %d; as many are needed, at most %d",
			       v->ndim, ay_list_count(c, "stride"), AY_MAX_DIM);
	if (!none && (self->offset || start < 0))
		return ay_fail(err, AY_ERR_BIND, "storage_offset is not negative, and for a self without offset");
	v->offset = self->offset + start;
	for (int d = 0; d < v->ndim; d++) {
		v->shape[d] = ay_int_at(c, "size", d);
		v->stride[d] = ay_int_at(c, "stride", d);
		if (v->shape[d] < 0 || v->stride[d] < 0)
			return ay_fail(err, AY_ERR_BIND, "size and stride are not negative");
	}
	if (!ay_shape_ok(v->ndim, v->shape, ay_dt_info(v->dt)->bytes) || ay_view_extent(v) < 0 ||
	    (ay_numel_of(v) && ay_view_extent(v) > ay_view_extent(self)))
		return ay_fail(err, AY_ERR_BIND, "the view reaches beyond self's storage");
	advance(v, start);
	return 0;
}

/* start may be a tensor, of which nothing is known before it is filled. */
static int view_narrow(const struct ay_call *c, struct ay_view *v, struct ay_err *err)
{
	const struct ay_view *at = ay_t(c, "start");
	const int dim = ay_dim(c, "dim", v, err);
	const int64_t length = ay_int(c, "length");
	long double x = 0;
	int64_t start, n;

	if (dim < 0)
		return -1;
	if (!v->ndim || at->ndim || !ay_dt_is_integral(at->dt) || at->dt == AY_DT_B8)
		return ay_fail(err, AY_ERR_BIND, "narrow needs a dimension, and an integer to start from");
	if (at->data)
		ay_row_load_ld(at->dt, at->data, 1, 1, &x);
	n = v->shape[dim];
	start = (int64_t)x + (x < 0 ? n : 0);
	if (length < 0 || start < 0 || length > n || start > n - length)
		return ay_fail(err, AY_ERR_BIND, "start %lld and length %lld do not fit into %lld", (long long)x,
			       (long long)length, (long long)n);
	v->shape[dim] = length;
	advance(v, start * v->stride[dim]);
	return 0;
}

static int view_select(const struct ay_call *c, struct ay_view *v, struct ay_err *err)
{
	const int dim = ay_dim(c, "dim", v, err);
	const int64_t index = ay_int(c, "index"), n = dim >= 0 && v->ndim ? v->shape[dim] : 0;

	if (dim < 0)
		return -1;
	if (index < -n || index >= n)
		return ay_fail(err, AY_ERR_BIND, "there is no index %lld among %lld", (long long)index,
			       (long long)n);
	advance(v, (index < 0 ? index + n : index) * v->stride[dim]);
	drop_dim(v, dim);
	return 0;
}

static int view_t(const struct ay_call *c, struct ay_view *v, struct ay_err *err)
{
	const struct ay_view *self = ay_t(c, "self");

	if (v->ndim > 2)
		return ay_fail(err, AY_ERR_BIND, "t is for at most 2 dimensions, self has %d", v->ndim);
	for (int d = 0; d < v->ndim; d++) {
		v->shape[d] = self->shape[v->ndim - 1 - d];
		v->stride[d] = self->stride[v->ndim - 1 - d];
	}
	return 0;
}

static int view_unsqueeze(const struct ay_call *c, struct ay_view *v, struct ay_err *err)
{
	const int dim = ay_dim_wrap(ay_int(c, "dim"), v->ndim + 1, err);
	const size_t behind = (size_t)(v->ndim - dim);

	if (dim < 0)
		return -1;
	if (v->ndim == AY_MAX_DIM)
		return ay_fail(err, AY_ERR_BIND, "self has %d dimensions already", AY_MAX_DIM);
	memmove(v->shape + dim + 1, v->shape + dim, sizeof *v->shape * behind);
	memmove(v->stride + dim + 1, v->stride + dim, sizeof *v->stride * behind);
	v->shape[dim] = v->stride[dim] = 1;
	v->ndim++;
	return 0;
}

static int view_same(const struct ay_call *c, struct ay_view *v, struct ay_err *err)
{
	(void)c, (void)v, (void)err;
	return 0;
}

/* Not a view where the strides do not allow it, but its shape is known: strides and start are not looked at. */
static int view_reshape(const struct ay_call *c, struct ay_view *v, struct ay_err *err)
{
	const int64_t n = ay_numel_of(v);
	int64_t known = 1;
	int open = -1;

	v->ndim = ay_list_count(c, "shape");
	if (v->ndim > AY_MAX_DIM)
		return ay_fail(err, AY_ERR_BIND, "shape has more than %d dimensions", AY_MAX_DIM);
	for (int d = 0; d < v->ndim; d++) {
		v->shape[d] = ay_int_at(c, "shape", d);
		if (v->shape[d] < -1 || (v->shape[d] == -1 && open >= 0))
			return ay_fail(err, AY_ERR_BIND, "shape has sizes, and -1 once");
		if (v->shape[d] == -1)
			open = d;
		else if (__builtin_mul_overflow(known, v->shape[d], &known))
			return ay_fail(err, AY_ERR_BIND, "shape is impossible");
	}
	if (open >= 0 ? !known || n % known : known != n)
		return ay_fail(err, AY_ERR_BIND, "shape does not have self's %lld elements", (long long)n);
	if (open >= 0)
		v->shape[open] = n / known;
	return 0;
}

static int meta_of(const struct ay_call *c, struct ay_meta *m, struct ay_err *err, view_fn view)
{
	struct ay_view v = *ay_t(c, "self");

	if (view(c, &v, err))
		return -1;
	m->dt = v.dt;
	m->ndim = v.ndim;
	memcpy(m->shape, v.shape, sizeof m->shape);
	return 0;
}

/* A line that fills `start` by a rule has an unknown value: a kernel would read anywhere. It is not judged. */
static void copy_view(struct ay_ref *r, view_fn view)
{
	struct ay_view v = *ay_t(r->c, "self");
	struct ay_err err = { 0 };
	const num *x = NULL;

	if (!view(r->c, &v, &err))
		x = ay_load_flat(r, &v, 0);
	for (int64_t i = r->lo; i < r->hi; i++) {
		*ay_val(r, 0, i, 0) = x ? x[i - r->lo] : 0;
		*ay_mag(r, 0, i, 0) = x ? 0 : AY_FREE;
	}
}

static void see_reshape(struct ay_ref *r)
{
	for (int64_t i = r->lo; i < r->hi; i++)
		*ay_val(r, 0, i, 0) = ay_get(r, ay_t(r->c, "self"), i);
}

#define VIEW(name)                                                                                      \
	static int name##_result(const struct ay_call *c, int k, struct ay_meta *m, struct ay_err *err) \
	{                                                                                               \
		(void)k;                                                                                \
		return meta_of(c, m, err, view_##name);                                                 \
	}                                                                                               \
	static void see_##name(struct ay_ref *r)                                                        \
	{                                                                                               \
		copy_view(r, view_##name);                                                              \
	}
VIEW(as_strided)
VIEW(narrow)
VIEW(select)
VIEW(t)
VIEW(unsqueeze)
VIEW(same)

static int reshape_result(const struct ay_call *c, int k, struct ay_meta *m, struct ay_err *err)
{
	(void)k;
	return meta_of(c, m, err, view_reshape);
}

/* What their result is not any more. */
static int resolve_conj_result(const struct ay_call *c, int k, struct ay_meta *m, struct ay_err *err)
{
	m->resolved = AY_CONJ;
	return same_result(c, k, m, err);
}

static int resolve_neg_result(const struct ay_call *c, int k, struct ay_meta *m, struct ay_err *err)
{
	m->resolved = AY_NEG;
	return same_result(c, k, m, err);
}

/* 0 - x in vectors, -x in what is left over. */
static const char *aten_differs(const struct ay_call *c)
{
	const struct ay_view *self = ay_t(c, "self");

	return self->neg && ay_dt_is_complex(self->dt)
		       ? "the negatives of complex zeros lose their sign in vectors"
		       : NULL;
}

/* Every element of the result is read once, where expanded dimensions and overlaps do not make fewer of them. */
static void cost(const struct ay_call *c, struct ay_cost *k)
{
	const double out = ay_touched(&c->out[0]->view), self = ay_touched(ay_t(c, "self"));

	k->bytes = out + (out < self ? out : self);
	if (ay_has_arg(c, "stride")) { /* as_strided may read one element again and again */
		struct ay_view v = *ay_t(c, "self");
		struct ay_err err = { 0 };

		if (!view_as_strided(c, &v, &err))
			k->bytes = out + ay_touched(&v);
	}
}

/* clang-format off */
const struct ay_op ay_ops_views[] = {{
	.schemas   = AY_SCHEMAS("aten::as_strided(Tensor(a) self, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor(a)"),
	.doc       = "out[i, j, ...] = the element of self's memory at start + i * stride[0] + j * stride[1] + ..., of shape size; start is "
		     "storage_offset, counted from self's first element (self has no offset then), or 0 if it is None. Self's own shape "
		     "and strides mean nothing, but the view stays within its memory: gaps between self's elements can be read, and "
		     "elements be repeated. In PyTorch a view; a native kernel copies the elements, bit for bit, into out, which is dense.",
	.cases     = {
		{ "((T([3, 5], dt), [5, 3], [1, 5]), {})", "dt=f32|f16|bf16|f64|c64|c128|i64|i32|i16|i8|u8|b8", AY_QUICK },
		{ "((T(x, dt), s, t, o), {})", "dt=f32|f16|bf16 (x,s,t,o)=([],[],[],None)|([1],[1],[1],0)|([7],[],[],6)|([7],[3],[2],None)|([7],[3],[3],0)|([0],[0],[1],None)|([0, 3],[2, 0],[1, 1],None)|([5, 13],[0, 4],[9, 1],3)|([5, 13],[13, 5],[1, 13],None)|([5, 13],[65],[1],None)|([5, 13],[4, 12],[13, 1],14)|([5, 13],[3, 7],[26, 2],None)|([65],[5, 13],[13, 1],None)|([3, 4, 5],[3, 5, 4],[20, 1, 5],None)|([3, 4, 5],[2, 4, 4],[20, 5, 1],21)", AY_QUICK },
		{ "((T([65], dt), s, t, o), {})", "dt=f32|f16|i64 (s,t,o)=([59, 7],[1, 1],None)|([9, 9],[0, 1],3)|([9, 9],[1, 0],None)|([7],[0],64)|([5, 6, 7],[10, 2, 1],5)", AY_QUICK },
		{ "((T([257], dt, fill=special), [16, 16], [16, 1], 1), {})", "dt=f32|f16|bf16|f64", AY_QUICK },
		{ "((T([8, 33], dt, stride=st, offset=o), s, t), {})", "dt=f32|bf16|i64 st=[66, 2]|[1, 8] o=0|3 (s,t)=([33, 8],[2, 6])|([264],[1])", AY_QUICK },
		{ "((T([65], dt, fill=edge), [7, 9], [9, 1], 1), {})", "dt=i64|i32", AY_QUICK },
		{ "((T([720], f32), [2, 3, 2, 2, 3, 5], [1, 2, 6, 12, 24, 72]), {})", "", AY_QUICK },
		{ "((T([n], dt), s, t, o), {})", "dt=f32|f16|bf16 (n,s,t,o)=(6,[6],[1],None)|(64,[64],[1],None)|(1024,[1024],[1],None)|(6,[3],[2],None)|(64,[32],[2],None)|(1024,[512],[2],None)|(6,[5],[1],1)|(64,[63],[1],1)|(1024,[1023],[1],1)|(6,[3, 2],[2, 1],None)|(64,[16, 4],[4, 1],None)|(1024,[256, 4],[4, 1],None)", AY_FULL },
		{ "((T([h, w], dt), s, t, o), {})", "dt=f32|f16|bf16 (h,w,s,t,o)=(2,3,[2, 3],[3, 1],None)|(128,256,[128, 256],[256, 1],None)|(512,512,[512, 512],[512, 1],None)|(2,3,[3, 2],[1, 3],None)|(128,256,[256, 128],[1, 256],None)|(512,512,[512, 512],[1, 512],None)|(2,3,[1, 1],[6, 2],None)|(128,256,[64, 128],[512, 2],None)|(512,512,[256, 256],[1024, 2],None)|(2,3,[1, 2],[3, 1],4)|(128,256,[127, 255],[256, 1],257)|(512,512,[511, 511],[512, 1],513)|(2,3,[3, 2],[2, 1],None)|(128,256,[8192, 4],[4, 1],None)|(512,512,[65536, 4],[4, 1],None)", AY_FULL },
		{ "((T(x, dt), s, t, o), {})", "dt=f32|f16|bf16 (x,s,t,o)=([2, 3, 4],[2, 3, 4],[12, 4, 1],None)|([8, 16, 8],[8, 16, 8],[128, 8, 1],None)|([16, 32, 16],[16, 32, 16],[512, 16, 1],None)|([2, 3, 4],[2, 4, 3],[12, 1, 4],None)|([8, 16, 8],[8, 8, 16],[128, 1, 8],None)|([16, 32, 16],[16, 16, 32],[512, 1, 16],None)|([2, 3, 4],[1, 1, 4],[24, 8, 1],None)|([8, 16, 8],[4, 8, 8],[256, 16, 1],None)|([16, 32, 16],[8, 16, 16],[1024, 32, 1],None)|([2, 3, 4],[1, 3, 3],[12, 4, 1],13)|([8, 16, 8],[7, 16, 7],[128, 8, 1],129)|([16, 32, 16],[15, 32, 15],[512, 16, 1],513)", AY_FULL },
		{ "((T([1024, 1024], dt), s, t), {})", "dt=f32|bf16 (s,t)=([1024, 1024],[1, 1024])|([512, 512],[2048, 2])|([1017, 1024, 8],[1024, 1, 1024])", AY_PERF },
	},
	.vary      = {
		{ "((T(s, dt), z, t, o), {})", "s=shape() n=numel(s) h=int(1, n) a=int(0, h > 1 ? (n - 1) / (h - 1) : 3) p=n - 1 - (h - 1) * a w=size(1, 24) b=int(0, w > 1 ? p / (w - 1) : 3) q=p - (w - 1) * b e=size(1, 5) g=int(0, e > 1 ? q / (e - 1) : 3) k=int(0, q - (e - 1) * g) (z,t)=([h, w, e],[a, b, g])|([w, h, e],[b, a, g])|([e, w, h],[g, b, a])|([w, e],[b, g])|([h],[a])|([1, h, 1, e],[3, a, 0, g])|([],[]) o=k|None|None dt=f32|f16|bf16|f64|c64|c128|i64|i32|i16|i8|u8|b8|f8e4m3fn|f8e5m2" },
	},
	.result    = as_strided_result,
	.reference = see_as_strided,
	.cost      = cost,
	.promises  = "strides: values are judged, in whatever layout they are returned",
	.flags     = AY_EXACT | AY_VIEW,
}, {
	.schemas   = AY_SCHEMAS("aten::narrow(Tensor(a) self, int dim, SymInt start, SymInt length) -> Tensor(a)",
				"aten::narrow.Tensor(Tensor(a) self, int dim, Tensor start, SymInt length) -> Tensor(a)"),
	.doc       = "out = the elements start, ..., start + length - 1 of self along dim, all of the other dimensions. Negative dim and start "
		     "count from the end; start may be the size itself where length is 0. self has at least one dimension; as a tensor, "
		     "start is 0-dim and of an integer dtype. In PyTorch a view; a native kernel copies the elements, bit for bit, into "
		     "out, which is dense.",
	.cases     = {
		{ "((T([9, 5], dt), 0, 2, 5), {})", "dt=f32|f16|bf16|f64|c64|c128|i64|i32|i16|i8|u8|b8", AY_QUICK },
		{ "((T(s, dt), d, a, n), {})", "dt=f32|f16|bf16 (s,d,a,n)=([1],0,0,1)|([7],0,0,7)|([7],-1,3,2)|([7],0,-3,3)|([7],0,7,0)|([0, 3],1,1,2)|([0, 3],0,0,0)|([5, 13],1,4,9)|([5, 13],-2,-1,1)|([5, 13],0,1,3)|([3, 4, 5, 2],2,1,3)|([3, 4, 5, 2],1,0,2)|([3, 4, 5, 2],-1,1,1)", AY_QUICK },
		{ "((T([33, 40], dt, fill=special), 1, 3, 31), {})", "dt=f32|f16|bf16|f64", AY_QUICK },
		{ "((T([8, 33], dt, stride=st, offset=o), d, 2, 5), {})", "dt=f32|f16|i64 st=[66, 2]|[1, 8]|[0, 1]|[1, 0] o=0|3 d=0|1", AY_QUICK },
		{ "aten::narrow.Tensor((T(s, da), d, T([], db), n), {})", "da=f32|f16|bf16 (s,d,n)=([1],0,1)|([5, 13],1,4)|([5, 13],0,3)|([0, 3],1,2)|([7],0,0) db=i64|i32|u8", AY_QUICK },
		{ "aten::narrow.Tensor((T([5, 13], f32), 1, T([], i64, data=[a]), 4), {})", "a=0|9|-4|-13", AY_QUICK },
		{ "((T([9, 40], dt, fill=edge), 1, 3, 31), {})", "dt=i64|i32", AY_QUICK },
		{ "((T([2, 3, 4, 3, 5], dt), d, 1, 2), {})", "dt=f32|i64 d=1|2|-1", AY_QUICK },
		{ "((T(s, dt), d, a, n), {})", "dt=f16|f32|bf16 (s,d,a,n)=([1],0,0,1)|([1024, 1024],1,100,700)|([20, 320, 15],1,17,293)|([16, 128, 64, 60],2,5,41)|([16, 7, 57, 32, 29],4,3,25)", AY_FULL },
		{ "((T(s, dt), d, a, n), {})", "dt=f32|bf16 (s,d,a,n)=([1024, 1024],0,100,700)|([1024, 1024],1,100,700)|([16, 128, 64, 60],2,5,41)", AY_PERF },
	},
	.vary      = {
		{ "((T(s, dt), d, b, l), {})", "s=shape(1, 6) d=dim(s) n=s[d] l=int(0, n) a=int(0, n - l) b=a|(a < n ? a - n : a) dt=f32|f16|bf16|f64|c64|c128|i64|i32|i16|i8|u8|b8|f8e4m3fn|f8e5m2" },
		{ "aten::narrow.Tensor((T(s, dt), d, T([], di), l), {})", "s=shape(1, 6) d=dim(s) l=int(0, s[d]) dt=f32|f16|bf16|f64|c64|c128|i64|i32|i16|i8|u8|b8|f8e4m3fn|f8e5m2 di=i64|i32|(s[d] < 100 ? u8 : i64)|(s[d] < 100 ? i8 : i32)" },
	},
	.fills     = "start=index(size(self, dim) - length + 1)",
	.result    = narrow_result,
	.reference = see_narrow,
	.cost      = cost,
	.flags     = AY_EXACT | AY_VIEW,
}, {
	.schemas   = AY_SCHEMAS("aten::reshape(Tensor(a) self, SymInt[] shape) -> Tensor(a)"),
	.doc       = "out = the elements of self, in row-major order of self's shape, as a tensor of the shape given; one size may be -1, and is "
		     "then what the others leave over. In PyTorch a view where self's strides allow one, else a copy; a native kernel "
		     "copies the elements, bit for bit, into out, which is dense and has its final shape already.",
	.cases     = {
		{ "((T([5, 13], dt, stride=(1, 5)), [13, 5]), {})", "dt=f32|f16|bf16|f64|c64|c128|i64|i32|i16|i8|u8|b8", AY_QUICK },
		{ "((T(s, dt), t), {})", "dt=f32|f16|bf16 (s,t)=([],[])|([],[1, 1])|([],[-1])|([1],[])|([7],[7])|([7],[-1, 1])|([5, 13],[65])|([5, 13],[13, 5])|([5, 13],[-1])|([3, 4, 5],[5, -1])|([3, 4, 5],[2, 3, 2, 5])|([0, 3],[3, 0])|([0, 3],[-1, 3])|([2, 0],[0])", AY_QUICK },
		{ "((T([33, 40], dt, stride=(1, 33), fill=special), [40, 33]), {})", "dt=f32|f16|bf16|f64", AY_QUICK },
		{ "((T([8, 33], dt, stride=st, offset=o), t), {})", "dt=f32|bf16|i64 st=[66, 2]|[1, 8]|[0, 1]|[1, 0] o=0|3 t=[264]|[33, 8]|[2, 4, 33]", AY_QUICK },
		{ "((T([5, 13], dt, stride=(1, 5), fill=edge), [13, 5]), {})", "dt=i64|i32", AY_QUICK },
		{ "((T([2, 3, 4, 3, 5], f32, stride=st), t), {})", "st=[180, 60, 15, 5, 1]|[1, 2, 6, 24, 72] t=[6, 60]|[360]", AY_QUICK },
		{ "((T(s, dt), t), {})", "dt=f32|f16|bf16 (s,t)=([2, 3],[3, 2])|([2, 3],[1, 6])|([2, 3],[-1])|([128, 256],[256, 128])|([128, 256],[32, -1])|([128, 256],[-1, 128])|([64, 64, 64],[-1])|([64, 64, 64],[64, 4096])|([512, 512],[-1])|([256, 512],[512, 256])", AY_FULL },
		{ "((T(s, dt, stride=st), t), {})", "dt=f32|f16|bf16 (s,st,t)=([64, 32],[1, 64],[-1])|([128, 64],[1, 128],[128, 64])|([32, 8, 16],[1, 512, 32],[256, 16])|([64, 64, 64],[64, 1, 4096],[4096, 64])", AY_FULL },
		{ "((T(s, dt, stride=st), t), {})", "dt=f32|bf16 (s,st,t)=([1024, 1024],[1024, 1],[512, 2048])|([1024, 1024],[1, 1024],[1048576])|([16, 64, 128, 60],[491520, 60, 3840, 1],[16, 64, 7680])", AY_PERF },
	},
	.vary      = {
		{ "((T(s, dt), t), {})", "s=shape(1, 6) t=[-1]|[numel(s)]|swap(s, dim(s), dim(s))|[s[-1], -1]|[-1, s[0]]|s + [1]|[1] + s|head(s, 2) + [-1]|[-1] + tail(s, 2)|head(s, 1) + [1, -1]|[numel(s) / s[-1], s[-1]] dt=f32|f16|bf16|f64|c64|c128|i64|i32|i16|i8|u8|b8|f8e4m3fn|f8e5m2 ; s=[] t=[]|[1, 1]|[-1] dt=f32|f16|bf16|f64|c64|c128|i64|i32|i16|i8|u8|b8|f8e4m3fn|f8e5m2" },
	},
	.result    = reshape_result,
	.reference = see_reshape,
	.cost      = cost,
	.promises  = "whether it is a view of self",
	.flags     = AY_EXACT | AY_VIEW,
}, {
	.schemas   = AY_SCHEMAS("aten::resolve_conj(Tensor(a) self) -> Tensor(a)"),
	.doc       = "out = self's values, stored as they are: where self is a lazily conjugated view (AY_CONJ), the sign of every imaginary part "
		     "is turned, that of zeros too; everything else is copied bit for bit. In PyTorch it gives self itself if "
		     "there is nothing to resolve. A result is never a conjugated view.",
	.cases     = {
		{ "((T(s, dt, conj=True),), {})", "dt=c64|c128|c32 s=[]|[1]|[0, 3]|[7]|[129]|[3, 65]|[2, 3, 4, 5]", AY_QUICK },
		{ "((T([3, 65], dt),), {})", "dt=c64|c128|f32|f16|bf16|i64|b8", AY_QUICK },
		{ "((T([257], dt, conj=True, fill=special),), {})", "dt=c64|c128", AY_QUICK },
		{ "((T([65], dt, neg=True),), {})", "dt=c64|c128", AY_QUICK },
		{ "((T([8, 33], dt, stride=st, offset=o, conj=True),), {})", "dt=c64|c128 st=[66, 2]|[1, 8]|[0, 1]|[1, 0] o=0|3", AY_QUICK },
		{ "((T([65], i64, fill=edge),), {})", "", AY_QUICK },
		{ "((T([2, 3, 4, 3, 5], c64, conj=True),), {})", "", AY_QUICK },
		{ "((T([12347], c64, conj=True),), {})", "", AY_QUICK },
		{ "((T(s, c64, conj=True),), {})", "s=[1]|[1024, 1024]|[20, 320, 15]|[16, 128, 64, 1280]|[16, 7, 57, 32, 29]", AY_FULL },
		{ "((T(s, c64, conj=True),), {})", "s=[512, 1024]|[16, 128, 64, 60]", AY_PERF },
	},
	.vary      = {
		{ "((T(s, dt, conj=cj, neg=ng, fill=f),), {})", "s=shape() dt=c64|c128|c32 cj=True|True|False ng=False f=None|'special' ; s=shape() dt=c64|c128 cj=True|False ng=True|False f=None ; s=shape() dt=f32|f16|bf16|f64|c64|c128|i64|i32|i16|i8|u8|b8|f8e4m3fn|f8e5m2 cj=False ng=False f=None" },
	},
	.result    = resolve_conj_result,
	.reference = see_same,
	.cost      = cost,
	.aten_differs = aten_differs,
	.promises  = "whether a result that nothing changed is self",
	.flags     = AY_EXACT | AY_VIEW,
}, {
	.schemas   = AY_SCHEMAS("aten::resolve_neg(Tensor(a) self) -> Tensor(a)"),
	.doc       = "out = self's values, stored as they are: where self is a lazily negated view (AY_NEG), the sign of every number is turned, "
		     "that of zeros too, of complex ones both parts; everything else is copied bit for bit. In PyTorch it gives "
		     "self itself if there is nothing to resolve. A result is never a negated view.",
	.cases     = {
		{ "((T(s, dt, neg=True),), {})", "dt=f32|f16|bf16 s=[]|[1]|[0, 3]|[7]|[129]|[3, 65]|[2, 3, 4, 5] ; dt=f64|c64|c128 s=[3, 65]", AY_QUICK },
		{ "((T([3, 65], dt),), {})", "dt=c64|f32|f16|i64|b8", AY_QUICK },
		{ "((T([257], dt, neg=True, fill=special),), {})", "dt=f32|f16|bf16|f64|c64", AY_QUICK },
		{ "((T([65], dt, conj=True, neg=True),), {})", "dt=c64|c128", AY_QUICK },
		{ "((T([8, 33], dt, stride=st, offset=o, neg=True),), {})", "dt=f32|bf16|c64 st=[66, 2]|[1, 8]|[0, 1]|[1, 0] o=0|3", AY_QUICK },
		{ "((T([65], i64, fill=edge),), {})", "", AY_QUICK },
		{ "((T([2, 3, 4, 3, 5], f32, neg=True),), {})", "", AY_QUICK },
		{ "((T([12347], f32, neg=True),), {})", "", AY_QUICK },
		{ "((T(s, c64, neg=True),), {})", "s=[1]|[1024, 1024]|[20, 320, 15]|[16, 128, 64, 1280]|[16, 7, 57, 32, 29]", AY_FULL },
		{ "((T(s, f32, neg=True),), {})", "s=[512, 1024]|[16, 128, 64, 60]", AY_PERF },
	},
	.vary      = {
		{ "((T(s, dt, conj=cj, neg=ng, fill=f),), {})", "s=shape() dt=f32|f16|bf16|f64 cj=False ng=True|True|False f=None|'special' ; s=shape() dt=c64|c128 cj=True|False ng=True|True|False f=None|'special' ; s=shape() dt=f32|f16|bf16|f64|c64|c128|i64|i32|i16|i8|u8|b8|f8e4m3fn|f8e5m2 cj=False ng=False f=None" },
	},
	.result    = resolve_neg_result,
	.reference = see_same,
	.cost      = cost,
	.aten_differs = aten_differs,
	.promises  = "whether a result that nothing changed is self",
	.flags     = AY_EXACT | AY_VIEW,
}, {
	.schemas   = AY_SCHEMAS("aten::select.int(Tensor(a) self, int dim, SymInt index) -> Tensor(a)"),
	.doc       = "out = the elements of self at index along dim, all of the other dimensions; dim is gone from the shape. Negative dim and index "
		     "count from the end. self has at least one dimension, and index is in it. In PyTorch a view; a native kernel copies "
		     "the elements, bit for bit, into out, which is dense.",
	.cases     = {
		{ "((T([9, 5], dt), 0, 2), {})", "dt=f32|f16|bf16|f64|c64|c128|i64|i32|i16|i8|u8|b8", AY_QUICK },
		{ "((T(s, dt), d, i), {})", "dt=f32|f16|bf16 (s,d,i)=([1],0,0)|([7],0,6)|([7],-1,-7)|([0, 3],1,1)|([5, 13],0,3)|([5, 13],1,-1)|([5, 13],-2,0)|([5, 1, 13],1,0)|([3, 4, 5, 2],2,4)|([3, 4, 5, 2],0,1)|([3, 4, 5, 2],-1,1)|([3, 4, 5, 2],1,-4)", AY_QUICK },
		{ "((T([33, 3, 40], dt, fill=special), 1, 2), {})", "dt=f32|f16|bf16|f64", AY_QUICK },
		{ "((T([8, 33, 3], dt, stride=st, offset=o), d, 2), {})", "dt=f32|f16|i64 st=[198, 6, 2]|[1, 8, 264]|[0, 3, 1]|[1, 0, 9] o=0|3 d=0|1|2", AY_QUICK },
		{ "((T([9, 40], dt, fill=edge), d, 3), {})", "dt=i64|i32 d=0|1", AY_QUICK },
		{ "((T([2, 3, 4, 3, 5], dt), d, 1), {})", "dt=f32|i64 d=0|2|-1", AY_QUICK },
		{ "((T(s, dt), d, i), {})", "dt=f16|f32|bf16 (s,d,i)=([1, 2],1,1)|([4096, 256],0,1234)|([200, 40999, 3],1,20001)", AY_FULL },
		{ "((T(s, dt), d, i), {})", "dt=f32|bf16 (s,d,i)=([4096, 4096],0,1234)|([4096, 4096],1,1234)|([64, 1024, 1024],1,77)", AY_PERF },
	},
	.vary      = {
		{ "((T(s, dt), d, int(0 - s[d], s[d] - 1)), {})", "s=shape(1, 6) d=dim(s) dt=f32|f16|bf16|f64|c64|c128|i64|i32|i16|i8|u8|b8|f8e4m3fn|f8e5m2" },
	},
	.result    = select_result,
	.reference = see_select,
	.cost      = cost,
	.flags     = AY_EXACT | AY_VIEW,
}, {
	.schemas   = AY_SCHEMAS("aten::t(Tensor(a) self) -> Tensor(a)"),
	.doc       = "out[j, i] = self[i, j]. A tensor of one dimension or none stays as it is; more than two are refused. In PyTorch a view; a "
		     "native kernel copies the elements, bit for bit, into out, which is dense.",
	.cases     = {
		{ "((T([5, 9], dt),), {})", "dt=f32|f16|bf16|f64|c64|c128|i64|i32|i16|i8|u8|b8", AY_QUICK },
		{ "((T(s, dt),), {})", "dt=f32|f16|bf16 s=[]|[1]|[7]|[0, 3]|[3, 0]|[1, 7]|[7, 1]|[3, 65]|[65, 33]|[17, 16]", AY_QUICK },
		{ "((T([33, 40], dt, fill=special),), {})", "dt=f32|f16|bf16|f64", AY_QUICK },
		{ "((T([8, 33], dt, stride=st, offset=o),), {})", "dt=f32|f16|i64 st=[66, 2]|[1, 8]|[0, 1]|[1, 0] o=0|3", AY_QUICK },
		{ "((T([7], dt, stride=(3,)),), {})", "dt=f32|f16", AY_QUICK },
		{ "((T([9, 40], dt, fill=edge),), {})", "dt=i64|i32", AY_QUICK },
		{ "((T([101, 133], dt),), {})", "dt=f32|f16", AY_QUICK },
		{ "((T([h, w], dt),), {})", "dt=f32|f16|bf16 (h,w)=(2,3)|(128,256)|(512,512)", AY_FULL },
		{ "((T([h, w], dt, stride=(1, h)),), {})", "dt=f32|f16|bf16 (h,w)=(2,3)|(128,256)|(512,512)", AY_FULL },
		{ "((T([h, w], dt),), {})", "dt=f32|bf16 (h,w)=(512,512)|(4096,4096)|(64,65536)", AY_PERF },
	},
	.vary      = {
		{ "((T(s, dt),), {})", "s=shape(0, 2)|shape(2, 2) dt=f32|f16|bf16|f64|c64|c128|i64|i32|i16|i8|u8|b8|f8e4m3fn|f8e5m2" },
	},
	.result    = t_result,
	.reference = see_t,
	.cost      = cost,
	.flags     = AY_EXACT | AY_VIEW,
}, {
	.schemas   = AY_SCHEMAS("aten::unsqueeze(Tensor(a) self, int dim) -> Tensor(a)"),
	.doc       = "out = self with a dimension of size 1 more, which stands at dim of the result; negative dim counts from the end of the result. "
		     "In PyTorch a view; a native kernel copies the elements, bit for bit, into out, which is dense.",
	.cases     = {
		{ "((T([5, 9], dt, stride=(1, 5)), 1), {})", "dt=f32|f16|bf16|f64|c64|c128|i64|i32|i16|i8|u8|b8", AY_QUICK },
		{ "((T(s, dt), d), {})", "dt=f32|f16|bf16 (s,d)=([],0)|([],-1)|([1],0)|([7],1)|([7],-2)|([0, 3],1)|([3, 65],0)|([3, 65],2)|([3, 65],-3)|([3, 4, 5],-2)", AY_QUICK },
		{ "((T([33, 40], dt, stride=(1, 33), fill=special), 1), {})", "dt=f32|f16|bf16|f64", AY_QUICK },
		{ "((T([8, 33], dt, stride=st, offset=o), d), {})", "dt=f32|f16|i64 st=[66, 2]|[1, 8]|[0, 1]|[1, 0] o=0|3 d=0|-1", AY_QUICK },
		{ "((T([9, 40], dt, fill=edge), d), {})", "dt=i64|i32 d=0|1", AY_QUICK },
		{ "((T([2, 3, 4, 3, 5], dt, stride=(1, 2, 6, 24, 72)), d), {})", "dt=f32|i64 d=0|3|-1", AY_QUICK },
		{ "((T(s, dt), d), {})", "dt=f32|f16|bf16 (s,d)=([],0)|([],-1)|([2, 3],-3)|([2, 3],-1)|([2, 3],0)|([2, 3],1)|([2, 3],2)|([128, 256],-3)|([128, 256],-1)|([128, 256],0)|([128, 256],2)|([512, 512],-3)|([512, 512],0)|([512, 512],2)|([64, 32, 16],-4)|([64, 32, 16],-1)|([64, 32, 16],0)|([64, 32, 16],2)|([64, 32, 16],3)|([4],-2)|([4],-1)|([4],0)|([4],1)", AY_FULL },
		{ "((T([h, w], dt, stride=(1, h)), 1), {})", "dt=f32|bf16 (h,w)=(512,512)|(4096,4096)", AY_PERF },
	},
	.vary      = {
		{ "((T(s, dt), int(0 - len(s) - 1, len(s))), {})", "s=shape() dt=f32|f16|bf16|f64|c64|c128|i64|i32|i16|i8|u8|b8|f8e4m3fn|f8e5m2" },
	},
	.result    = unsqueeze_result,
	.reference = see_unsqueeze,
	.cost      = cost,
	.flags     = AY_EXACT | AY_VIEW,
}, {0}};
