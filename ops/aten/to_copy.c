/* SPDX-License-Identifier: Apache-2.0
 *
 * Copies: _to_copy and to, in another dtype where one is given; copy_, into a tensor that is there; clone and
 * contiguous, in the same dtype.
 *
 * Error: none. Floats are rounded once, to nearest even; float to integer cuts the fraction off, and only values
 * that fit are promised; integers wrap; anything but 0 is True, NaN too; complex to real drops the imaginary part.
 * One exception: PyTorch goes from f64, i32 and i64 to half types through f32, which rounds twice. Where that
 * makes a difference, near ties, either neighbour is right; everywhere else bits must be equal.
 *
 * memory_format: a native kernel writes into the result that is there, through its strides. contiguous, and clone
 * and to where a format is given, promise strides, and a result has them. preserve_format means the strides of
 * self only if self has no gaps. to promises them only where it copies: it gives self as it is if nothing changes,
 * even if that is not contiguous. copy=True promises memory of its own. Which strides _to_copy would choose is
 * left open.
 *
 * What the original tests missed. _to_copy: f32 to f16, bf16 and f64, and f16 to f32, of normal numbers only; no
 * integer, bool or complex number, no tie, overflow, NaN, infinity or subnormal, no i64 beyond 2^24, where a way
 * through f32 shows. to: the same, with an absolute tolerance of 1e-4; int32 gets integers of one digit; copy and
 * other are never given, and self is always dense. copy_: same dtypes but for 5 cases of 3 or 8 elements that
 * count from 0, one broadcast, all dense. clone and contiguous: exact; no bools, doubles or complex numbers, no
 * channels_last; contiguous never gets what is contiguous already, and [1] returns before it calls anything.
 *
 * Cases: _to_copy original 26 (24 + 2), all sound and distinct; here 26 full. The sliced and transposed tensor of
 * the last two is the same here: an [8, 16] one transposed, every second row of it. to: original 48, here 48 full;
 * two in eight change nothing and are views. copy_: original 23, here 23 full. clone: original 36, here 36 full.
 * contiguous: original 30, of which 6 end before the call; here 24 full.
 *
 * Lazily conjugated and negated views reach copy_ and clone; for the others PyTorch's dispatcher resolves them.
 *
 * to.prim_Device, .prim_dtype and .prim_other are TorchScript's, which writes a dtype as a number; they are
 * overloads like the others. Without a dtype they have no copy=True: PyTorch 2.13 reads a dtype that is not there,
 * and makes u8 of the tensor, or crashes. Such calls are refused.
 */
#include "op/op.h"

#include <string.h>

/* What TorchScript's numbers mean. */
static const enum ay_dt by_number[] = {
	AY_DT_U8,  AY_DT_I8,  AY_DT_I16,  AY_DT_I32, AY_DT_I64,  AY_DT_F16,  AY_DT_F32,  AY_DT_F64,
	AY_DT_C32, AY_DT_C64, AY_DT_C128, AY_DT_B8,  AY_DT_NONE, AY_DT_NONE, AY_DT_NONE, AY_DT_BF16,
};
enum { NUMBERS = sizeof by_number / sizeof *by_number };

/* The dtype that the arguments ask for. */
static enum ay_dt asked(const struct ay_call *c)
{
	const enum ay_dt self = ay_t(c, "self")->dt;

	if (ay_has_arg(c, "other"))
		return ay_t(c, "other")->dt;
	if (!ay_has_arg(c, "dtype") || ay_is_none(c, "dtype"))
		return self;
	return strncmp(c->s->overload, "prim_", 5) ? ay_dtype_or(c, "dtype", self) : by_number[ay_int(c, "dtype")];
}

static int result(const struct ay_call *c, int k, struct ay_meta *m, struct ay_err *err)
{
	if (ay_result_like_first(c, k, m, err))
		return -1;
	m->dt = asked(c);
	return 0;
}

/* Nothing is promised of what it gives as it is. */
static int to_result(const struct ay_call *c, int k, struct ay_meta *m, struct ay_err *err)
{
	if (result(c, k, m, err))
		return -1;
	m->fresh = ay_flag(c, "copy");
	if (ay_has_arg(c, "memory_format") && (m->fresh || m->dt != ay_t(c, "self")->dt))
		ay_result_format(c, ay_t(c, "self"), m);
	return 0;
}

static int same_result(const struct ay_call *c, int k, struct ay_meta *m, struct ay_err *err)
{
	if (ay_result_like_first(c, k, m, err))
		return -1;
	ay_result_format(c, ay_t(c, "self"), m);
	return 0;
}

static int accepts(const struct ay_call *c, struct ay_err *err)
{
	enum { STRIDED = 0, PRESERVE = 1, CHANNELS_LAST = 2, CHANNELS_LAST_3D = 3, NONE = -1 };
	const int ndim = ay_t(c, "self")->ndim;
	const int64_t format = !ay_has_arg(c, "memory_format") || ay_is_none(c, "memory_format")
				       ? NONE
				       : ay_int(c, "memory_format");
	const bool numbered = !strncmp(c->s->overload, "prim_", 5) && ay_has_arg(c, "dtype") &&
			      !ay_is_none(c, "dtype");

	if (ay_has_arg(c, "layout") && !ay_is_none(c, "layout") && ay_int(c, "layout") != STRIDED)
		return ay_fail(err, AY_ERR_BIND, "only strided tensors are judged");
	if (ay_has_arg(c, "pin_memory") && ay_flag(c, "pin_memory"))
		return ay_fail(err, AY_ERR_BIND, "pin_memory is for the host's side of a GPU");
	if ((format == CHANNELS_LAST && ndim != 4) || (format == CHANNELS_LAST_3D && ndim != 5))
		return ay_fail(err, AY_ERR_BIND, "channels_last is for 4 dimensions, channels_last_3d for 5");
	if (format == PRESERVE && !strcmp(c->s->base, "contiguous"))
		return ay_fail(err, AY_ERR_BIND, "contiguous has nothing to preserve");
	if (!strncmp(c->s->overload, "prim_", 5) && !numbered && ay_flag(c, "copy"))
		return ay_fail(err, AY_ERR_BIND, "%s has no copy without a dtype", c->s->overload);
	if (numbered && (ay_int(c, "dtype") < 0 || ay_int(c, "dtype") >= NUMBERS ||
			 by_number[ay_int(c, "dtype")] == AY_DT_NONE))
		return ay_fail(err, AY_ERR_BIND, "%lld is no dtype", (long long)ay_int(c, "dtype"));
	return 0;
}

/* clone converts nothing. */
static int accepts_same(const struct ay_call *c, struct ay_err *err)
{
	if (ay_has_arg(c, "out") && ay_operand(c, "out")->view.dt != ay_t(c, "self")->dt)
		return ay_fail(err, AY_ERR_BIND, "out has another dtype than self");
	return accepts(c, err);
}

/* copy_: what is copied must fit where self is. */
static int accepts_source(const struct ay_call *c, struct ay_err *err)
{
	const struct ay_view *self = ay_t(c, "self"), *src = ay_t(c, ay_has_arg(c, "src") ? "src" : "other");
	struct ay_view to;

	if (src->neg && self->dt == AY_DT_B8) /* PyTorch negates what was copied */
		return ay_fail(err, AY_ERR_BIND, "a negated view cannot be copied to bools");
	return ay_view_expand(src, self->ndim, self->shape, &to, err);
}

static void convert(struct ay_ref *r, const struct ay_view *src)
{
	const enum ay_dt to = r->c->out[0]->view.dt;
	const num *x = ay_load_flat(r, src, 0);

	for (int64_t i = r->lo; i < r->hi; i++)
		*ay_val(r, 0, i, 0) = ay_cast(src->dt, to, x[i - r->lo], ay_mag(r, 0, i, 0));
}

static void to_copy(struct ay_ref *r)
{
	convert(r, ay_t(r->c, "self"));
}

static void copy(struct ay_ref *r)
{
	convert(r, ay_t(r->c, ay_has_arg(r->c, "src") ? "src" : "other"));
}

/* AY_EXACT says that these are the bits. */
static void same(struct ay_ref *r)
{
	const num *x = ay_load_flat(r, ay_t(r->c, "self"), 0);

	for (int64_t i = r->lo; i < r->hi; i++)
		*ay_val(r, 0, i, 0) = x[i - r->lo];
}

/* A copy is negated, or its source is before. */
static const char *aten_differs(const struct ay_call *c)
{
	const struct ay_view *src = ay_t(c, ay_has_arg(c, "src")                                ? "src"
					    : ay_has_arg(c, "other") && ay_schema_inplace(c->s) ? "other"
												: "self");

	return src->neg && (ay_dt_is_complex(src->dt) || ay_dt_is_complex(c->out[0]->view.dt))
		       ? "the negatives of complex zeros lose their sign in vectors"
		       : NULL;
}

/* On a GPU the imaginary part that a real number gets is negated too. */
static const char *cuda_differs(const struct ay_call *c)
{
	return aten_differs(c) ? "the imaginary part of a negated real number is -0" : NULL;
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
		{ "((T([257], da, fill=ties(db)),), {'dtype': db})", "(da,db)=(f32,bf16)|(f32,f16)|(f32,f8e4m3fn)|(f16,f8e4m3fn)|(bf16,f8e4m3fn)|(f16,bf16)|(f64,f32)|(f64,f16)|(f64,bf16)|(i64,f64)|(i64,f32)|(i32,f32)|(i32,f16)|(i32,bf16)", AY_QUICK },
		{ "((T([257], da, fill=edge),), {'dtype': db})", "(da,db)=(i64,i64)|(i64,i32)|(i64,i8)|(i32,i64)|(i64,f64)|(i64,f32)|(i32,f64)", AY_QUICK },
		{ "((T([257], f64, fill=edge),), {'dtype': db})", "db=i64|f32", AY_QUICK },
		{ "((T([12347], da),), {'dtype': db})", "(da,db)=(f32,f16)|(f32,bf16)|(i64,i64)", AY_QUICK },
		{ "((T([2, 3, 2, 2, 3, 5], da, stride=st),), {'dtype': db})", "(da,db)=(f32,f16)|(f32,f32) st=[180, 60, 30, 15, 5, 1]|[1, 2, 6, 12, 24, 72]", AY_QUICK },
		{ "((T(s, da),), {'dtype': db})", "(da,db)=(f32,f16)|(f16,f32)|(f32,bf16)|(f32,f64) s=[]|[1]|[1024, 1024]|[20, 320, 15]|[16, 128, 64, 60]|[16, 7, 57, 32, 29]", AY_FULL },
		{ "((T([8, 8], f32, stride=(2, 16)),), {'memory_format': m})", "m=torch.preserve_format|torch.contiguous_format", AY_FULL },
		{ "((T(s, da),), {'dtype': db})", "s=[512, 1024]|[16, 128, 64, 60] (da,db)=(f32,f16)|(f16,f32)|(f32,bf16)|(f32,f32)", AY_PERF },
	},
	.vary      = {
		{ "((T(s, da, fill=f),), {'dtype': db, 'memory_format': m, 'non_blocking': nb, 'layout': l, 'device': dv})", "s=shape() m=None|None|torch.preserve_format|torch.contiguous_format|(len(s) == 4 ? torch.channels_last : None)|(len(s) == 5 ? torch.channels_last_3d : None) nb=True|False l=None|torch.strided dv=None|'cpu' da=f32|f16|bf16|f64|c64|c128|i64|i32|i16|i8|u8|b8 db=da|da|f32|f16|bf16|f64|c64|c128|i64|i32|i16|i8|u8|b8|f8e4m3fn f=None|None ; s=shape() m=None|None|torch.preserve_format|torch.contiguous_format|(len(s) == 4 ? torch.channels_last : None)|(len(s) == 5 ? torch.channels_last_3d : None) nb=True|False l=None|torch.strided dv=None|'cpu' da=f32|f16|bf16|f64 db=da|f32|f16|bf16|f64|b8 f='special' ; s=shape() m=None|None|torch.preserve_format|torch.contiguous_format|(len(s) == 4 ? torch.channels_last : None)|(len(s) == 5 ? torch.channels_last_3d : None) nb=True|False l=None|torch.strided dv=None|'cpu' (da,f)=(i64,'int(-4000000000000000, 4000000000000000)')|(i32,'int(-2147483648, 2147483647)')|(i16,'int(-32768, 32767)')|(u8,'int(0, 255)')|(f32,'heavy(1000)')|(f64,'heavy(1000000)')|(f8e4m3fn,None)|(f8e5m2,None) db=da|i64|i32|i16|i8|u8|f32|f64|f16|bf16" },
	},
	.accepts   = accepts,
	.result    = result,
	.reference = to_copy,
	.cost      = cost,
	.k_out     = AY_K_SAME,
	.flags     = AY_CONVERTS,
	.promises  = "floats that the integer dtype does not hold; which neighbour f64, i32 and i64 give near a tie of a half type",
}, {
	.schemas   = AY_SCHEMAS("aten::to.dtype(Tensor(a) self, ScalarType dtype, bool non_blocking=False, bool copy=False, MemoryFormat? memory_format=None) -> Tensor(a)",
				"aten::to.device(Tensor(a) self, Device device, ScalarType dtype, bool non_blocking=False, bool copy=False, MemoryFormat? memory_format=None) -> Tensor(a)",
				"aten::to.other(Tensor(a) self, Tensor other, bool non_blocking=False, bool copy=False, MemoryFormat? memory_format=None) -> Tensor(a)",
				"aten::to.dtype_layout(Tensor(a) self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, bool non_blocking=False, bool copy=False, MemoryFormat? memory_format=None) -> Tensor(a)",
				"aten::to.prim_Device(Tensor(a) self, Device? device, int? dtype=None, bool non_blocking=False, bool copy=False) -> Tensor(b|a)",
				"aten::to.prim_dtype(Tensor(a) self, int? dtype=None, bool non_blocking=False, bool copy=False) -> Tensor(b|a)",
				"aten::to.prim_other(Tensor(a) self, bool non_blocking=False, bool copy=False) -> Tensor(b|a)"),
	.doc       = "out = self in the dtype asked for: dtype, or that of other (whose content means nothing), or self's own. Floats are "
		     "rounded to nearest even, beyond the largest finite value to infinity; float to integer cuts the fraction off "
		     "(values that do not fit are not judged); integers wrap around; to bool everything but 0 is True; complex to real "
		     "takes the real part. In PyTorch it gives self itself if nothing changes, unless copy is True, which promises new "
		     "memory; a native kernel copies, bit for bit. Write through out's strides, which memory_format decides. In the "
		     "prim_ forms dtype is PyTorch's number of it: u8 0, i8 1, i16 2, i32 3, i64 4, f16 5, f32 6, f64 7, c32 8, c64 9, "
		     "c128 10, b8 11, bf16 15. layout, device, pin_memory and non_blocking leave the values alone.",
	.cases     = {
		{ "((T(s, da), db), {})", "(da,db)=(f32,f16)|(f32,f32)|(f16,f32)|(f32,bf16)|(f32,i32) s=[]|[1]|[0, 3]|[7]|[3, 65]", AY_QUICK },
		{ "((T([65], da), db), {})", "(da,db)=(f64,f32)|(f16,bf16)|(bf16,f16)|(i64,i64)|(i32,f16)|(b8,f32)|(u8,i8)|(c64,c128)|(c64,f32)|(f32,c64)", AY_QUICK },
		{ "((T([65], dt, fill=int(-1, 1)), b8), {})", "dt=f32|i16|u8", AY_QUICK },
		{ "((T([257], da, fill=special), db), {})", "(da,db)=(f32,f16)|(f32,bf16)|(f16,f32)|(f64,f32)|(f32,f32)|(f32,b8)", AY_QUICK },
		{ "((T([257], da, fill=heavy(w)), db), {})", "(da,db,w)=(f32,f16,60)|(f32,f16,0.0000001)|(f64,f16,60)|(f64,bf16,3)|(f32,i32,1000)|(f16,i16,3)", AY_QUICK },
		{ "((T([257], da, fill=int(-b, b)), db), {})", "(da,db,b)=(i64,i32,4000000000000000)|(i32,i16,2000000000)|(i64,f32,4000000000000000)|(i32,f16,70000)", AY_QUICK },
		{ "((T([8, 33], da, stride=st, offset=o), db), {'copy': c})", "(da,db)=(f32,f16)|(bf16,bf16) st=[66, 2]|[1, 8]|[0, 1] o=0|3 c=False|True", AY_QUICK },
		{ "((T([2, 3, 5, 7], f32, stride=st), db, False, c), {'memory_format': m})", "db=f16|f32 c=False|True st=[105, 35, 7, 1]|[105, 1, 21, 3] m=torch.preserve_format|torch.contiguous_format|torch.channels_last", AY_QUICK },
		{ "aten::to.device((T(s, da), 'cpu', db), {})", "(da,db)=(f32,f16)|(i32,f32)|(f16,f16) s=[0]|[1]|[3, 65]", AY_QUICK },
		{ "aten::to.other((T([3, 65], da), T(s, db)), {'copy': c})", "(da,db)=(f32,f16)|(bf16,f32)|(f32,f32) s=[0]|[]|[7] c=False|True", AY_QUICK },
		{ "aten::to.dtype_layout((T([3, 65], f32),), {'dtype': dt, 'copy': c})", "dt=None|f16|f64|i32 c=False|True", AY_QUICK },
		{ "aten::to.dtype_layout((T([5, 7], f16, stride=(1, 5)),), {'dtype': f32, 'layout': torch.strided, 'device': 'cpu', 'pin_memory': False, 'non_blocking': True, 'memory_format': m})", "m=None|torch.preserve_format|torch.contiguous_format", AY_QUICK },
		{ "aten::to.prim_Device((T([65], da), 'cpu', n), {})", "(da,n)=(f32,5)|(f32,6)|(i32,7)|(f32,None)|(f16,15)", AY_QUICK },
		{ "aten::to.prim_dtype((T([65], da), n, False, c), {})", "(da,n)=(f32,5)|(f32,6)|(i32,4)|(u8,1)|(f32,15) c=False|True ; (da,n)=(f16,None) c=False", AY_QUICK },
		{ "aten::to.prim_other((T([65], dt),), {'non_blocking': b})", "dt=f32|i64|bf16 b=False|True", AY_QUICK },
		{ "((T([257], da, fill=ties(db)), db), {})", "(da,db)=(f32,bf16)|(f32,f16)|(f32,f8e4m3fn)|(f16,f8e4m3fn)|(bf16,f8e4m3fn)|(f16,bf16)|(f64,f32)|(f64,f16)|(f64,bf16)|(i64,f64)|(i64,f32)|(i32,f32)|(i32,f16)|(i32,bf16)", AY_QUICK },
		{ "((T([257], da, fill=edge), db), {})", "(da,db)=(i64,i64)|(i64,i32)|(i64,i8)|(i32,i64)|(i64,f64)|(i64,f32)|(i32,f64)", AY_QUICK },
		{ "((T([12347], da), db), {})", "(da,db)=(f32,f16)|(f32,bf16)|(i64,i64)", AY_QUICK },
		{ "((T(s, da), db), {})", "da=f32|f16 db=f16|bf16|f32|i32 s=[]|[1]|[1024, 1024]|[20, 320, 15]|[16, 128, 64, 60]|[16, 7, 57, 32, 29]", AY_FULL },
		{ "((T(s, da), db), {})", "s=[512, 1024]|[16, 128, 64, 60] (da,db)=(f32,f16)|(f16,f32)|(f32,bf16)|(f32,i32)", AY_PERF },
	},
	.vary      = {
		{ "((T(s, da, fill=f), db, nb, c), {'memory_format': m})", "s=shape() m=None|None|torch.preserve_format|torch.contiguous_format|(len(s) == 4 ? torch.channels_last : None)|(len(s) == 5 ? torch.channels_last_3d : None) nb=True|False c=True|False da=f32|f16|bf16|f64|c64|c128|i64|i32|i16|i8|u8|b8 db=da|da|f32|f16|bf16|f64|c64|c128|i64|i32|i16|i8|u8|b8|f8e4m3fn f=None ; s=shape() m=None|None|torch.preserve_format|torch.contiguous_format|(len(s) == 4 ? torch.channels_last : None)|(len(s) == 5 ? torch.channels_last_3d : None) nb=True|False c=True|False da=f32|f16|bf16|f64 db=da|f32|f16|bf16|f64|b8 f='special' ; s=shape() m=None|None|torch.preserve_format|torch.contiguous_format|(len(s) == 4 ? torch.channels_last : None)|(len(s) == 5 ? torch.channels_last_3d : None) nb=True|False c=True|False (da,f)=(i64,'int(-4000000000000000, 4000000000000000)')|(i32,'int(-2147483648, 2147483647)')|(i16,'int(-32768, 32767)')|(u8,'int(0, 255)')|(f32,'heavy(1000)')|(f64,'heavy(1000000)')|(f8e4m3fn,None)|(f8e5m2,None) db=da|i64|i32|i16|i8|u8|f32|f64|f16|bf16" },
		{ "aten::to.device((T(s, da, fill=f), 'cpu', db, nb, c), {'memory_format': m})", "s=shape() m=None|None|torch.preserve_format|torch.contiguous_format|(len(s) == 4 ? torch.channels_last : None)|(len(s) == 5 ? torch.channels_last_3d : None) nb=True|False c=True|False da=f32|f16|bf16|f64|c64|c128|i64|i32|i16|i8|u8|b8 db=da|da|f32|f16|bf16|f64|c64|c128|i64|i32|i16|i8|u8|b8|f8e4m3fn f=None ; s=shape() m=None|None|torch.preserve_format|torch.contiguous_format|(len(s) == 4 ? torch.channels_last : None)|(len(s) == 5 ? torch.channels_last_3d : None) nb=True|False c=True|False da=f32|f16|bf16|f64 db=da|f32|f16|bf16|f64|b8 f='special'" },
		{ "aten::to.other((T(s, da, fill=f), T(shape(0, 3), db), nb, c), {'memory_format': m})", "s=shape() m=None|None|torch.preserve_format|torch.contiguous_format|(len(s) == 4 ? torch.channels_last : None)|(len(s) == 5 ? torch.channels_last_3d : None) nb=True|False c=True|False da=f32|f16|bf16|f64|c64|c128|i64|i32|i16|i8|u8|b8 db=da|da|f32|f16|bf16|f64|c64|c128|i64|i32|i16|i8|u8|b8|f8e4m3fn f=None ; s=shape() m=None|None|torch.preserve_format|torch.contiguous_format|(len(s) == 4 ? torch.channels_last : None)|(len(s) == 5 ? torch.channels_last_3d : None) nb=True|False c=True|False da=f32|f16|bf16|f64 db=da|f32|f16|bf16|f64|b8 f='special'" },
		{ "aten::to.dtype_layout((T(s, da, fill=f),), {'dtype': db, 'layout': l, 'device': dv, 'pin_memory': p, 'non_blocking': nb, 'copy': c, 'memory_format': m})", "s=shape() m=None|None|torch.preserve_format|torch.contiguous_format|(len(s) == 4 ? torch.channels_last : None)|(len(s) == 5 ? torch.channels_last_3d : None) l=None|torch.strided dv=None|'cpu' p=None|False nb=True|False c=True|False da=f32|f16|bf16|f64|c64|c128|i64|i32|i16|i8|u8|b8 db=da|da|f32|f16|bf16|f64|c64|c128|i64|i32|i16|i8|u8|b8|f8e4m3fn f=None|None ; s=shape() m=None|None|torch.preserve_format|torch.contiguous_format|(len(s) == 4 ? torch.channels_last : None)|(len(s) == 5 ? torch.channels_last_3d : None) l=None|torch.strided dv=None|'cpu' p=None|False nb=True|False c=True|False da=f32|f16|bf16|f64 db=da|f32|f16|bf16|f64|b8 f='special'" },
		{ "aten::to.prim_Device((T(s, da), dv, n, nb, c), {})", "s=shape() da=f32|f16|bf16|f64|c64|c128|i64|i32|i16|i8|u8|b8 dv='cpu'|None nb=True|False n=0|1|2|3|4|5|6|7|9|10|11|15 c=True|False ; s=shape() da=f32|f16|bf16|f64|c64|c128|i64|i32|i16|i8|u8|b8 dv='cpu' nb=False n=None c=False" },
		{ "aten::to.prim_dtype((T(s, da), n, nb, c), {})", "s=shape() da=f32|f16|bf16|f64|c64|c128|i64|i32|i16|i8|u8|b8 nb=True|False n=0|1|2|3|4|5|6|7|9|10|11|15 c=True|False ; s=shape() da=f32|f16|bf16|f64|c64|c128|i64|i32|i16|i8|u8|b8 nb=False n=None c=False" },
		{ "aten::to.prim_other((T(s, da), nb), {})", "s=shape() da=f32|f16|bf16|f64|c64|c128|i64|i32|i16|i8|u8|b8 nb=True|False" },
	},
	.accepts   = accepts,
	.result    = to_result,
	.reference = to_copy,
	.cost      = cost,
	.k_out     = AY_K_SAME,
	.promises  = "floats that the integer dtype does not hold; which neighbour f64, i32 and i64 give near a tie of a half type; "
		     "whether a result that nothing changed is self",
	.flags     = AY_VIEW | AY_CONVERTS,
}, {
	.schemas   = AY_SCHEMAS("aten::copy_(Tensor(a!) self, Tensor src, bool non_blocking=False) -> Tensor(a!)",
				"aten::copy_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)",
				"aten::copy_.int(Tensor(a!) self, int other) -> Tensor(a!)",
				"aten::copy_.float(Tensor(a!) self, float other) -> Tensor(a!)"),
	.doc       = "self = src, broadcast to self's shape and converted to self's dtype; gives self. Floats are rounded to nearest even, "
		     "beyond the largest finite value to infinity; float to integer cuts the fraction off (values that do not fit are "
		     "not judged); integers wrap around; to bool everything but 0 is True; complex to real takes the real part. Equal "
		     "dtypes are copied bit for bit. The forms copy_.Tensor, .int and .float name their source other; a number goes to "
		     "every element. self's old content means nothing; what lies between its elements stays. non_blocking means nothing. "
		     "src may be a lazily conjugated or negated view (AY_CONJ, AY_NEG): what it means is copied.",
	.cases     = {
		{ "((T(s, dt), T(s, dt)), {})", "dt=f32|f16|bf16 s=[]|[1]|[0, 3]|[7]|[129]|[3, 65]|[2, 3, 4, 5] ; dt=f64|c64|c128|i64|i32|i16|i8|u8|b8 s=[3, 65]", AY_QUICK },
		{ "((T([6, 4, 9], da), T(s, db)), {})", "(da,db)=(f32,f32)|(f16,f32) s=[9]|[4, 1]|[6, 1, 1]|[1, 4, 9]", AY_QUICK },
		{ "((T([3, 7], da), T([], db)), {})", "(da,db)=(f32,f32)|(f16,f32)|(i32,f64)", AY_QUICK },
		{ "((T([257], da), T([257], db, fill=special)), {})", "(da,db)=(f32,f32)|(f16,f16)|(bf16,bf16)|(f64,f64)|(f16,f32)|(bf16,f32)|(f32,f64)|(f32,f16)|(b8,f32)", AY_QUICK },
		{ "((T([257], da), T([257], db, fill=heavy(w))), {})", "(da,db,w)=(f16,f32,60)|(f16,f32,0.0000001)|(f16,f64,60)|(bf16,f64,3)|(i32,f32,1000)|(i16,f16,3)|(f16,bf16,60)", AY_QUICK },
		{ "((T([257], da), T([257], db, fill=int(-b, b))), {})", "(da,db,b)=(i32,i64,4000000000000000)|(i16,i32,2000000000)|(f32,i64,4000000000000000)|(f16,i32,70000)|(bf16,i32,2000000000)|(f64,i64,4000000000000000)", AY_QUICK },
		{ "((T([65], da), T([65], db)), {})", "(da,db)=(f32,b8)|(i64,b8)|(i8,u8)|(c64,f32)|(f32,c64)|(c128,c64)|(i32,c64)", AY_QUICK },
		{ "((T([65], b8), T([65], dt, fill=int(-1, 1))), {})", "dt=f32|i16", AY_QUICK },
		{ "((T([8, 33], da, stride=st, offset=o), T([8, 33], db, stride=su, offset=3)), {'non_blocking': True})", "(da,db)=(f32,f32)|(f16,f32) st=[66, 2]|[1, 8]|[33, 1] su=[66, 2]|[1, 8]|[0, 1] o=0|3", AY_QUICK },
		{ "aten::copy_.Tensor((T(s, da), T(s, db)), {})", "(da,db)=(f32,f32)|(f16,f32)|(i32,f16) s=[]|[3, 65]", AY_QUICK },
		{ "aten::copy_.int((T([9], dt), x), {})", "dt=f32|f16|i64|b8 x=0|3|-7", AY_QUICK },
		{ "aten::copy_.float((T([9], dt), x), {})", "dt=f32|f16|bf16|f64|i32 x=0.1|-2.75", AY_QUICK },
		{ "((T([257], db), T([257], da, fill=ties(db))), {})", "(da,db)=(f32,bf16)|(f32,f16)|(f32,f8e4m3fn)|(f16,f8e4m3fn)|(bf16,f8e4m3fn)|(f16,bf16)|(f64,f32)|(f64,f16)|(f64,bf16)|(i64,f64)|(i64,f32)|(i32,f32)|(i32,f16)|(i32,bf16)", AY_QUICK },
		{ "((T([257], db), T([257], da, fill=edge)), {})", "(da,db)=(i64,i64)|(i64,i32)|(i64,i8)|(i32,i64)|(i64,f64)|(i64,f32)|(i32,f64)", AY_QUICK },
		{ "aten::copy_.int((T([7], i64), x), {})", "x=9007199254740993|-9223372036854775807", AY_QUICK },
		{ "((T([12347], dt), T([12347], dt)), {})", "dt=f32|i64", AY_QUICK },
		{ "((T([2, 3, 2, 2, 3, 5], f32), T(s, f32)), {})", "s=[3, 1, 2, 3, 1]|[2, 1, 2, 1, 3, 5]", AY_QUICK },
		{ "((T(s, dt), T(s, dt)), {})", "dt=f16|f32|bf16 s=[]|[1]|[1024, 1024]|[20, 320, 15]|[16, 128, 64, 60]|[16, 7, 57, 32, 29]", AY_FULL },
		{ "((T([2, 3], f32), T([3], f32)), {})", "x=1", AY_FULL },
		{ "((T([8], da), T([8], db)), {})", "(da,db)=(f32,i32)|(i32,f32)|(f32,i16)|(f32,b8)", AY_FULL },
		{ "((T(s, da), T(s, db)), {})", "s=[512, 1024]|[16, 128, 64, 60] (da,db)=(f32,f32)|(f16,f16)|(f16,f32)|(f32,bf16)", AY_PERF },
	},
	.vary      = {
		{ "((T(s, db), T(fits(s), da, fill=f, conj=cj, neg=ng), nb), {})", "s=shape() nb=True|False cj=False ng=False da=f32|f16|bf16|f64|c64|c128|i64|i32|i16|i8|u8|b8 db=da|da|f32|f16|bf16|f64|c64|c128|i64|i32|i16|i8|u8|b8|f8e4m3fn f=None ; s=shape() nb=True|False cj=True|False ng=True|False da=c64|c128 db=da|c64|c128|f32|f64|f16|i32 f=None ; s=shape() nb=True|False cj=False ng=True da=f32|f16|bf16|f64 db=da|f32|f16|bf16|f64|i32|c64 f=None ; s=shape() nb=True|False cj=False ng=True|False|False da=f32|f16|bf16|f64 db=da|f32|f16|bf16|f64 f='special' ; s=shape() nb=True|False cj=False ng=False (da,f)=(i64,'int(-4000000000000000, 4000000000000000)')|(i32,'int(-2147483648, 2147483647)')|(i16,'int(-32768, 32767)')|(u8,'int(0, 255)')|(f32,'heavy(1000)')|(f64,'heavy(1000000)')|(f8e4m3fn,None)|(f8e5m2,None) db=da|i64|i32|i16|i8|u8|f32|f64|f16|bf16" },
		{ "aten::copy_.Tensor((T(s, db), T(fits(s), da, fill=f, conj=cj, neg=ng)), {})", "s=shape() cj=False ng=False da=f32|f16|bf16|f64|c64|c128|i64|i32|i16|i8|u8|b8 db=da|da|f32|f16|bf16|f64|c64|c128|i64|i32|i16|i8|u8|b8|f8e4m3fn f=None ; s=shape() cj=True|False ng=True|False da=c64|c128 db=da|c64|c128|f32|f64|f16|i32 f=None ; s=shape() cj=False ng=True da=f32|f16|bf16|f64 db=da|f32|f16|bf16|f64|i32|c64 f=None ; s=shape() cj=False ng=True|False|False da=f32|f16|bf16|f64 db=da|f32|f16|bf16|f64 f='special' ; s=shape() cj=False ng=False (da,f)=(i64,'int(-4000000000000000, 4000000000000000)')|(i32,'int(-2147483648, 2147483647)')|(i16,'int(-32768, 32767)')|(u8,'int(0, 255)')|(f32,'heavy(1000)')|(f64,'heavy(1000000)')|(f8e4m3fn,None)|(f8e5m2,None) db=da|i64|i32|i16|i8|u8|f32|f64|f16|bf16" },
		{ "aten::copy_.int((T(s, dt), x), {})", "n=last() m=n < 32 ? n : n % 31 + 1 s=[m]|[1, m]|[1, 1, m]|[1, 1, 1, m]|[1, 1, 1, 1, m]|[m]|[1, m]|[m]|[1, m]|[] dt=f32|f16|bf16|f64|c64|c128|i64|i32|i16|i8|u8|b8 x=0|3|1|100 ; n=last() m=n < 32 ? n : n % 31 + 1 s=[m]|[1, m]|[1, 1, m]|[1, 1, 1, m]|[1, 1, 1, 1, m]|[m]|[1, m]|[m]|[1, m]|[] dt=f32|f16|bf16|f64|c64|i64|i32|i16|i8 x=-7|-100" },
		{ "aten::copy_.float((T(s, dt), x), {})", "n=last() m=n < 32 ? n : n % 31 + 1 s=[m]|[1, m]|[1, 1, m]|[1, 1, 1, m]|[1, 1, 1, 1, m]|[m]|[1, m]|[m]|[1, m]|[] dt=f32|f16|bf16|f64|c64|c128|i64|i32|i16|i8|u8|b8 x=0.0|2.75|1.0 ; n=last() m=n < 32 ? n : n % 31 + 1 s=[m]|[1, m]|[1, 1, m]|[1, 1, 1, m]|[1, 1, 1, 1, m]|[m]|[1, m]|[m]|[1, m]|[] dt=f32|f16|bf16|f64|c64|i64|i32|i8 x=-2.75|0.1 ; n=last() m=n < 32 ? n : n % 31 + 1 s=[m]|[1, m]|[1, 1, m]|[1, 1, 1, m]|[1, 1, 1, 1, m]|[m]|[1, m]|[m]|[1, m]|[] dt=f32|f16|bf16|f64|b8 x=inf|nan|-0.0" },
	},
	.accepts   = accepts_source,
	.reference = copy,
	.cost      = cost,
	.aten_differs = aten_differs,
	.cuda_differs = cuda_differs,
	.k_out     = AY_K_SAME,
	.flags     = AY_CONVERTS,
	.promises  = "floats that the integer dtype does not hold; which neighbour f64, i32 and i64 give near a tie of a half type",
}, {
	.schemas   = AY_SCHEMAS("aten::clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor",
				"aten::clone.out(Tensor self, *, MemoryFormat? memory_format=None, Tensor(a!) out) -> Tensor(a!)"),
	.doc       = "out = a copy of self, bit for bit, in memory of its own. memory_format decides out's strides where it is given: "
		     "contiguous_format, channels_last (4 dimensions), channels_last_3d (5), or preserve_format, self's own if self has "
		     "no gaps; the values are the same under all of them. Write through out's strides. self may be a lazily conjugated "
		     "or negated view (AY_CONJ, AY_NEG), of which what it means is copied.",
	.cases     = {
		{ "((T(s, dt),), {})", "dt=f32|f16|bf16 s=[]|[1]|[0, 3]|[7]|[129]|[3, 65]|[2, 3, 4, 5] ; dt=f64|c64|c128|i64|i32|i16|i8|u8|b8 s=[3, 65]", AY_QUICK },
		{ "((T([257], dt, fill=special),), {})", "dt=f32|f16|bf16|f64|c64", AY_QUICK },
		{ "((T([8, 33], dt, stride=st, offset=o),), {'memory_format': m})", "dt=f32|f16 st=[66, 2]|[1, 8]|[0, 1]|[1, 0] o=0|3 m=None|torch.contiguous_format|torch.preserve_format", AY_QUICK },
		{ "((T([2, 3, 5, 7], dt, stride=st),), {'memory_format': m})", "dt=f32|i64 st=[105, 35, 7, 1]|[105, 1, 21, 3]|[1, 2, 6, 30] m=torch.preserve_format|torch.contiguous_format|torch.channels_last", AY_QUICK },
		{ "((T([2, 3, 2, 5, 3], f16),), {'memory_format': torch.channels_last_3d})", "x=1", AY_QUICK },
		{ "((T([65], dt, conj=True),), {})", "dt=c64|c128", AY_QUICK },
		{ "((T([9, 40], dt, fill=edge),), {})", "dt=i64|i32|i16", AY_QUICK },
		{ "((T([2, 3, 2, 2, 3, 5], dt, stride=st),), {})", "dt=f32|i64 st=[180, 60, 30, 15, 5, 1]|[1, 2, 6, 12, 24, 72]", AY_QUICK },
		{ "((T([12347], dt),), {})", "dt=f32|f16", AY_QUICK },
		{ "((T(s, dt),), {})", "dt=f16|f32|bf16|i32|i64 s=[]|[1]|[1024, 1024]|[20, 320, 15]|[16, 128, 64, 60]|[16, 7, 57, 32, 29]", AY_FULL },
		{ "((T([16, 8], dt, stride=(1, 16)),), {'memory_format': m})", "dt=f16|f32|bf16 m=torch.contiguous_format|torch.preserve_format", AY_FULL },
		{ "((T(s, dt),), {})", "dt=f32|bf16 s=[512, 1024]|[16, 128, 64, 60]", AY_PERF },
	},
	.vary      = {
		{ "((T(s, dt, fill=f, conj=cj, neg=ng),), {'memory_format': m})", "s=shape() m=None|None|torch.preserve_format|torch.contiguous_format|(len(s) == 4 ? torch.channels_last : None)|(len(s) == 5 ? torch.channels_last_3d : None) dt=f32|f16|bf16|f64|c64|c128|i64|i32|i16|i8|u8|b8|f8e4m3fn|f8e5m2 f=None cj=False ng=False ; s=shape() m=None|None|torch.preserve_format|torch.contiguous_format|(len(s) == 4 ? torch.channels_last : None)|(len(s) == 5 ? torch.channels_last_3d : None) dt=c64|c128 f=None cj=True|False ng=True|False ; s=shape() m=None|None|torch.preserve_format|torch.contiguous_format|(len(s) == 4 ? torch.channels_last : None)|(len(s) == 5 ? torch.channels_last_3d : None) dt=f32|f16|bf16|f64 f=None|'special' cj=False ng=True|False" },
	},
	.accepts   = accepts_same,
	.result    = same_result,
	.reference = same,
	.cost      = cost,
	.aten_differs = aten_differs,
	.cuda_differs = cuda_differs,
	.flags     = AY_EXACT,
}, {
	.schemas   = AY_SCHEMAS("aten::contiguous(Tensor(a) self, *, MemoryFormat memory_format=0) -> Tensor(a)"),
	.doc       = "out = self, bit for bit, with contiguous strides: row-major for contiguous_format, dimension 1 fastest for channels_last "
		     "(4 dimensions) and channels_last_3d (5). In PyTorch it is self itself if its strides are so already. A native kernel "
		     "copies; write through out's strides.",
	.cases     = {
		{ "((T(s, dt),), {})", "dt=f32|f16|bf16 s=[]|[1]|[0, 3]|[7]|[129]|[3, 65]|[2, 3, 4, 5]", AY_QUICK },
		{ "((T([8, 33], dt, stride=st, offset=o),), {})", "dt=f32|f16|bf16|i64 st=[66, 2]|[1, 8]|[0, 1]|[1, 0] o=0|3 ; dt=f64|c64|c128|i32|i16|i8|u8|b8 st=[1, 8] o=1", AY_QUICK },
		{ "((T([5, 0, 3], f32, stride=(1, 7, 5)),), {})", "x=1", AY_QUICK },
		{ "((T([5, 1, 3, 1], f32, stride=st),), {})", "st=[3, 99, 1, 7]|[1, 9, 5, 2]", AY_QUICK },
		{ "((T([257], dt, stride=(2,), fill=special),), {})", "dt=f32|f16|bf16|f64", AY_QUICK },
		{ "((T([2, 3, 5, 7], dt, stride=st),), {'memory_format': m})", "dt=f32|i64 st=[105, 35, 7, 1]|[105, 1, 21, 3]|[1, 2, 6, 30] m=torch.contiguous_format|torch.channels_last", AY_QUICK },
		{ "((T([2, 3, 2, 5, 3], f16, stride=(1, 2, 6, 12, 60)),), {'memory_format': torch.channels_last_3d})", "x=1", AY_QUICK },
		{ "((T([9, 40], dt, fill=edge),), {})", "dt=i64|i32|i16", AY_QUICK },
		{ "((T([2, 3, 2, 2, 3, 5], dt, stride=st),), {})", "dt=f32|i64 st=[180, 60, 30, 15, 5, 1]|[1, 2, 6, 12, 24, 72]", AY_QUICK },
		{ "((T([12347], dt),), {})", "dt=f32|f16", AY_QUICK },
		{ "((T(s, dt, stride=st),), {})", "dt=f16|f32|bf16|i16|i32|i64 (s,st)=([512, 1024],[2048, 1])|([10, 320, 15],[9600, 15, 1])|([8, 128, 64, 1280],[20971520, 81920, 1280, 1])|([8, 7, 57, 32, 29],[740544, 52896, 928, 29, 1])", AY_FULL },
		{ "((T(s, dt, stride=st),), {})", "dt=f32|bf16 (s,st)=([512, 1024],[2048, 1])|([1024, 1024],[1, 1024])|([16, 128, 64, 60],[491520, 1, 7680, 128])", AY_PERF },
	},
	.vary      = {
		{ "((T(s, dt, fill=f),), {'memory_format': m})", "s=shape() m=torch.contiguous_format|(len(s) == 4 ? torch.channels_last : len(s) == 5 ? torch.channels_last_3d : torch.contiguous_format) dt=f32|f16|bf16|f64|c64|c128|i64|i32|i16|i8|u8|b8|f8e4m3fn|f8e5m2 f=None ; s=shape() m=torch.contiguous_format|(len(s) == 4 ? torch.channels_last : len(s) == 5 ? torch.channels_last_3d : torch.contiguous_format) dt=f32|f16|bf16|f64 f='special'" },
	},
	.accepts   = accepts,
	.result    = same_result,
	.reference = same,
	.cost      = cost,
	.promises  = "whether a result that nothing changed is self",
	.flags     = AY_EXACT | AY_VIEW,
}, {0}};
