/* SPDX-License-Identifier: Apache-2.0
 *
 * cat: the tensors of a list, one behind the other along dim. 1-D tensors of size 0 are skipped, whatever the
 * others' shape (but their dtype counts); all other sizes must agree. stack: tensors of one shape, side by side
 * along a new dimension.
 *
 * Error: none. Equal dtypes are copied bit for bit; mixed ones are converted to the promoted dtype, rounded once
 * to nearest even. (PyTorch converts i64 to bf16 through f32; the rows keep integers below 2^24, where that is one
 * rounding.)
 *
 * What the original test of cat missed: at HEAD three f32 cases, all of them with empty tensors, two of which have
 * no element at all. Its history (commit c2549d3) has 130 more, dense, of one dtype, with at most four tensors;
 * the full rows are those. Never tested: strides, mixed dtypes, skipped tensors between others, one tensor, many,
 * bool, complex.
 *
 * Cases: original 133 (3 at HEAD + 130 intended), all sound and distinct but for the doubled dim = -1; here 133
 * full. Overloads that are no tensor kernels: cat.names and cat.names_out (named dimensions).
 *
 * What the original test of stack missed: more than three tensors, one alone, mixed dtypes, strides, empty and
 * 0-dim tensors, a new last dimension behind three; f64, i64, bool, complex. Cases: original 60, all sound, of
 * which for vectors dim = -2 and 0, -1 and 1 mean the same; here 60 full.
 */
#include "op/op.h"

#include <string.h>

#define row_load  AY_NUM(ay_row_load)
#define row_store AY_NUM(ay_row_store)

static bool skipped(const struct ay_view *v)
{
	return v->ndim == 1 && v->shape[0] == 0;
}

/* The first tensor that is not skipped gives the rank; all of them skipped: an empty 1-D result. */
static int result(const struct ay_call *c, int k, struct ay_meta *m, struct ay_err *err)
{
	const struct ay_view *first = NULL;
	int n = ay_t_count(c, "tensors"), dim;

	(void)k;
	for (int i = 0; i < n && !first; i++)
		if (!skipped(ay_t_at(c, "tensors", i)))
			first = ay_t_at(c, "tensors", i);
	m->ndim = first ? first->ndim : 1;
	dim = ay_dim_wrap(ay_int(c, "dim"), m->ndim, err);
	if (dim < 0 || ay_result_dtype(c, m, err, "tensors"))
		return -1;
	if (first)
		memcpy(m->shape, first->shape, sizeof m->shape);
	m->shape[dim] = 0;
	for (int i = 0; i < n; i++)
		if (!skipped(ay_t_at(c, "tensors", i)))
			m->shape[dim] += ay_t_at(c, "tensors", i)->shape[dim];
	return 0;
}

static int accepts(const struct ay_call *c, struct ay_err *err)
{
	struct ay_meta m = { .dt = AY_DT_NONE };
	int n = ay_t_count(c, "tensors"), dim;

	if (!n)
		return ay_fail(err, AY_ERR_BIND, "cat needs at least one tensor");
	for (int i = 0; i < n; i++)
		if (!ay_t_at(c, "tensors", i)->ndim)
			return ay_fail(err, AY_ERR_BIND, "cat: tensor %d has no dimension to join along", i);
	if (result(c, 0, &m, err))
		return -1;
	dim = ay_dim_wrap(ay_int(c, "dim"), m.ndim, err);
	for (int i = 0; i < n; i++) {
		const struct ay_view *v = ay_t_at(c, "tensors", i);

		if (skipped(v))
			continue;
		if (v->ndim != m.ndim)
			return ay_fail(err, AY_ERR_BIND, "cat: tensor %d has %d dimensions, others have %d", i,
				       v->ndim, m.ndim);
		for (int d = 0; d < m.ndim; d++)
			if (d != dim && v->shape[d] != m.shape[d])
				return ay_fail(err, AY_ERR_BIND,
					       "cat: size %d of tensor %d is %lld, others have %lld", d, i,
					       (long long)v->shape[d], (long long)m.shape[d]);
	}
	return 0;
}

/* Elements [from, from + n) of v, in row-major order, by pieces of lines along its last axis. */
static void load_run(const struct ay_ref *r, const struct ay_view *v, int64_t from, int64_t n, num *dst)
{
	const int64_t last = v->ndim ? v->shape[v->ndim - 1] : 1, step = v->ndim ? v->stride[v->ndim - 1] : 1;
	struct ay_view line = { .dt = v->dt, .ndim = 1, .conj = v->conj, .stride = { step } };

	while (n) {
		int64_t m = last - from % last < n ? last - from % last : n;

		line.shape[0] = m;
		line.data = (uint8_t *)v->data + ay_view_at(v, from) * ay_dt_info(v->dt)->bytes;
		ay_load(r, &line, 0, 0, dst);
		dst += m;
		from += m;
		n -= m;
	}
}

/* As the result's dtype would hold them. */
static void convert(struct ay_ref *r, enum ay_dt dt, int64_t n, num *x)
{
	void *stored = ay_alloc(r->tmp, (size_t)n * (size_t)ay_dt_info(dt)->bytes);

	row_store(dt, stored, 1, n, x);
	row_load(dt, stored, 1, n, x);
}

/* The part of the result that element i lies in: in one outer slice a tensor's elements are one run. A stacked
 * tensor takes up one place along dim. */
static const struct ay_view *find_run(const struct ay_call *c, bool stacked, int dim, int64_t i, int64_t *from,
				      int64_t *left)
{
	const struct ay_view *out = &c->out[0]->view;
	int64_t inner = 1, outer, rest;

	for (int d = dim + 1; d < out->ndim; d++)
		inner *= out->shape[d];
	outer = i / (out->shape[dim] * inner);
	rest = i % (out->shape[dim] * inner);
	for (int t = 0; t < ay_t_count(c, "tensors"); t++) {
		const struct ay_view *v = ay_t_at(c, "tensors", t);
		int64_t run = stacked ? inner : skipped(v) ? 0 : v->shape[dim] * inner;

		if (rest < run) {
			*from = outer * run + rest;
			*left = run - rest;
			return v;
		}
		rest -= run;
	}
	AY_BUG("%s: element %lld belongs to no tensor", c->s->base, (long long)i);
}

static void join(struct ay_ref *r, bool stacked)
{
	const struct ay_view *out = &r->c->out[0]->view;
	struct ay_err err = { 0 };
	const int dim = ay_dim_wrap(ay_int(r->c, "dim"), out->ndim, &err);

	for (int64_t i = r->lo; i < r->hi;) {
		int64_t from, n;
		const struct ay_view *v = find_run(r->c, stacked, dim, i, &from, &n);

		n = n < r->hi - i ? n : r->hi - i;
		load_run(r, v, from, n, ay_val(r, 0, i, 0));
		if (v->dt != out->dt)
			convert(r, out->dt, n, ay_val(r, 0, i, 0));
		i += n;
	}
}

static void cat(struct ay_ref *r)
{
	join(r, false);
}

/* --- stack ----------------------------------------------------------------------------------------------- */

static int stack_result(const struct ay_call *c, int k, struct ay_meta *m, struct ay_err *err)
{
	const struct ay_view *first = ay_t_at(c, "tensors", 0);
	int dim;

	(void)k;
	m->ndim = first->ndim + 1;
	dim = ay_dim_wrap(ay_int(c, "dim"), m->ndim, err);
	if (dim < 0 || ay_result_dtype(c, m, err, "tensors"))
		return -1;
	for (int d = 0; d < m->ndim; d++)
		m->shape[d] = d == dim ? ay_t_count(c, "tensors") : first->shape[d - (d > dim)];
	return 0;
}

static int stack_accepts(const struct ay_call *c, struct ay_err *err)
{
	const int n = ay_t_count(c, "tensors");
	const struct ay_view *first = n ? ay_t_at(c, "tensors", 0) : NULL;

	if (!first || first->ndim == AY_MAX_DIM)
		return ay_fail(err, AY_ERR_BIND, "stack needs a tensor, of less than %d dimensions", AY_MAX_DIM);
	for (int i = 1; i < n; i++) {
		const struct ay_view *v = ay_t_at(c, "tensors", i);

		if (v->ndim != first->ndim || memcmp(v->shape, first->shape, sizeof *v->shape * (size_t)v->ndim))
			return ay_fail(err, AY_ERR_BIND, "stack: tensor %d has not the shape of the first", i);
	}
	return 0;
}

static void stack(struct ay_ref *r)
{
	join(r, true);
}

static void cost(const struct ay_call *c, struct ay_cost *k)
{
	(void)c;
	k->bytes = -1; /* all is moved once, nothing computed */
}

/* clang-format off */
const struct ay_op ay_ops_cat[] = {{
	.schemas   = AY_SCHEMAS("aten::cat(Tensor[] tensors, int dim=0) -> Tensor",
				"aten::cat.out(Tensor[] tensors, int dim=0, *, Tensor(a!) out) -> Tensor(a!)"),
	.doc       = "out = the tensors, one behind the other along dim (negative: from the end). All have the same sizes but "
		     "along dim, except that 1-D tensors of size 0 are skipped whatever the others look like. The result's dtype "
		     "is the promoted one of all tensors, skipped ones included; elements are converted to it, rounded to nearest "
		     "even, and copied bit for bit where the dtype is the same already.",
	.cases     = {
		{ "(([T([3, 4], dt), T([2, 4], dt)],), {})", "dt=f32|f16|bf16|f64|c64|c128|i64|i32|i16|i8|u8|b8", AY_QUICK },
		{ "(([T(a, dt), T(b, dt)], d), {})", "dt=f32|f16|bf16 (a,b,d)=([1],[1],0)|([0, 3],[2, 3],0)|([3, 2],[3, 5],1)|([7, 1],[7, 8],-1)|([2, 3, 4],[2, 5, 4],1)|([2, 3, 4],[2, 3, 1],-1)|([33, 65],[1, 65],-2)|([0, 3],[0, 3],0)|([0],[0],0)", AY_QUICK },
		{ "(([T([5, 7], dt)], d), {})", "dt=f32|i64|b8 d=0|1|-1", AY_QUICK },
		{ "(([T([0], dt), T([3, 5], dt), T([0], dt), T([3, 2], dt), T([0], dt)], d), {})", "dt=f32|bf16|i32 d=1|-1", AY_QUICK },
		{ "(([T([n], dt), T([1], dt), T([2], dt), T([3], dt), T([4], dt), T([5], dt), T([6], dt), T([7], dt), T([8], dt), T([9], dt), T([10], dt), T([11], dt), T([12], dt), T([13], dt), T([14], dt), T([15], dt), T([16], dt), T([17], dt)],), {})", "dt=f32|f16|u8 n=0|19", AY_QUICK },
		{ "(([T([8, 33], dt, stride=(66, 2)), T([8, 5], dt, stride=(1, 8), offset=3), T([8, 4], dt, stride=(0, 1)), T([8, 2], dt, stride=(1, 0))], 1), {})", "dt=f32|f16|bf16|c64", AY_QUICK },
		{ "(([T([8, 33], dt, stride=(66, 2), offset=1), T([3, 33], dt, stride=(1, 3))],), {})", "dt=f32|f16|bf16|i64", AY_QUICK },
		{ "(([T([257], dt, fill=special), T([131], dt, fill=special)],), {})", "dt=f32|f16|bf16|f64", AY_QUICK },
		{ "(([T([3, 31], da), T([2, 31], db)],), {})", "(da,db)=(f16,f32)|(f32,f64)|(f16,bf16)|(i8,u8)|(i32,i64)|(b8,f32)|(b8,u8)|(i64,f16)|(f32,c64)|(f64,c64)|(i32,c64)", AY_QUICK },
		{ "(([T([3, 31], f16), T([2, 31], i32, fill=int(-90000, 90000))],), {})", "", AY_QUICK },
		{ "(([T([3, 31], bf16), T([2, 31], i32, fill=int(-9000000, 9000000)), T([1, 31], i64, fill=int(-9000, 9000))],), {})", "", AY_QUICK },
		{ "(([T([0], f64), T([2, 31], f32, fill=special)],), {})", "", AY_QUICK },
		{ "(([T([3, 40], da, fill=edge), T([2, 40], db, fill=edge)],), {})", "(da,db)=(i64,i64)|(i32,i64)|(i16,i32)", AY_QUICK },
		{ "(([T([2, 3, 2, 4, 5], dt), T([2, 3, 2, 4, 5], dt)], d), {})", "dt=f32|i64 d=0|2|-1", AY_QUICK },
		{ "(([T([3, 31], da), T([2, 31], db, fill=ties(da))],), {})", "(da,db)=(f32,i64)|(f64,i64)|(f16,i32)", AY_QUICK },
		{ "(([T([10007], dt), T([2340], dt)],), {})", "dt=f32|f16", AY_QUICK },
		{ "(([T(a, f32), T(b, f32)], 0), {})", "(a,b)=([0, 3],[2, 3])|([0, 3],[0, 3])|([0],[0])", AY_FULL },
		{ "(([T(a, dt), T(b, dt)], d), {})", "dt=f16|f32|bf16|i16|i32 (a,b,d)=([1, 32],[8, 32],0)|([32, 1],[32, 8],1)|([32, 1],[32, 8],-1)|([16, 128],[32, 128],0)|([128, 16],[128, 32],1)|([128, 16],[128, 32],-1)|([1024, 1024],[1024, 1024],0)|([1024, 1024],[1024, 1024],1)|([1024, 1024],[1024, 1024],-1)", AY_FULL },
		{ "(([T(a, dt), T(b, dt), T(e, dt)], d), {})", "dt=f16|f32|bf16|i16|i32 (a,b,e,d)=([1, 1024, 256],[8, 1024, 256],[16, 1024, 256],0)|([1024, 1, 256],[1024, 8, 256],[1024, 16, 256],1)|([1024, 1, 256],[1024, 8, 256],[1024, 16, 256],-2)|([256, 1024, 1],[256, 1024, 8],[256, 1024, 16],2)|([256, 1024, 1],[256, 1024, 8],[256, 1024, 16],-1)|([16, 320, 15],[32, 320, 15],[64, 320, 15],0)|([320, 16, 15],[320, 32, 15],[320, 64, 15],1)|([320, 16, 15],[320, 32, 15],[320, 64, 15],-2)|([15, 320, 16],[15, 320, 32],[15, 320, 64],2)|([15, 320, 16],[15, 320, 32],[15, 320, 64],-1)", AY_FULL },
		{ "(([T(a, dt), T(a, dt), T(b, dt), T(e, dt)], d), {})", "dt=f16|f32|bf16|i16|i32 (a,b,e,d)=([16, 128, 64, 64],[24, 128, 64, 64],[32, 128, 64, 64],0)|([128, 16, 64, 64],[128, 24, 64, 64],[128, 32, 64, 64],1)|([128, 16, 64, 64],[128, 24, 64, 64],[128, 32, 64, 64],-3)|([64, 128, 16, 64],[64, 128, 24, 64],[64, 128, 32, 64],2)|([64, 128, 16, 64],[64, 128, 24, 64],[64, 128, 32, 64],-2)|([64, 128, 64, 16],[64, 128, 64, 24],[64, 128, 64, 32],3)|([64, 128, 64, 16],[64, 128, 64, 24],[64, 128, 64, 32],-1)", AY_FULL },
		{ "(([T(s, dt), T(s, dt)], d), {})", "dt=f32|f16 d=1|0 s=[512, 512]|[1024, 1024]", AY_PERF },
		{ "(([T([64, 128, 64, 16], dt), T([64, 128, 64, 16], dt), T([64, 128, 64, 24], dt), T([64, 128, 64, 32], dt)], 3), {})", "dt=f32|bf16", AY_PERF },
	},
	.vary      = {{ "((l, d), {})", "s=shape(1, 6) d=dim(s) (dt,db)=(f32,f32)|(f16,f16)|(bf16,bf16)|(f64,f64)|(i64,i64)|(i32,i32)|(u8,u8)|(b8,b8)|(c64,c64)|(f16,f32)|(f16,bf16)|(i8,u8)|(b8,f32)|(i64,f16)|(f32,c64)|(i16,i8) f=dt == b8 ? 'bool' : dt != db ? 'normal' : dt == f16 ? 'special' : one('normal', 'mixed') a=T(s, dt, fill=f) b=T(with(s, d, size(1, 9)), db) e=T(with(s, d, size(1, 9)), dt) l=[a, b]|[a, e, b]|[a, b]|[b, a]|[a]|[a, b, e]|[a, T([0], db), b]|[T(with(s, d, 0), dt), a, b]|[e, b, a, e, b]|[b, T(with(s, d, 1), dt), T(with(s, d, 2), db), T(with(s, d, 3), dt), T(with(s, d, 1), dt), a, T(with(s, d, 2), dt), e]" }},
	.accepts   = accepts,
	.result    = result,
	.reference = cat,
	.cost      = cost,
	.flags     = AY_EXACT | AY_CONVERTS,
}, {
	.schemas   = AY_SCHEMAS("aten::stack(Tensor[] tensors, int dim=0) -> Tensor",
				"aten::stack.out(Tensor[] tensors, int dim=0, *, Tensor(a!) out) -> Tensor(a!)"),
	.doc       = "out[.., t, ..] = tensors[t], the t standing along the new dimension dim (negative: from the end of the result's). All "
		     "tensors have one shape, and out has one dimension more. Its dtype is the promoted one of all tensors; elements are "
		     "converted to it, rounded to nearest even, and copied bit for bit where the dtype is the same already.",
	.cases     = {
		{ "(([T([3, 4], dt), T([3, 4], dt)], d), {})", "dt=f32|f16|bf16|f64|c64|c128|i64|i32|i16|i8|u8|b8 d=0|1", AY_QUICK },
		{ "(([T(s, dt), T(s, dt), T(s, dt)], d), {})", "dt=f32|f16|bf16 (s,d)=([],0)|([],-1)|([1],0)|([0],1)|([0, 3],0)|([0, 3],2)|([7],0)|([7],1)|([7],-2)|([129],-1)|([3, 65],0)|([3, 65],1)|([3, 65],2)|([3, 65],-3)|([2, 3, 5],-2)|([2, 3, 5],3)|([2, 3, 4, 5],2)", AY_QUICK },
		{ "(([T([5, 7], dt)], d), {})", "dt=f32|i64|b8 d=0|1|-1", AY_QUICK },
		{ "(([T([2, 3], dt), T([2, 3], dt), T([2, 3], dt), T([2, 3], dt), T([2, 3], dt), T([2, 3], dt), T([2, 3], dt), T([2, 3], dt), T([2, 3], dt), T([2, 3], dt), T([2, 3], dt), T([2, 3], dt), T([2, 3], dt), T([2, 3], dt), T([2, 3], dt), T([2, 3], dt), T([2, 3], dt)], d), {})", "dt=f32|f16|u8 d=0|1|2", AY_QUICK },
		{ "(([T([8, 33], dt, stride=(66, 2)), T([8, 33], dt, stride=(1, 8), offset=3), T([8, 33], dt, stride=(0, 1)), T([8, 33], dt, stride=(1, 0))], d), {})", "dt=f32|f16|bf16|c64 d=0|1|2", AY_QUICK },
		{ "(([T([257], dt, fill=special), T([257], dt, fill=special)], d), {})", "dt=f32|f16|bf16|f64 d=0|1", AY_QUICK },
		{ "(([T(s, da), T(s, db)], -1), {})", "(da,db)=(f16,f32)|(f32,f64)|(f16,bf16)|(i8,u8)|(i32,i64)|(b8,f32)|(b8,u8)|(i64,f16)|(f32,c64)|(f64,c64)|(i32,c64) s=[31]|[]", AY_QUICK },
		{ "(([T([31], f16), T([31], i32, fill=int(-90000, 90000))],), {})", "", AY_QUICK },
		{ "(([T([65], da, fill=edge), T([65], db, fill=edge)], d), {})", "(da,db)=(i64,i64)|(i32,i64) d=0|1", AY_QUICK },
		{ "(([T([2, 3, 2, 4, 5], dt), T([2, 3, 2, 4, 5], dt)], d), {})", "dt=f32|i64 d=0|3|-1", AY_QUICK },
		{ "(([T([10007], dt), T([10007], dt)], d), {})", "dt=f32 d=0|1", AY_QUICK },
		{ "(([T(s, dt), T(s, dt)], d), {})", "dt=f16|f32|bf16|i16|i32 d=-2|-1|0|1 s=[16]|[16, 256]", AY_FULL },
		{ "(([T([20, 320, 15], dt), T([20, 320, 15], dt), T([20, 320, 15], dt)], d), {})", "dt=f16|f32|bf16|i16|i32 d=-2|-1|0|1", AY_FULL },
		{ "(([T(s, dt), T(s, dt), T(s, dt), T(s, dt)], d), {})", "dt=f32|bf16 d=0|-1 s=[512, 512]|[1024, 1024]", AY_PERF },
	},
	.vary      = {{ "((l, d), {})", "s=shape(0, 5) d=dim([1] + s) (dt,db)=(f32,f32)|(f16,f16)|(bf16,bf16)|(f64,f64)|(i64,i64)|(i32,i32)|(u8,u8)|(b8,b8)|(c64,c64)|(f16,f32)|(f16,bf16)|(i8,u8)|(b8,f32)|(i64,f16)|(f32,c64)|(i16,i8) f=dt == b8 ? 'bool' : dt != db ? 'normal' : dt == f16 ? 'special' : one('normal', 'mixed') a=T(s, dt, fill=f) b=T(s, db) l=[a, b]|[b, a]|[a]|[a, b, a]|[a, a, b, b, a]|[b, a, a, a, b, a, a, b, a]" }},
	.accepts   = stack_accepts,
	.result    = stack_result,
	.reference = stack,
	.cost      = cost,
	.flags     = AY_EXACT | AY_CONVERTS,
}, {0}};
