/* SPDX-License-Identifier: Apache-2.0
 *
 * expand: out = self, broadcast to a size; dimensions of size 1 are repeated, -1 keeps a size, new dimensions come
 * in front. expand_as: to the size of other.
 *
 * PyTorch returns a view with stride 0. A native kernel has no views to return: it writes the repeated elements
 * into a dense result. Error: none, elements are copied bit for bit.
 *
 * What the original tests missed: at HEAD there are none. The intended ones have five pairs of shapes and, for
 * expand, one -1, in three float dtypes, all dense and none with a new dimension in front, empty, or 0-dim; they
 * compare by tolerance. other never has another dtype than self.
 *
 * Cases: expand original 0 at HEAD, 18 intended (15 + 3), all sound and distinct; here 18 full, the shape of the
 * -1 case ours. expand_as original 0 at HEAD, 15 intended; here 15 full. implicit is for tracing.
 */
#include "op/op.h"

#include <string.h>

static int result(const struct ay_call *c, int k, struct ay_meta *m, struct ay_err *err)
{
	const struct ay_view *self = ay_t(c, "self");
	struct ay_view to;

	(void)k;
	m->dt = self->dt;
	m->ndim = ay_list_count(c, "size");
	if (m->ndim < self->ndim || m->ndim > AY_MAX_DIM)
		return ay_fail(err, AY_ERR_BIND, "size has %d dimensions, self has %d", m->ndim, self->ndim);
	for (int d = 0; d < m->ndim; d++) {
		int from = d - (m->ndim - self->ndim);

		m->shape[d] = ay_int_at(c, "size", d);
		if (m->shape[d] < -1 || (m->shape[d] == -1 && from < 0))
			return ay_fail(err, AY_ERR_BIND, "size %d is %lld: -1 is for dimensions that self has", d,
				       (long long)m->shape[d]);
		if (m->shape[d] == -1)
			m->shape[d] = self->shape[from];
	}
	return ay_view_expand(self, m->ndim, m->shape, &to, err);
}

static int result_as(const struct ay_call *c, int k, struct ay_meta *m, struct ay_err *err)
{
	const struct ay_view *self = ay_t(c, "self"), *other = ay_t(c, "other");
	struct ay_view to;

	(void)k;
	m->dt = self->dt;
	m->ndim = other->ndim;
	memcpy(m->shape, other->shape, sizeof m->shape);
	return ay_view_expand(self, m->ndim, m->shape, &to, err);
}

static void expand(struct ay_ref *r)
{
	const num *x = ay_load_flat(r, ay_t(r->c, "self"), 0);

	for (int64_t i = r->lo; i < r->hi; i++)
		*ay_val(r, 0, i, 0) = x[i - r->lo];
}

static void cost(const struct ay_call *c, struct ay_cost *k)
{
	(void)c;
	k->bytes = -1; /* self is read once, the result written once */
}

/* other is only looked at for its shape. */
static void cost_as(const struct ay_call *c, struct ay_cost *k)
{
	k->bytes = ay_touched(ay_t(c, "self")) + ay_touched(&c->out[0]->view);
}

/* clang-format off */
const struct ay_op ay_ops_expand[] = {{
	.schemas   = AY_SCHEMAS("aten::expand(Tensor(a) self, SymInt[] size, *, bool implicit=False) -> Tensor(a)"),
	.doc       = "out = self broadcast to size: dimensions of size 1 are repeated, dimensions that size has more stand in front, -1 "
		     "keeps self's size. In PyTorch a view; a native kernel copies the elements, bit for bit, into out, which is dense "
		     "and has its final shape already. implicit means nothing here.",
	.cases     = {
		{ "((T([1, 5], dt), [3, 5]), {})", "dt=f32|f16|bf16|f64|c64|c128|i64|i32|i16|i8|u8|b8", AY_QUICK },
		{ "((T(s, dt), t), {})", "dt=f32|f16|bf16 (s,t)=([],[])|([],[7])|([1],[1])|([1],[31])|([7],[7])|([7],[3, 7])|([3, 1],[3, 65])|([3, 1],[-1, 5])|([1, 65],[9, -1])|([5, 1, 9],[5, 4, 9])|([5, 1, 9],[2, 3, -1, 4, -1])|([1, 4, 1],[6, 4, 7])|([1, 1, 1],[3, 1, 5])|([0, 1],[0, 4])|([1],[0])|([1, 3],[0, 3])", AY_QUICK },
		{ "((T([33, 1, 40], dt, fill=special), [2, 33, 3, -1]), {'implicit': i})", "dt=f32|f16|bf16|f64 i=False|True", AY_QUICK },
		{ "((T([8, 1, 33], dt, stride=st, offset=o), [8, 5, 33]), {})", "dt=f32|f16|bf16|i64 st=[66, 7, 2]|[1, 3, 8]|[0, 0, 1]|[1, 1, 0] o=0|3", AY_QUICK },
		{ "((T([7, 1, 5], dt, fill=edge), [7, 3, 5]), {})", "dt=i64|i32", AY_QUICK },
		{ "((T([2, 1, 3, 1, 5, 1], dt), [2, 4, 3, 2, 5, 3]), {})", "dt=f32|i64", AY_QUICK },
		{ "((T([3, 1], f32), [3, 4117]), {})", "", AY_QUICK },
		{ "((T(s, dt), t), {})", "dt=f16|f32|bf16 (s,t)=([1],[8])|([1, 16],[8, 16])|([1, 1, 32],[4, 8, 32])|([16, 1],[16, 32])|([1, 16, 1],[8, 16, 32])", AY_FULL },
		{ "((T([4, 1, 8], dt), [-1, 16, -1]), {})", "dt=f16|f32|bf16", AY_FULL },
		{ "((T(s, dt), t), {})", "dt=f32|bf16 (s,t)=([1, 256, 512],[8, 256, 512])|([1, 1024, 1024],[64, 1024, 1024])|([64, 1024, 1],[64, 1024, 1024])", AY_PERF },
	},
	.vary      = {{ "((T(s, dt, fill=f), z), {'implicit': i})", "t=shape() s=fits(t) z=len(s) > 0 ? one(t, with(t, int(-len(s), -1), -1)) : t dt=f32|f16|bf16|f64|i64|i32|i16|i8|u8|b8|c64|c128 f=dt == b8 ? 'bool' : dt == f16 ? 'special' : one('normal', 'mixed') i=False|False|True" }},
	.result    = result,
	.reference = expand,
	.cost      = cost,
	.flags     = AY_EXACT | AY_VIEW,
}, {
	.schemas   = AY_SCHEMAS("aten::expand_as(Tensor(a) self, Tensor other) -> Tensor(a)"),
	.doc       = "out = self broadcast to the shape of other: dimensions of size 1 are repeated, dimensions that other has more stand in "
		     "front. The dtype is self's; other's dtype and content mean nothing. In PyTorch a view; a native kernel copies the "
		     "elements, bit for bit, into out, which is dense and has its final shape already.",
	.cases     = {
		{ "((T([1, 5], dt), T([3, 5], dt)), {})", "dt=f32|f16|bf16|f64|c64|c128|i64|i32|i16|i8|u8|b8", AY_QUICK },
		{ "((T(s, dt), T(t, dt)), {})", "dt=f32|f16|bf16 (s,t)=([],[])|([],[7])|([1],[31])|([7],[7])|([7],[3, 7])|([3, 1],[3, 65])|([5, 1, 9],[5, 4, 9])|([5, 1, 9],[2, 5, 4, 9])|([1, 4, 1],[6, 4, 7])|([0, 1],[0, 4])|([1, 3],[0, 3])", AY_QUICK },
		{ "((T([33, 1, 40], da, fill=special), T([2, 33, 3, 40], db)), {})", "(da,db)=(f32,f16)|(f16,i64)|(bf16,f32)|(f64,b8)", AY_QUICK },
		{ "((T([8, 1, 33], dt, stride=st, offset=o), T([8, 5, 33], dt, stride=(5, 1, 40))), {})", "dt=f32|f16|i64 st=[66, 7, 2]|[1, 3, 8]|[1, 1, 0] o=0|3", AY_QUICK },
		{ "((T([7, 1, 5], dt, fill=edge), T([7, 3, 5], f32)), {})", "dt=i64|i32", AY_QUICK },
		{ "((T([2, 1, 3, 1, 5, 1], dt), T([2, 4, 3, 2, 5, 3], dt)), {})", "dt=f32|i64", AY_QUICK },
		{ "((T(s, dt), T(t, dt)), {})", "dt=f16|f32|bf16 (s,t)=([1],[8])|([1, 16],[8, 16])|([1, 1, 32],[4, 8, 32])|([16, 1],[16, 32])|([1, 16, 1],[8, 16, 32])", AY_FULL },
		{ "((T(s, dt), T(t, dt)), {})", "dt=f32|bf16 (s,t)=([1, 1024, 1024],[64, 1024, 1024])|([64, 1024, 1],[64, 1024, 1024])", AY_PERF },
	},
	.vary      = {{ "((T(s, dt, fill=f), T(t, db)), {})", "t=shape() s=fits(t) dt=f32|f16|bf16|f64|i64|i32|i16|i8|u8|b8|c64|c128 db=dt|dt|f32|i64|b8 f=dt == b8 ? 'bool' : dt == f16 ? 'special' : one('normal', 'mixed')" }},
	.result    = result_as,
	.reference = expand,
	.cost      = cost_as,
	.flags     = AY_EXACT | AY_VIEW,
}, {0}};
