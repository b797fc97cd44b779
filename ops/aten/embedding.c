/* SPDX-License-Identifier: Apache-2.0
 *
 * out[.., :] = weight[indices[..], :]: rows of a table, looked up.
 *
 * padding_idx, scale_grad_by_freq and sparse concern the gradient alone; the row at padding_idx is copied like any
 * other. Error: none, rows are copied bit for bit.
 *
 * What the original test missed: at HEAD its body is a test of fill_ and raises. As intended it takes f16, f32 and
 * bf16, two-dimensional indices of at most 32 elements and widths 128, 256 and 4096: no odd width, no i32 index, no
 * stride, no index twice for certain, no NaN, no empty list. Nothing checks that padding_idx leaves the result alone.
 *
 * Cases: original 288, of which padding_idx None means -1 (torch.nn.functional says so) and is there already: 216
 * distinct ones, all in the full rows. The 216 of embedding_backward are another operator's.
 */
#include "op/op.h"

static int result(const struct ay_call *c, int k, struct ay_meta *m, struct ay_err *err)
{
	const struct ay_view *weight = ay_t(c, "weight"), *indices = ay_t(c, "indices");

	(void)k;
	if (weight->ndim != 2)
		return ay_fail(err, AY_ERR_BIND, "weight must have 2 dimensions, not %d", weight->ndim);
	if (indices->ndim + 1 > AY_MAX_DIM)
		return ay_fail(err, AY_ERR_BIND, "indices has too many dimensions");
	m->dt = weight->dt;
	m->ndim = indices->ndim + 1;
	for (int d = 0; d < indices->ndim; d++)
		m->shape[d] = indices->shape[d];
	m->shape[indices->ndim] = weight->shape[1];
	return 0;
}

static int accepts(const struct ay_call *c, struct ay_err *err)
{
	const struct ay_view *weight = ay_t(c, "weight"), *indices = ay_t(c, "indices");

	if (indices->dt != AY_DT_I64 && indices->dt != AY_DT_I32)
		return ay_fail(err, AY_ERR_BIND, "indices are i64 or i32, not %s", ay_dt_info(indices->dt)->name);
	if (weight->ndim == 2 && !weight->shape[0] && ay_numel_of(indices))
		return ay_fail(err, AY_ERR_BIND, "weight has no rows to look up");
	return 0;
}

static void embedding(struct ay_ref *r)
{
	const struct ay_view *weight = ay_t(r->c, "weight"), *indices = ay_t(r->c, "indices");
	const int item = ay_dt_info(indices->dt)->bytes;

	for (int64_t i = r->lo; i < r->hi; i++) {
		const uint8_t *at = (const uint8_t *)indices->data + ay_view_at(indices, i) * item;
		const int64_t row = ay_elem_int(indices->dt, at);

		if (row >= 0 && row < weight->shape[0])
			ay_load(r, weight, 1, row, ay_val(r, 0, i, 0));
		else /* a pasted line may ask for it: nothing is promised */
			for (int64_t j = 0; j < r->len[0]; j++)
				*ay_mag(r, 0, i, j) = AY_FREE;
	}
}

static void cost(const struct ay_call *c, struct ay_cost *k)
{
	/* of the table nothing: all indices may name one row, which is then in the cache */
	k->bytes = ay_touched(&c->out[0]->view) + ay_touched(ay_t(c, "indices"));
}

/* clang-format off */
const struct ay_op ay_ops_embedding[] = {{
	.schemas   = AY_SCHEMAS("aten::embedding(Tensor weight, Tensor indices, SymInt padding_idx=-1, bool scale_grad_by_freq=False, bool sparse=False) -> Tensor",
				"aten::embedding.out(Tensor weight, Tensor indices, SymInt padding_idx=-1, bool scale_grad_by_freq=False, bool sparse=False, *, Tensor(a!) out) -> Tensor(a!)"),
	.doc       = "out[.., :] = weight[indices[..], :]. weight is a table of shape [rows, width]; indices, i64 or i32 and of any shape, "
		     "holds 0 .. rows - 1; out has the shape of indices with width behind it, and the dtype of weight. Rows are copied "
		     "bit for bit. padding_idx, scale_grad_by_freq and sparse concern the gradient alone: the row at padding_idx is "
		     "copied like any other.",
	.cases     = {
		{ "((T([9, 5], dt), T(s, i64)), {})", "dt=f32|f16|bf16|f64|c64|i64|i32|u8|b8 s=[4]|[3, 7]", AY_QUICK },
		{ "((T([n, d], dt), T(s, di)), {})", "dt=f32|f16|bf16 di=i64|i32 (n,d,s)=(1,1,[1])|(7,129,[])|(33,65,[40])|(33,64,[5, 9])|(100,3,[2, 3, 5])|(3,0,[2])|(3,7,[0])|(0,4,[0, 3])", AY_QUICK },
		{ "((T([6, 33], dt), T([5, 7], i64), p, g, s), {})", "dt=f32|bf16 p=-1|0|5 g=False|True s=False|True", AY_QUICK },
		{ "((T([9, 65], dt, fill=special), T([40], i64)), {})", "dt=f32|f16|bf16|f64", AY_QUICK },
		{ "((T([8, 33], dt, stride=st, offset=3), T([5, 9], i64, stride=(1, 5), offset=1)), {})", "dt=f32|f16|bf16 st=[66, 2]|[1, 8]|[0, 1]|[33, 1]", AY_QUICK },
		{ "((T([8, 33], dt), T([5, 9], i32, stride=(0, 2))), {})", "dt=f32|f16", AY_QUICK },
		{ "((T([70001, 2], dt), T([300], di, fill=index(70001))), {})", "dt=f32 di=i64|i32", AY_QUICK },
		{ "((T([300, 2], dt), T([70001], i64)), {})", "dt=f16", AY_QUICK },
		{ "((T([33, 5], i64, fill=edge), T([7, 9], i64)), {})", "", AY_QUICK },
		{ "((T([4096, n], dt), T([b, m], i64), p, g), {})", "dt=f16|f32|bf16 g=True|False p=-1|1|2 n=128|256|4096 m=4|8 b=2|4", AY_FULL },
		{ "((T([v, e], dt), T([b, 512], i64)), {})", "dt=bf16|f32 b=1|8 (v,e)=(4096,512)|(32000,4096)", AY_PERF },
	},
	.vary      = {{ "((T([n, w], dt, fill=f), T(s, di), p, g, r), {})", "w=last() n=size(1, 60) s=shape(0, 4) dt=f32|f16|bf16|f64|c64|i64|i32|i16|u8|b8 di=i64|i32 p=-1|0|n - 1 g=False|True r=False|True f=dt == b8 ? 'bool' : dt == f16 ? 'special' : one('normal', 'mixed')" }},
	.fills     = "indices=index(size(weight, 0))",
	.accepts   = accepts,
	.result    = result,
	.rows      = ay_rows_last,
	.reference = embedding,
	.cost      = cost,
	.flags     = AY_EXACT,
}, {0}};
