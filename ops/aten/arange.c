/* SPDX-License-Identifier: Apache-2.0
 *
 * out[i] = start + i * step, for as many i as stay before end: ceil((end - start) / step) of them.
 *
 * The length is decided in integers where all three are integers, else in double, as PyTorch does. Integers are
 * exact. Error of floats: start and step are rounded to the accumulator, their product and sum too, so mag =
 * |start| + |i * step|; where both are integers that the accumulator holds, nothing is rounded but the result, and
 * mag is 0. Adding up step by step is not honest: errors pile up. ATen on the CPU rounds the first number of every
 * vector to half types before it adds i * step to it: where start and step have opposite signs, what is left near
 * 0 is wrong by more than the result's own rounding. Computing in f32 costs nothing, so it is refused.
 *
 * A fraction has no place in an integer dtype: PyTorch cuts start and step off and may decide the length before or
 * after, by dtype; such calls are refused here.
 *
 * What the original test missed: 4 of 7 dtypes are integers or None; start, step and end are integers, so no
 * length is ever decided by a fraction and no element rounded but in bf16; nothing descends or is empty, and out=
 * is never called.
 *
 * Cases: original 756, which are 189 four times: pin_memory is False or None, which is the same, and device is
 * None in every second one, which makes a tensor on the CPU that no candidate sees; here 189 full.
 */
#include "op/op.h"

struct range {
	bool integers; /* all three are */
	long double start, end, step;
};

static long double number(const struct ay_call *c, const char *name, long double otherwise, bool *integers)
{
	long double x = otherwise;

	if (!ay_has_arg(c, name))
		return x;
	*integers &= ay_dt_is_integral(ay_t(c, name)->dt);
	ay_row_load_ld(ay_t(c, name)->dt, ay_t(c, name)->data, 1, 1, &x);
	return x;
}

static struct range range_of(const struct ay_call *c)
{
	struct range g = { .integers = true };

	g.start = number(c, "start", 0, &g.integers);
	g.end = number(c, "end", 0, &g.integers);
	g.step = number(c, "step", 1, &g.integers);
	return g;
}

static enum ay_dt dtype_of(const struct ay_call *c, const struct range *g)
{
	if (!ay_has_arg(c, "dtype"))
		return ay_operand(c, "out")->view.dt;
	return ay_dtype_or(c, "dtype", g->integers ? AY_DT_I64 : AY_DT_F32);
}

/* Of integers the quotient is exact in long double, but for lengths that no memory has. */
static double length_of(const struct range *g)
{
	return g->integers ? (double)ceill((g->end - g->start) / g->step)
			   : ceil(((double)g->end - (double)g->start) / (double)g->step);
}

static bool is_whole(long double x)
{
	return x == truncl(x);
}

static int accepts(const struct ay_call *c, struct ay_err *err)
{
	static const char *const names[] = { "start", "end", "step" };
	const struct range g = range_of(c);
	const enum ay_dt dt = dtype_of(c, &g);

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (ay_has_arg(c, names[i]) && ay_dt_is_complex(ay_t(c, names[i])->dt))
			return ay_fail(err, AY_ERR_BIND, "'%s' is complex, which has no order", names[i]);
	if (ay_dt_is_complex(dt) || dt == AY_DT_B8 || ay_dt_info(dt)->bytes < (ay_dt_is_float(dt) ? 2 : 1))
		return ay_fail(err, AY_ERR_BIND, "arange has no meaning for %s", ay_dt_info(dt)->name);
	if (!isfinite(g.start) || !isfinite(g.end) || !isfinite(g.step) || g.step == 0)
		return ay_fail(err, AY_ERR_BIND, "start, end and step are finite, and step is not 0");
	if (length_of(&g) < 0 || length_of(&g) > 0x1p40)
		return ay_fail(err, AY_ERR_BIND, "there are no %g steps from start to end", length_of(&g));
	if (ay_dt_is_integral(dt) && !(is_whole(g.start) && is_whole(g.end) && is_whole(g.step)))
		return ay_fail(err, AY_ERR_BIND, "%s does not hold fractions", ay_dt_info(dt)->name);
	if (ay_has_arg(c, "layout") && !ay_is_none(c, "layout") && ay_int(c, "layout") != 0)
		return ay_fail(err, AY_ERR_BIND, "layout must be torch.strided");
	if (ay_has_arg(c, "pin_memory") && ay_flag(c, "pin_memory"))
		return ay_fail(err, AY_ERR_BIND, "pin_memory is for the host's side of a GPU");
	return 0;
}

static int result(const struct ay_call *c, int k, struct ay_meta *m, struct ay_err *err)
{
	const struct range g = range_of(c);

	(void)k, (void)err;
	m->dt = dtype_of(c, &g);
	m->ndim = 1;
	m->shape[0] = (int64_t)length_of(&g);
	return 0;
}

static void arange(struct ay_ref *r)
{
	const struct range g = range_of(r->c);
	const long double start = fabsl(g.start), exact = 1 / (long double)ay_u_acc(r->c->out[0]->view.dt);
	const bool whole = is_whole(g.start) && is_whole(g.step) && start <= exact;

	for (int64_t i = r->lo; i < r->hi; i++) {
		const long double way = (long double)i * g.step;

		*ay_val(r, 0, i, 0) = (num)(g.start + way);
		*ay_mag(r, 0, i, 0) = whole && fabsl(way) <= exact ? 0 : (double)(start + fabsl(way));
	}
}

static const char *aten_differs(const struct ay_call *c)
{
	const struct range g = range_of(c);
	const enum ay_dt dt = c->out[0]->view.dt;

	return (dt == AY_DT_F16 || dt == AY_DT_BF16) && !(is_whole(g.start) && is_whole(g.step))
		       ? "the first number of every vector is rounded to half types"
		       : NULL;
}

static void cost(const struct ay_call *c, struct ay_cost *k)
{
	k->flops = 2.0 * (double)ay_numel_of(&c->out[0]->view);
	k->bytes = ay_touched(&c->out[0]->view);
}

/* clang-format off */
#define OPTIONS "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None"

const struct ay_op ay_ops_arange[] = {{
	.schemas   = AY_SCHEMAS("aten::arange.start_step(Scalar start, Scalar end, Scalar step=1, *, " OPTIONS ") -> Tensor",
				"aten::arange(Scalar end, *, " OPTIONS ") -> Tensor",
				"aten::arange.start(Scalar start, Scalar end, *, " OPTIONS ") -> Tensor",
				"aten::arange.start_out(Scalar start, Scalar end, Scalar step=1, *, Tensor(a!) out) -> Tensor(a!)",
				"aten::arange.out(Scalar end, *, Tensor(a!) out) -> Tensor(a!)"),
	.doc       = "out[i] = start + i * step, of one dimension; start is 0 and step 1 where they are not given. There are ceil((end - start) / step) "
		     "elements, counted in integers if all three are, else in double; end is never among them but by rounding. step may be "
		     "negative, and end is then not above start. dtype None means i64 if all three are integers, else f32; out= form: out's. "
		     "Half types are computed in f32 and rounded once; integers are exact.",
	.cases     = {
		{ "((a, b, c), {'dtype': dt})", "dt=None|f32|f16|bf16|f64|i64|i32|i16 (a,b,c)=(0,1,1)|(0,0,1)|(0,7,1)|(3,130,2)|(1,128,5)|(-9,9,4)|(9,-9,-4)|(5,4,-1)|(100,100,-3)", AY_QUICK },
		{ "((a, b, c), {'dtype': dt})", "dt=None|f32|f16|bf16|f64 (a,b,c)=(0.5,9.75,0.25)|(0,1,0.1)|(-1.5,1.5,0.01)|(1,0.0,-0.03125)|(0.1,0.7,0.1)|(0,10,3.3)|(2.5,2.5,1)|(100.0,229,1)", AY_QUICK },
		{ "((a, b, c), {'dtype': dt})", "(dt,a,b,c)=(u8,1,200,3)|(i8,-128,127,5)|(i64,4611686018427387904,4611686018427388000,3)|(i64,-9007199254740995,-9007199254740890,2)|(i32,2147483000,2147483647,7)|(f64,1e15,1000000000000100.0,0.5)|(f32,16777200,16777250,1)|(f32,1000000.0,1000040.0,0.1)|(f16,2040,2060,1)|(bf16,250,300,1)|(i64,0.0,9.0,2.0)", AY_QUICK },
		{ "((3, 130, 2), {'dtype': f16, 'layout': torch.strided, 'device': 'cpu', 'pin_memory': False})", "x=1", AY_QUICK },
		{ "aten::arange((b,), {'dtype': dt})", "dt=None|f32|f16|bf16 b=0|1|7|129|5.5 ; dt=i32 b=0|1|129 ; dt=None b=True ; dt=f64|i64|u8 b=129", AY_QUICK },
		{ "aten::arange.start((a, b), {'dtype': dt})", "dt=None|f32|f16|bf16 (a,b)=(0,0)|(3,10)|(-5,124)|(0.25,9)|(1,1.5)", AY_QUICK },
		{ "aten::arange.start_out((a, b, c), {'out': T([n], dt, stride=(st,), offset=o)})", "dt=f32|f16|bf16|i64 (st,o)=(1,0)|(3,1) (a,b,c,n)=(0,0,1,0)|(4,5,1,1)|(0,129,1,129)|(9,-9,-4,5)|(3,130,2,64)", AY_QUICK },
		{ "aten::arange.out((b,), {'out': T([n], dt, stride=(st,), offset=o)})", "dt=f32|f16|bf16|i32 (st,o)=(1,0)|(2,3) (b,n)=(0,0)|(1,1)|(129,129)", AY_QUICK },
		{ "((a, b, c), {'dtype': i64})", "(a,b,c)=(9007199254740993,9007199254741093,3)|(-9223372036854775807,-9223372036854775700,7)|(9223372036854775700,9223372036854775807,5)", AY_QUICK },
		{ "((0, 70001, 1), {'dtype': dt})", "dt=f32|i64|i32", AY_QUICK },
		{ "((a, b, c), {'dtype': dt})", "dt=f16|f32|bf16|i16|i32|i64|None a=0|1|3 b=128|256|1024 c=1|2|5", AY_FULL },
		{ "((0, n, 1), {'dtype': dt})", "dt=f32|bf16|i64 n=524288|7864320", AY_PERF },
	},
	.vary      = {
		{ "((a, b, c), {'dtype': dt, 'layout': lay, 'device': dev, 'pin_memory': pin})", "n=last() c=1|2|-3|7|-1 a=int(-50, 50) b=a + c * n|a + c * n - c / 2 dt=None|i64|i32|i16|f32|f16|bf16|f64 lay=None|torch.strided dev=None|'cpu' pin=None|False ; n=last() c=0.5|0.1|-0.25|3.3|0.001|-1 a=int(-9, 9)|0.5|-1.5|0.1 b=a + c * n|a + c * n - c / 2.0 dt=None|f32|f16|bf16|f64 lay=None|torch.strided dev=None|'cpu' pin=None|False ; n=last() c=1|2 dt=u8|i8 a=dt == u8 ? int(0, 120) : int(-100, 0) b=a + c * n lay=None|torch.strided dev=None|'cpu' pin=None|False ; n=last() c=1.0|2.0|-3.0 a=0|-7.0 b=a + c * n dt=None|i64|i32|f32 lay=None|torch.strided dev=None|'cpu' pin=None|False" },
		{ "aten::arange((b,), {'dtype': dt, 'layout': lay, 'device': dev, 'pin_memory': pin})", "n=last() b=n|n - 0.5|n + 0.0 dt=None|f32|f16|bf16|f64 lay=None|torch.strided dev=None|'cpu' pin=None|False ; b=last() dt=i64|i32|i16 lay=None|torch.strided dev=None|'cpu' pin=None|False ; b=size(1, 120) dt=u8|i8 lay=None|torch.strided dev=None|'cpu' pin=None|False" },
		{ "aten::arange.start((a, b), {'dtype': dt, 'layout': lay, 'device': dev, 'pin_memory': pin})", "n=last() a=int(-50, 50)|-1.5|0.25 b=a + n|a + n - 0.5 dt=None|f32|f16|bf16|f64 lay=None|torch.strided dev=None|'cpu' pin=None|False ; n=last() a=int(-50, 50) b=a + n dt=i64|i32|i16 lay=None|torch.strided dev=None|'cpu' pin=None|False" },
	},
	.accepts   = accepts,
	.result    = result,
	.reference = arange,
	.cost      = cost,
	.aten_differs = aten_differs,
}, {0}};
