/* SPDX-License-Identifier: Apache-2.0
 *
 * unsafe_split: out[k] = the k-th chunk of split_size elements of self along dim, the last one shorter where it
 * must be. unsafe_split_with_sizes: chunks of the sizes listed, which add up to the dimension.
 *
 * PyTorch returns views of self and does not tell autograd so, hence the name. A native kernel has no views to
 * return: it writes every piece into a dense result of its own. Error: none, elements are copied bit for bit.
 *
 * What the original tests missed: all tensors are dense and of three float dtypes, compared by tolerance; no piece
 * is empty, and nothing is of one dimension.
 *
 * Cases: unsafe_split original 162 (81 + 81 with out=), unsafe_split_with_sizes original 54 (27 + 27), all
 * distinct; here as many full. Every case is one of out= too, every second with strides.
 */
#include "op/op.h"

/* Where piece k begins along dim, and how long it is. */
static void piece(const struct ay_call *c, int64_t size, int k, int64_t *start, int64_t *length)
{
	if (ay_has_arg(c, "split_size")) {
		const int64_t step = ay_int(c, "split_size");

		*start = k * step;
		*length = step < size - *start ? step : size - *start;
		return;
	}
	*start = 0;
	*length = ay_int_at(c, "split_sizes", k);
	for (int i = 0; i < k; i++)
		*start += ay_int_at(c, "split_sizes", i);
}

/* The dimension that is split, once it was accepted. */
static int dim_of(const struct ay_call *c)
{
	struct ay_err err = { 0 };

	return ay_dim(c, "dim", ay_t(c, "self"), &err);
}

/* An empty dimension is one empty piece. */
static int length(const struct ay_call *c)
{
	const int64_t size = ay_t(c, "self")->shape[dim_of(c)];

	if (!ay_has_arg(c, "split_size"))
		return ay_list_count(c, "split_sizes");
	return size ? (int)((size - 1) / ay_int(c, "split_size")) + 1 : 1;
}

static int accepts_sizes(const struct ay_call *c, int64_t size, struct ay_err *err)
{
	int64_t sum = 0;

	for (int i = 0; i < ay_list_count(c, "split_sizes"); i++) {
		const int64_t n = ay_int_at(c, "split_sizes", i);

		if (n < 0 || n > size - sum)
			return ay_fail(err, AY_ERR_BIND, "split_sizes do not add up to %lld", (long long)size);
		sum += n;
	}
	return sum == size ? 0
			   : ay_fail(err, AY_ERR_BIND, "split_sizes add up to %lld, not %lld", (long long)sum,
				     (long long)size);
}

static int accepts(const struct ay_call *c, struct ay_err *err)
{
	enum { PIECES = 4000 };
	const struct ay_view *self = ay_t(c, "self");
	const int dim = ay_dim(c, "dim", self, err);

	if (dim < 0)
		return -1;
	if (!self->ndim)
		return ay_fail(err, AY_ERR_BIND, "self has no dimension to split");
	if (!ay_has_arg(c, "split_size"))
		return accepts_sizes(c, self->shape[dim], err);
	if (ay_int(c, "split_size") < 0 || (!ay_int(c, "split_size") && self->shape[dim]))
		return ay_fail(err, AY_ERR_BIND, "split_size is positive, or 0 of a dimension of size 0");
	if (self->shape[dim] && (self->shape[dim] - 1) / ay_int(c, "split_size") >= PIECES)
		return ay_fail(err, AY_ERR_BIND, "more than %d pieces", PIECES);
	return 0;
}

static int result(const struct ay_call *c, int k, struct ay_meta *m, struct ay_err *err)
{
	const int dim = dim_of(c);
	int64_t start;

	if (ay_result_like_first(c, k, m, err))
		return -1;
	piece(c, m->shape[dim], k, &start, &m->shape[dim]);
	return 0;
}

/* Pieces differ in size: a smaller one than the largest comes whole, with the first range. */
static void split(struct ay_ref *r)
{
	const struct ay_call *c = r->c;
	const int dim = dim_of(c);
	int64_t most = 0, start;
	const int64_t size = ay_t(c, "self")->shape[dim], lo = r->lo, hi = r->hi;

	for (int k = 0; k < c->nout; k++)
		most = ay_numel_of(&c->out[k]->view) > most ? ay_numel_of(&c->out[k]->view) : most;
	for (int k = 0; k < c->nout; k++) {
		const int64_t n = ay_numel_of(&c->out[k]->view);
		struct ay_view v = *ay_t(c, "self");
		const num *x;

		if (!r->len[k])
			continue;
		piece(c, size, k, &start, &v.shape[dim]);
		v.data = (uint8_t *)v.data + start * v.stride[dim] * ay_dt_info(v.dt)->bytes;
		r->hi = n == most ? hi : n;
		x = ay_load_flat(r, &v, k);
		for (int64_t i = lo; i < r->hi; i++)
			*ay_val(r, k, i, 0) = x[i - lo];
		r->hi = hi;
	}
}

static void cost(const struct ay_call *c, struct ay_cost *k)
{
	(void)c;
	k->bytes = -1; /* all is moved once */
}

/* clang-format off */
const struct ay_op ay_ops_split[] = {{
	.schemas   = AY_SCHEMAS("aten::unsafe_split.Tensor(Tensor self, SymInt split_size, int dim=0) -> Tensor[]",
				"aten::unsafe_split.Tensor_out(Tensor self, SymInt split_size, int dim=0, *, Tensor(a!)[] out) -> ()"),
	.doc       = "out[k] = the elements k * split_size, ..., (k + 1) * split_size - 1 of self along dim, all of the other dimensions; the last "
		     "piece ends where self does. There are ceil(n / split_size) pieces of a dimension of n, and one empty piece of an empty "
		     "one, for which split_size may be 0. Negative dim counts from the end. In PyTorch the pieces are views of self; a native "
		     "kernel copies the elements, bit for bit, into out[0], ..., out[n_out - 1], which have their final shapes already.",
	.cases     = {
		{ "((T([5, 7], dt), 2, d), {})", "dt=f32|f16|bf16|f64|c64|i64|i32|i16|i8|u8|b8 d=0|-1", AY_QUICK },
		{ "((T(s, dt), n, d), {})", "dt=f32|f16|bf16 (s,n,d)=([1],1,0)|([7],7,0)|([7],100,0)|([7],1,-1)|([0, 3],1,0)|([0, 3],0,0)|([0, 3],2,1)|([5, 13],4,1)|([5, 13],5,-1)|([3, 4, 5],2,1)|([3, 4, 5],3,-1)|([129],64,0)", AY_QUICK },
		{ "((T([9, 40], dt, fill=special), n), {})", "dt=f32|f16|bf16|f64 n=4", AY_QUICK },
		{ "((T([8, 13], dt, stride=st, offset=o), 5, d), {})", "dt=f32|i64 (st,o)=([26, 2],3)|([1, 8],0)|([0, 1],1)|([1, 0],0) d=0|1", AY_QUICK },
		{ "((T([9, 40], dt, fill=edge), 4, d), {})", "dt=i64|i32 d=0|1", AY_QUICK },
		{ "((T([2, 3, 4, 3, 5], dt), 2, d), {})", "dt=f32|i64 d=0|2|-1", AY_QUICK },
		{ "((T(s, dt), n, d), {})", "dt=f32|f16|bf16 s=[2, 3]|[128, 256]|[1024, 256] d=0|1|-1 n=2|64|1000", AY_FULL },
		{ "((T(s, dt), n, d), {})", "dt=f32|bf16 (s,n,d)=([1024, 3072],1024,1)|([4096, 4096],1024,0)|([16, 128, 64, 60],20,-1)", AY_PERF },
	},
	.vary      = {
		{ "((T(s, dt), int((s[d] + 11) / 12, s[d] + 2), d), {})", "s=shape(1, 6) d=dim(s) dt=f32|f16|bf16|f64|c64|c128|i64|i32|i16|i8|u8|b8" },
	},
	.accepts   = accepts,
	.length    = length,
	.result    = result,
	.reference = split,
	.cost      = cost,
	.flags     = AY_EXACT | AY_VIEW | AY_TWINS,
}, {
	.schemas   = AY_SCHEMAS("aten::unsafe_split_with_sizes(Tensor self, SymInt[] split_sizes, int dim=0) -> Tensor[]",
				"aten::unsafe_split_with_sizes.out(Tensor self, SymInt[] split_sizes, int dim=0, *, Tensor(a!)[] out) -> ()"),
	.doc       = "out[k] = the next split_sizes[k] elements of self along dim, all of the other dimensions; the sizes, of which some may be 0, "
		     "add up to the dimension. Negative dim counts from the end. In PyTorch the pieces are views of self; a native kernel "
		     "copies the elements, bit for bit, into out[0], ..., out[n_out - 1], which have their final shapes already.",
	.cases     = {
		{ "((T([5, 7], dt), [1, 4, 2], 1), {})", "dt=f32|f16|bf16|f64|c64|i64|i32|i16|i8|u8|b8", AY_QUICK },
		{ "((T(s, dt), n, d), {})", "dt=f32|f16|bf16 (s,n,d)=([1],[1],0)|([7],[7],0)|([7],[0, 3, 0, 4],-1)|([0, 3],[0],0)|([0, 3],[0, 0],0)|([0, 3],[1, 2],1)|([5, 13],[1, 3, 1],0)|([5, 13],[6, 7],-1)|([3, 4, 5],[1, 1, 2],1)|([129],[1, 127, 1],0)", AY_QUICK },
		{ "((T([9, 40], dt, fill=special), [5, 4]), {})", "dt=f32|f16|bf16|f64", AY_QUICK },
		{ "((T([8, 13], dt, stride=st, offset=o), n, d), {})", "dt=f32|i64 (st,o)=([26, 2],3)|([1, 8],0)|([0, 1],1)|([1, 0],0) (n,d)=([3, 5],0)|([1, 10, 2],1)", AY_QUICK },
		{ "((T([9, 40], dt, fill=edge), [4, 5]), {})", "dt=i64|i32", AY_QUICK },
		{ "((T([2, 3, 4, 3, 5], dt), [1, 3], 2), {})", "dt=f32|i64", AY_QUICK },
		{ "((T(s, dt), n, d), {})", "(s,n,d)=([2, 3],[1, 1],0)|([2, 3],[1, 2],1)|([128, 256],[64, 64],0)|([128, 256],[100, 156],1)|([512, 512],[128, 128, 256],0)|([512, 512],[256, 256],1)|([64, 32, 16],[4, 4, 4, 4],2)|([64, 32, 16],[10, 10, 12],1)|([64, 32, 16],[16],-1) dt=f32|f16|bf16", AY_FULL },
		{ "((T(s, dt), n, d), {})", "dt=f32|bf16 (s,n,d)=([1024, 3072],[2048, 512, 512],1)|([4096, 4096],[1000, 3096],0)", AY_PERF },
	},
	.vary      = {
		{ "((T(s, dt), z, d), {})", "s=shape(1, 6) d=dim(s) a=int(0, s[d]) b=int(0, s[d] - a) z=[s[d]]|[a, s[d] - a]|[a, b, s[d] - a - b]|[a, 0, b, 0, s[d] - a - b] dt=f32|f16|bf16|f64|c64|c128|i64|i32|i16|i8|u8|b8" },
	},
	.accepts   = accepts,
	.length    = length,
	.result    = result,
	.reference = split,
	.cost      = cost,
	.flags     = AY_EXACT | AY_VIEW | AY_TWINS,
}, {0}};
