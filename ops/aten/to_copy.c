/* SPDX-License-Identifier: Apache-2.0
 *
 * out = self, copied, in another dtype where one is given.
 *
 * Error: none. Floats are rounded once, to nearest even; float to integer cuts the fraction off, and only values
 * that fit are promised; integers wrap; anything but 0 is True, NaN too; complex to real drops the imaginary part.
 * One exception: PyTorch goes from f64, i32 and i64 to half types through f32, which rounds twice. Where that makes
 * a difference, near ties, either neighbour is right; everywhere else bits must be equal.
 *
 * memory_format: a native kernel writes into the result that is there, through its strides; which strides PyTorch
 * would choose is a question for kernels that allocate.
 *
 * What the original test missed: f32 to f16, bf16 and f64, and f16 to f32, of normal numbers only. No integer, bool
 * or complex number, no tie, overflow, NaN, infinity or subnormal, no i64 beyond 2^24, where a way through f32 shows.
 *
 * Cases: original 26 (24 + 2), all sound and distinct; here 26 full. The sliced and transposed tensor of the last
 * two is the same here: an [8, 16] one transposed, every second row of it.
 */
#include "op/op.h"

#define row_load  AY_NUM(ay_row_load)
#define row_store AY_NUM(ay_row_store)

static enum ay_dt target(const struct ay_call *c)
{
	return ay_has_arg(c, "dtype") ? ay_dtype_or(c, "dtype", ay_t(c, "self")->dt) : c->out[0]->view.dt;
}

static int result(const struct ay_call *c, int k, struct ay_meta *m, struct ay_err *err)
{
	if (ay_result_like_first(c, k, m, err))
		return -1;
	if (ay_has_arg(c, "dtype"))
		m->dt = ay_dtype_or(c, "dtype", m->dt);
	return 0;
}

static int accepts(const struct ay_call *c, struct ay_err *err)
{
	enum { STRIDED = 0, CHANNELS_LAST = 2, CHANNELS_LAST_3D = 3 };
	const int ndim = ay_t(c, "self")->ndim;

	if (ay_has_arg(c, "layout") && !ay_is_none(c, "layout") && ay_int(c, "layout") != STRIDED)
		return ay_fail(err, AY_ERR_BIND, "only strided tensors are judged");
	if (!ay_is_none(c, "memory_format") && ((ay_int(c, "memory_format") == CHANNELS_LAST && ndim != 4) ||
						(ay_int(c, "memory_format") == CHANNELS_LAST_3D && ndim != 5)))
		return ay_fail(err, AY_ERR_BIND, "channels_last is for 4 dimensions, channels_last_3d for 5");
	return 0;
}

/* Does an integer dtype hold x, its fraction cut off? */
static bool fits(enum ay_dt dt, num x)
{
	const real most = ldexp((real)1, ay_dt_info(dt)->mant);

	return re(x) > (dt == AY_DT_U8 ? -1 : -most - 1) && re(x) < most;
}

/* x as dt holds it. */
static num stored(enum ay_dt dt, num x)
{
	long double memory[4];

	row_store(dt, memory, 1, 1, &x);
	row_load(dt, memory, 1, 1, &x);
	return x;
}

static void to_copy(struct ay_ref *r)
{
	const enum ay_dt from = ay_t(r->c, "self")->dt, to = target(r->c);
	const num *self = ay_load_flat(r, ay_t(r->c, "self"), 0);
	const bool cuts = ay_dt_info(to)->cls == AY_CLASS_INT && !ay_dt_is_integral(from);
	const bool twice = ay_dt_is_float(to) && ay_dt_info(to)->mant < 24 && ay_dt_info(from)->mant > 24;

	for (int64_t i = r->lo; i < r->hi; i++) {
		num x = self[i - r->lo], y = stored(to, cuts ? trunc(re(x)) : x);

		*ay_val(r, 0, i, 0) = y;
		*ay_mag(r, 0, i, 0) = cuts && !fits(to, x) ? AY_FREE : -1;
		if (twice && !isnan(re(x)) && stored(to, stored(AY_DT_F32, x)) != y) {
			*ay_val(r, 0, i, 0) = x;
			*ay_mag(r, 0, i, 0) = 0;
		}
	}
}

static void cost(const struct ay_call *c, struct ay_cost *k)
{
	(void)c;
	k->bytes = -1; /* all is moved once, nothing computed */
}

/* clang-format off */
const struct ay_op ay_ops_to_copy[] = {{
	.schemas   = AY_SCHEMAS("aten::_to_copy(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, bool non_blocking=False, MemoryFormat? memory_format=None) -> Tensor",
				"aten::_to_copy.out(Tensor self, *, bool non_blocking=False, MemoryFormat? memory_format=None, Tensor(a!) out) -> Tensor(a!)"),
	.doc       = "out = a copy of self, converted to dtype if one is given (out= form: to out's dtype). Floats are rounded to nearest "
		     "even, beyond the largest finite value to infinity; float to integer cuts the fraction off (values that do not fit "
		     "are not judged); integers wrap around; to bool everything but 0 is True; complex to real takes the real part. "
		     "Equal dtypes are copied bit for bit. Write through out's strides: memory_format, layout, device, pin_memory and "
		     "non_blocking leave the values alone.",
	.cases     = {
		{ "((T(s, dt),), {})", "dt=f32|f16|bf16 s=[]|[1]|[0, 3]|[7]|[3, 65]|[2, 3, 4, 5] ; dt=f64|c64|c128|i64|i32|i16|i8|u8|b8 s=[3, 65]", AY_QUICK },
		{ "((T(s, da),), {'dtype': db})", "(da,db)=(f32,f16)|(f32,bf16)|(f32,f64)|(f16,f32)|(bf16,f32)|(f16,bf16)|(bf16,f16)|(f64,f32)|(f64,f16)|(f64,bf16) s=[]|[1]|[0, 3]|[129]|[3, 65]", AY_QUICK },
		{ "((T([513], da, fill=special),), {'dtype': db})", "(da,db)=(f32,f16)|(f32,bf16)|(f32,f64)|(f16,f32)|(bf16,f32)|(f16,bf16)|(bf16,f16)|(f64,f32)|(f64,f16)|(f64,bf16)|(f32,f32)|(f32,b8)", AY_QUICK },
		{ "((T([513], da, fill=heavy(w)),), {'dtype': db})", "(da,db,w)=(f32,f16,60)|(f32,f16,0.0000001)|(f32,bf16,1000)|(f64,f32,0.001)|(f64,f16,60)|(f64,bf16,3)|(bf16,f16,60)|(f32,i32,1000)|(f64,i64,1000000)|(f16,i16,3)|(bf16,i32,100)", AY_QUICK },
		{ "((T([513], da, fill=uniform(-w, w)),), {'dtype': db})", "(da,db,w)=(f32,i8,127)|(f16,i8,127)|(bf16,i16,30000)|(f32,i32,2000000000)|(f32,i64,9)|(f64,i32,3)|(f32,i16,2)|(c64,c128,2)|(c128,c64,2)", AY_QUICK },
		{ "((T([31], da, fill=uniform(-9, 9)),), {'dtype': db})", "(da,db)=(c64,i32)|(c64,f32)|(c128,f64)|(f32,c64)|(i32,c64)", AY_QUICK },
		{ "((T([513], da, fill=uniform(0, w)),), {'dtype': u8})", "(da,w)=(f32,255.9)|(f16,255)|(bf16,255)|(f64,255.9)", AY_QUICK },
		{ "((T([513], da, fill=int(-b, b)),), {'dtype': db})", "(da,db,b)=(i64,i32,4000000000000000)|(i64,i8,4000000000)|(i32,i16,2000000000)|(i16,u8,30000)|(i8,i64,100)|(i64,f64,4000000000000000)|(i64,f32,4000000000000000)|(i32,f32,2000000000)|(i32,f16,70000)|(i32,bf16,2000000000)|(i64,f16,3000)|(i16,f16,30000)|(i32,b8,1)|(f32,b8,1)", AY_QUICK },
		{ "((T([129], da),), {'dtype': db})", "(da,db)=(b8,f32)|(b8,f16)|(b8,i64)|(u8,f32)|(u8,i8)|(f32,f8e4m3fn)|(f16,f8e4m3fn)|(f8e4m3fn,f32)", AY_QUICK },
		{ "((T([8, 33], f32, stride=st, offset=o),), {'dtype': dt})", "dt=f32|f16|bf16|f64 st=[66, 2]|[1, 8]|[0, 1]|[1, 0] o=0|3", AY_QUICK },
		{ "((T([8, 3, 5, 7], f32, stride=st),), {'dtype': f16, 'memory_format': m})", "st=[105, 35, 7, 1]|[105, 1, 21, 3] m=torch.preserve_format|torch.contiguous_format|torch.channels_last", AY_QUICK },
		{ "((T([513], f32),), {'dtype': f16, 'non_blocking': True})", "", AY_QUICK },
		{ "((T(s, da),), {'dtype': db})", "(da,db)=(f32,f16)|(f16,f32)|(f32,bf16)|(f32,f64) s=[]|[1]|[1024, 1024]|[20, 320, 15]|[16, 128, 64, 60]|[16, 7, 57, 32, 29]", AY_FULL },
		{ "((T([8, 8], f32, stride=(2, 16)),), {'memory_format': m})", "m=torch.preserve_format|torch.contiguous_format", AY_FULL },
		{ "((T(s, da),), {'dtype': db})", "s=[512, 1024]|[16, 128, 64, 60] (da,db)=(f32,f16)|(f16,f32)|(f32,bf16)|(f32,f32)", AY_PERF },
	},
	.accepts   = accepts,
	.result    = result,
	.reference = to_copy,
	.cost      = cost,
	.promises  = "floats that the integer dtype does not hold; which neighbour f64, i32 and i64 give near a tie of a half type",
}, {0}};
