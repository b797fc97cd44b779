/* SPDX-License-Identifier: Apache-2.0
 *
 * out = self, turned by k quarter turns in the plane of two dimensions, from the first towards the second.
 *
 * One turn reverses the second dimension and swaps both: out[i][j] = self[j][n - 1 - i], n being self's second
 * size. k counts modulo 4, so -1 is 3. Error: none, elements are copied bit for bit.
 *
 * What the original test missed: k beyond -1 .. 3, dimensions in the other order or counted from the end,
 * integers, bools, complex numbers, strides, empty tensors, more than three dimensions; it compares copies by
 * tolerance.
 *
 * Cases: original 306, 153 of them by .out; all sound and distinct. Here the 153 full, from which those of .out
 * are derived.
 */
#include "op/op.h"

static int turns(const struct ay_call *c)
{
	return (int)(ay_int(c, "k") % 4 + 4) % 4;
}

static void swap_sizes(int64_t *x, int a, int b)
{
	const int64_t t = x[a];

	x[a] = x[b];
	x[b] = t;
}

/* The two dimensions, wrapped. */
static int plane(const struct ay_call *c, int d[2], struct ay_err *err)
{
	const struct ay_view *self = ay_t(c, "self");

	if (ay_list_count(c, "dims") != 2 || self->ndim < 2)
		return ay_fail(err, AY_ERR_BIND, "rot90 needs two dimensions to turn in");
	for (int i = 0; i < 2; i++)
		if ((d[i] = ay_dim_wrap(ay_int_at(c, "dims", i), self->ndim, err)) < 0)
			return -1;
	return d[0] == d[1] ? ay_fail(err, AY_ERR_BIND, "both dimensions are %d", d[0]) : 0;
}

static int result(const struct ay_call *c, int k, struct ay_meta *m, struct ay_err *err)
{
	int d[2];

	if (plane(c, d, err) || ay_result_like_first(c, k, m, err))
		return -1;
	if (turns(c) % 2)
		swap_sizes(m->shape, d[0], d[1]);
	return 0;
}

/* v read backwards along a dimension. */
static void reverse(struct ay_view *v, int d)
{
	if (v->shape[d])
		v->data = (uint8_t *)v->data + (v->shape[d] - 1) * v->stride[d] * ay_dt_info(v->dt)->bytes;
	v->stride[d] = -v->stride[d];
}

static void rot90(struct ay_ref *r)
{
	struct ay_view v = *ay_t(r->c, "self");
	const int k = turns(r->c);
	const num *x;
	int d[2];

	if (plane(r->c, d, &(struct ay_err){ 0 }))
		AY_BUG("rot90: a call that was not checked");
	if (k == 1 || k == 2)
		reverse(&v, d[1]);
	if (k == 2 || k == 3)
		reverse(&v, d[0]);
	if (k % 2) {
		swap_sizes(v.shape, d[0], d[1]);
		swap_sizes(v.stride, d[0], d[1]);
	}
	x = ay_load_flat(r, &v, 0);
	for (int64_t i = r->lo; i < r->hi; i++)
		*ay_val(r, 0, i, 0) = x[i - r->lo];
}

static void cost(const struct ay_call *c, struct ay_cost *k)
{
	(void)c;
	k->bytes = -1; /* all is moved once, nothing computed */
}

/* clang-format off */
const struct ay_op ay_ops_rot90[] = {{
	.schemas   = AY_SCHEMAS("aten::rot90(Tensor self, int k=1, int[] dims=[0, 1]) -> Tensor",
				"aten::rot90.out(Tensor self, int k=1, int[] dims=[0, 1], *, Tensor(a!) out) -> Tensor(a!)"),
	.doc       = "out = self turned by k quarter turns in the plane of dims = [a, b], from a towards b; k is taken modulo 4, and "
		     "negative k turns the other way. With self a matrix of n columns and dims [0, 1]: k = 1 gives out[i][j] = "
		     "self[j][n - 1 - i], k = 2 reverses both dimensions, k = 3 gives out[i][j] = self[m - 1 - j][i] for m rows. a and b "
		     "are different and may be negative; other dimensions stay. Odd k swaps the two sizes. Elements are copied bit for bit.",
	.cases     = {
		{ "((T([5, 7], dt), k), {})", "dt=f32|f16|bf16|f64|c64|c128|i64|i32|i16|i8|u8|b8 k=1|2|3", AY_QUICK },
		{ "((T([5, 7], dt),), {})", "dt=f32|f16", AY_QUICK },
		{ "((T([3, 11], dt), k, d), {})", "dt=f32|bf16 k=0|1|2|3|-1|-6|9 d=[0, 1]|[1, 0]|[-1, 0]", AY_QUICK },
		{ "((T(s, f16), k, d), {})", "k=1|2|-1 (s,d)=([1, 1],[0, 1])|([0, 3],[0, 1])|([1, 33],[0, 1])|([129, 1],[1, 0])|([4, 5, 6],[0, 2])|([4, 5, 6],[1, 2])|([4, 5, 6],[2, 0])|([4, 0, 6],[0, 2])|([2, 3, 4, 5],[1, 3])|([2, 3, 4, 5],[-2, 0])", AY_QUICK },
		{ "((T([9, 40], dt, fill=special), k), {})", "dt=f32|f16|bf16|f64 k=1|2", AY_QUICK },
		{ "((T([8, 33], dt, stride=st, offset=o), k), {})", "dt=f32|bf16|i64 (st,o)=([66, 2],1)|([1, 8],3)|([0, 1],0)|([1, 0],0) k=1|2|3", AY_QUICK },
		{ "((T([9, 40], dt, fill=edge), k), {})", "dt=i64|i32 k=1|2", AY_QUICK },
		{ "((T([2, 3, 4, 3, 5], dt), 1, d), {})", "dt=f32|i64 d=[0, 4]|[2, 3]", AY_QUICK },
		{ "((T([101, 133], f32), k), {})", "k=1|2", AY_QUICK },
		{ "((T(s, dt), k, [0, 1]), {})", "k=0|1|2|3|-1 dt=f32|f16|bf16 s=[2, 3]|[128, 256]|[512, 512]", AY_FULL },
		{ "((T(s, dt), k, d), {})", "d=[0, 1]|[0, 2]|[1, 2] k=0|1|2|3 dt=f32|f16|bf16 s=[4, 5, 6]|[32, 64, 16]|[128, 32, 64]", AY_FULL },
		{ "((T(s, dt), k, d), {})", "dt=f32|bf16 k=1|2 (s,d)=([1024, 1024],[0, 1])|([4096, 4096],[0, 1])|([16, 3, 512, 512],[2, 3])", AY_PERF },
	},
	.vary      = {
		{ "((T(s, dt, fill=f), k, d), {})", "s=shape(2, 6) o=order(s) k=int(-9, 9) d=[o[0], o[1]]|[o[0] - len(s), o[1]]|[o[0], o[1] - len(s)] dt=f32|f16|bf16|f64|c64|c128|i64|i32|i16|i8|u8|b8 f=None ; s=shape(2, 6) o=order(s) k=int(-4, 4) d=[o[0], o[1]] dt=f32|f16|bf16|f64 f='special'" },
	},
	.result    = result,
	.reference = rot90,
	.cost      = cost,
	.flags     = AY_EXACT,
}, {0}};
