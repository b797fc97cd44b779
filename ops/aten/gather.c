/* SPDX-License-Identifier: Apache-2.0
 *
 * gather: out[.., j, ..] = self[.., index[.., j, ..], ..], the index standing along dim; out has the shape of
 * index. index_select: out[.., j, ..] = self[.., index[j], ..], whole slices by one list.
 *
 * Error: none, elements are copied bit for bit.
 *
 * What the original test of gather missed: the shape of index is drawn anew in every run, so no two runs test the
 * same; f16, f32 and bf16 of three dimensions only, dense, no index twice in a line. Never tested: negative dim,
 * integers, bools, complex numbers, strides, duplicates, an index longer than self along dim, 0-dim and empty
 * tensors. Its gradient half is another operator's.
 *
 * Cases: original 27, all sound but for their random shapes; here 27 full with one fixed shape each, smaller than
 * self in two dimensions.
 *
 * What the original test of index_select missed: for shape [1, 2] and dim 0 the index is empty, three cases that
 * prove nothing; f16, f32 and bf16, dense. Never tested: i32 indices, negative dim, integers, bools, complex
 * numbers, strides, 0-dim tensors, an index longer than the dimension. Cases: original 18, all distinct; here 18
 * full, the three vacuous ones among them.
 *
 * gather.dimname, index_select.dimname and their .dimname_out take named dimensions and are no tensor kernels.
 */
#include "op/op.h"

static int result(const struct ay_call *c, int k, struct ay_meta *m, struct ay_err *err)
{
	const struct ay_view *index = ay_t(c, "index");

	(void)k, (void)err;
	m->dt = ay_t(c, "self")->dt;
	m->ndim = index->ndim;
	for (int d = 0; d < index->ndim; d++)
		m->shape[d] = index->shape[d];
	return 0;
}

/* A 0-dim tensor counts as one of a single element. */
static int64_t size_at(const struct ay_view *v, int d)
{
	return v->ndim ? v->shape[d] : 1;
}

static int rank_of(const struct ay_view *v)
{
	return v->ndim ? v->ndim : 1;
}

static int accepts(const struct ay_call *c, struct ay_err *err)
{
	const struct ay_view *self = ay_t(c, "self"), *index = ay_t(c, "index");
	int dim = ay_dim(c, "dim", self, err);

	if (dim < 0)
		return -1;
	if (index->dt != AY_DT_I64 && index->dt != AY_DT_I32)
		return ay_fail(err, AY_ERR_BIND, "index must be i64 or i32, not %s", ay_dt_info(index->dt)->name);
	if (!ay_numel_of(index))
		return 0;
	if (rank_of(self) != rank_of(index))
		return ay_fail(err, AY_ERR_BIND, "index has %d dimensions, self has %d", index->ndim, self->ndim);
	for (int d = 0; d < rank_of(self); d++)
		if (d != dim && size_at(index, d) > size_at(self, d))
			return ay_fail(err, AY_ERR_BIND, "size %d of index is %lld, self has only %lld", d,
				       (long long)size_at(index, d), (long long)size_at(self, d));
	if (!size_at(self, dim))
		return ay_fail(err, AY_ERR_BIND, "dimension %d of self is empty: nothing to gather", dim);
	return 0;
}

static void gather(struct ay_ref *r)
{
	const struct ay_view *self = ay_t(r->c, "self"), *index = ay_t(r->c, "index");
	const int dim = ay_dim(r->c, "dim", self, &(struct ay_err){ 0 });
	const int item = ay_dt_info(index->dt)->bytes;

	for (int64_t i = r->lo; i < r->hi; i++) {
		int64_t at = ay_elem_int(index->dt, (const uint8_t *)index->data + ay_view_at(index, i) * item);
		int64_t from = 0, step = 1, rest = i;

		if (at < 0 || at >= size_at(self, dim)) { /* a pasted line may ask for it: nothing is promised */
			*ay_mag(r, 0, i, 0) = AY_FREE;
			continue;
		}
		for (int d = rank_of(self) - 1; d >= 0; d--) {
			from += (d == dim ? at : rest % size_at(index, d)) * step;
			rest /= size_at(index, d);
			step *= size_at(self, d);
		}
		*ay_val(r, 0, i, 0) = ay_get(r, self, from);
	}
}

/* --- index_select ---------------------------------------------------------------------------------------- */

static int select_result(const struct ay_call *c, int k, struct ay_meta *m, struct ay_err *err)
{
	const struct ay_view *self = ay_t(c, "self");
	const int dim = ay_dim(c, "dim", self, err);

	if (dim < 0 || ay_result_like_first(c, k, m, err))
		return -1;
	if (self->ndim)
		m->shape[dim] = ay_numel_of(ay_t(c, "index"));
	return 0;
}

static int select_accepts(const struct ay_call *c, struct ay_err *err)
{
	const struct ay_view *self = ay_t(c, "self"), *index = ay_t(c, "index");
	const int dim = ay_dim(c, "dim", self, err);

	if (dim < 0)
		return -1;
	if (index->dt != AY_DT_I64 && index->dt != AY_DT_I32)
		return ay_fail(err, AY_ERR_BIND, "index must be i64 or i32, not %s", ay_dt_info(index->dt)->name);
	if (index->ndim > 1 || (!self->ndim && ay_numel_of(index) != 1))
		return ay_fail(err, AY_ERR_BIND, "index is one list; of a 0-dim self it names the one element");
	if (!size_at(self, dim) && ay_numel_of(index))
		return ay_fail(err, AY_ERR_BIND, "dimension %d of self is empty: nothing to select", dim);
	return 0;
}

/* The list, as numbers. */
static const void *read_list(struct ay_ref *r)
{
	const struct ay_view *index = ay_t(r->c, "index");
	const int64_t n = ay_numel_of(index), step = index->ndim ? index->stride[0] : 1;
	int64_t *list = AY_NEW_N(r->tmp, int64_t, n);

	for (int64_t i = 0; i < n; i++)
		list[i] = ay_elem_int(index->dt,
				      (const uint8_t *)index->data + i * step * ay_dt_info(index->dt)->bytes);
	return list;
}

static void index_select(struct ay_ref *r)
{
	const struct ay_view *self = ay_t(r->c, "self");
	const int dim = ay_dim(r->c, "dim", self, &(struct ay_err){ 0 });
	const int64_t n = size_at(self, dim), *list = r->shared;
	num *x = ay_tmp(r, n);

	for (int64_t row = r->lo; row < r->hi; row++) {
		ay_load(r, self, dim, row, x);
		for (int64_t j = 0; j < r->len[0]; j++) {
			if (list[j] >= 0 && list[j] < n)
				*ay_val(r, 0, row, j) = x[list[j]];
			else /* a pasted line may ask for it: nothing is promised */
				*ay_mag(r, 0, row, j) = AY_FREE;
		}
	}
}

static void cost(const struct ay_call *c, struct ay_cost *k)
{
	/* of self nothing: the indices may name the same few elements again and again */
	k->bytes = ay_touched(&c->out[0]->view) + ay_touched(ay_t(c, "index"));
}

/* clang-format off */
const struct ay_op ay_ops_gather[] = {{
	.schemas   = AY_SCHEMAS("aten::gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor",
				"aten::gather.out(Tensor self, int dim, Tensor index, *, bool sparse_grad=False, Tensor(a!) out) -> Tensor(a!)"),
	.doc       = "out[i][j][k] = self[index[i][j][k]][j][k] for dim 0, self[i][index[i][j][k]][k] for dim 1, and so on (negative dim: "
		     "from the end). out has the shape of index and the dtype of self. index is i64 or i32, has as many dimensions as self and "
		     "holds 0 .. size(self, dim) - 1; along dim it may be longer or shorter than self, elsewhere at most as long. A 0-dim "
		     "tensor counts as one of shape [1]. Elements are copied bit for bit; sparse_grad concerns the gradient alone.",
	.cases     = {
		{ "((T([7, 5], dt), d, T([4, 3], i64)), {})", "dt=f32|f16|bf16|f64|c64|c128|i64|i32|i16|i8|u8|b8 d=0|1", AY_QUICK },
		{ "((T(s, dt), d, T(t, i64)), {})", "dt=f32|f16|bf16 (s,d,t)=([1],0,[1])|([9],0,[129])|([9],-1,[0])|([0, 3],0,[0, 3])|([3, 0],0,[2, 0])|([33, 65],0,[7, 65])|([33, 65],0,[100, 64])|([33, 65],1,[33, 7])|([33, 65],-1,[31, 200])|([5, 6, 7],0,[9, 6, 7])|([5, 6, 7],1,[5, 1, 6])|([5, 6, 7],-2,[4, 9, 7])|([5, 6, 7],2,[3, 5, 11])|([3, 4, 5, 6],-3,[2, 7, 5, 3])", AY_QUICK },
		{ "((T(s, dt), 0, T(t, i64, fill=zeros)), {})", "dt=f32|f16|i32 (s,t)=([],[])|([],[1])|([1],[])", AY_QUICK },
		{ "((T([9, 40], dt, fill=special), d, T([9, 40], i64, fill=index(9))), {})", "dt=f32|f16|bf16|f64 d=0|1", AY_QUICK },
		{ "((T([8, 33], dt, stride=(66, 2), offset=3), d, T([8, 33], i64, stride=(1, 8))), {})", "dt=f32|f16|bf16|i64 d=0|1", AY_QUICK },
		{ "((T([9, 16], dt, stride=(0, 1)), 1, T([9, 16], i64, stride=(1, 0))), {})", "dt=f32|f16", AY_QUICK },
		{ "((T([12, 31], dt, stride=(1, 12)), 0, T([12, 31], i64, stride=(62, 2), offset=1)), {'sparse_grad': True})", "dt=f32|bf16", AY_QUICK },
		{ "((T([70001], dt), 0, T([300], i64)), {})", "dt=f32|i64", AY_QUICK },
		{ "((T([3, 300], dt), 1, T([3, 70001], i64)), {})", "dt=f16", AY_QUICK },
		{ "((T([33, 9], i64, fill=edge), d, T([33, 9], i64, fill=index(9))), {})", "d=0|1", AY_QUICK },
		{ "((T([2, 3, 4, 3, 5], dt), d, T([2, 3, 4, 3, 5], i64)), {})", "dt=f32 d=0|2|-1", AY_QUICK },
		{ "((T(s, dt), d, T([s[0] - (d == 0 ? 0 : 9), s[1] - (d == 1 ? 0 : 5), s[2] - (d == 2 ? 0 : 3)], i64)), {})", "dt=f16|f32|bf16 d=0|1|2 s=[512, 128, 32]|[1024, 64, 16]|[128, 32, 256]", AY_FULL },
		{ "((T(s, dt), d, T(s, i64)), {})", "dt=f32|bf16 d=1|0 s=[512, 512]|[4096, 4096]", AY_PERF },
	},
	.vary      = {{ "((T(s, dt, fill=f), d, T(len(s) > 0 ? with(within(s), d, size(1, 20)) : s, di)), {'sparse_grad': g})", "s=shape() d=dim(s) dt=f32|f16|bf16|f64|i64|i32|i16|i8|u8|b8|c64|c128 di=i64|i64|i32 f=dt == b8 ? 'bool' : dt == f16 ? 'special' : one('normal', 'mixed') g=False|True" }},
	.fills     = "index=index(size(self, dim))",
	.accepts   = accepts,
	.result    = result,
	.reference = gather,
	.cost      = cost,
	.flags     = AY_EXACT,
}, {
	.schemas   = AY_SCHEMAS("aten::index_select(Tensor self, int dim, Tensor index) -> Tensor",
				"aten::index_select.out(Tensor self, int dim, Tensor index, *, Tensor(a!) out) -> Tensor(a!)"),
	.doc       = "out[.., j, ..] = self[.., index[j], ..] along dim (negative: from the end): slices of self, in the order of index. index is "
		     "i64 or i32, a list or one 0-dim number, and holds 0 .. size(self, dim) - 1, any of them any number of times. out has "
		     "self's dtype and shape, but the length of index along dim. Elements are copied bit for bit.",
	.cases     = {
		{ "((T([7, 5], dt), d, T([4], i64)), {})", "dt=f32|f16|bf16|f64|c64|c128|i64|i32|i16|i8|u8|b8 d=0|1", AY_QUICK },
		{ "((T(s, dt), d, T(t, di)), {})", "dt=f32|f16|bf16 di=i64|i32 (s,d,t)=([],0,[1])|([],-1,[])|([1],0,[1])|([9],0,[129])|([9],-1,[])|([9],0,[0])|([3, 0],0,[2])|([0, 3],1,[2])|([33, 65],0,[7])|([33, 65],-1,[200])|([5, 6, 7],1,[4])|([5, 6, 7],-1,[11])|([3, 4, 5, 6],-3,[7])", AY_QUICK },
		{ "((T([9, 40], dt, fill=special), d, T([30], i64)), {})", "dt=f32|f16|bf16|f64 d=0|1", AY_QUICK },
		{ "((T([8, 33], dt, stride=st, offset=3), d, T([9], i64, stride=(3,), offset=1)), {})", "dt=f32|f16|bf16|i64 st=[66, 2]|[1, 8] d=0|1 ; dt=f32|f16 st=[0, 1] d=1 ; dt=f32|f16 st=[1, 0] d=0", AY_QUICK },
		{ "((T([8, 33], dt), d, T([9], di, stride=(0,))), {})", "dt=f32|bf16 di=i64|i32 d=0|1", AY_QUICK },
		{ "((T([33, 7], dt), 0, T([33], i64, fill=perm)), {})", "dt=f32|f16|i32", AY_QUICK },
		{ "((T([70001, 2], dt), 0, T([300], di)), {})", "dt=f32 di=i64|i32", AY_QUICK },
		{ "((T(s, dt), d, T([70001], i64)), {})", "dt=f32|f16 (s,d)=([9],0)|([2, 300],1)|([300, 2],0)", AY_QUICK },
		{ "((T([33, 9], i64, fill=edge), d, T([40], i64)), {})", "d=0|1", AY_QUICK },
		{ "((T([2, 3, 4, 3, 5], dt), d, T([7], i64)), {})", "dt=f32 d=0|2|-1", AY_QUICK },
		{ "((T(s, dt), d, T([s[d] * 4 / 5], i64)), {})", "dt=f16|f32|bf16 d=0|1 s=[1, 2]|[4096, 256]|[200, 40999, 3]", AY_FULL },
		{ "((T(s, dt), d, T([s[d] / 2], i64)), {})", "dt=f32|bf16 d=0|1 s=[512, 1024]|[4096, 4096]", AY_PERF },
	},
	.vary      = {{ "((T(s, dt, fill=f), d, T(len(s) > 0 ? one([n], [n], [n], []) : one([1], []), di)), {})", "s=shape() d=dim(s) n=size(1, 40) dt=f32|f16|bf16|f64|i64|i32|i16|i8|u8|b8|c64|c128 di=i64|i32 f=dt == b8 ? 'bool' : dt == f16 ? 'special' : one('normal', 'mixed')" }},
	.fills     = "index=index(size(self, dim))",
	.accepts   = select_accepts,
	.result    = select_result,
	.rows      = ay_rows_dim,
	.prepare   = read_list,
	.reference = index_select,
	.cost      = cost,
	.flags     = AY_EXACT,
}, {0}};
