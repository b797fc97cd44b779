/* SPDX-License-Identifier: Apache-2.0
 *
 * Tensors of one number: zeros, zeros_like, ones_like, new_ones, full and scalar_tensor make one, zero_ and fill_
 * fill the one that is there.
 *
 * Error: none. The number is rounded to the dtype once, to nearest even; to integers its fraction is cut off; to
 * bool everything but 0 is True, NaN too. A plain number that the dtype cannot hold is refused, as PyTorch does;
 * infinity is held by every float. PyTorch goes from double to half types through f32, which rounds twice: near
 * ties either neighbour is right. A 0-dim tensor for fill_ is converted as copy_ would: there, what does not fit
 * into an integer is not judged.
 *
 * A constant is all that they give, so no case is weak for being one. What is in the way of a careless kernel are
 * the old content (NaN and infinity times 0 is NaN), strides, gaps that stay, and dtypes: a byte pattern of 0 is 0
 * everywhere, that of 1 is not.
 *
 * What the original tests missed: nothing is strided, no tensor is empty, no value is negative, NaN or infinite;
 * zeros, zeros_like and ones_like never call out=. fill_ has no test at HEAD; the intended one fills 0, 1 and 9,
 * which every dtype holds. zero_ of random numbers would see x * 0 pass. scalar_tensor and new_ones are compared
 * by tolerance. The tests of full and zeros make two calls each, one without a dtype, which is the same call for
 * all eight dtypes.
 *
 * Cases: zeros original 48 (each two calls, 54 distinct ones); here 54 full. full original 144 (each two calls,
 * 162 distinct); here 162 full. zeros_like 18, ones_like 18, zero_ 36, new_ones 48 (24 + 24), scalar_tensor 48 (24
 * + 24): all sound and distinct, here as many full. fill_ original 0 at HEAD, 54 intended, each as number and as
 * tensor; here 108 full. full.names, full.names_out, zeros.names and zeros.names_out are for named dimensions;
 * PyTorch 2.13 has them no more.
 */
#include "op/op.h"

#include <string.h>

/* --- the number ------------------------------------------------------------------------------------------ */

/* The argument that holds it; NULL: the name of the operator says which. */
static const char *value_name(const struct ay_call *c)
{
	static const char *const names[] = { "fill_value", "value", "s" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (ay_has_arg(c, names[i]))
			return names[i];
	return NULL;
}

static bool is_ones(const struct ay_call *c)
{
	return strstr(c->s->base, "ones") != NULL;
}

/* May a plain number become one of dtype `to`? */
static bool holds(enum ay_dt to, long double complex z)
{
	const long double re = creall(z), im = cimagl(z);

	if (!ay_dt_is_complex(to) && im != 0)
		return false;
	if (to == AY_DT_B8)
		return true;
	if (ay_dt_is_integral(to)) {
		const long double most = ldexpl(1, ay_dt_info(to)->mant);

		return re < most && re > (to == AY_DT_U8 ? -1 : -most - 1);
	}
	return (!isfinite(re) || fabsl(re) <= ay_dt_max(to)) && (!isfinite(im) || fabsl(im) <= ay_dt_max(to));
}

static void fill(struct ay_ref *r)
{
	const struct ay_call *c = r->c;
	const char *name = value_name(c);
	const enum ay_dt to = c->out[0]->view.dt;
	double mag = 0;
	num x = is_ones(c);

	if (name) {
		const struct ay_view *v = ay_t(c, name);

		x = ay_cast(v->dt, to, ay_get(r, v, 0), &mag);
	}
	for (int64_t i = r->lo; i < r->hi; i++) {
		*ay_val(r, 0, i, 0) = x;
		*ay_mag(r, 0, i, 0) = mag;
	}
}

/* --- the tensor ------------------------------------------------------------------------------------------ */

/* What the number is where no dtype is given; full takes its kind. */
static enum ay_dt dtype_of_number(const struct ay_call *c, const char *name)
{
	switch (ay_t(c, name)->dt) {
	case AY_DT_B8: return AY_DT_B8;
	case AY_DT_I64: return AY_DT_I64;
	case AY_DT_C128: return AY_DT_C64;
	default: return AY_DT_F32;
	}
}

static enum ay_dt dtype_of(const struct ay_call *c)
{
	enum ay_dt dt = AY_DT_F32;

	if (!ay_has_arg(c, "dtype"))
		return ay_operand(c, ay_has_arg(c, "out") ? "out" : "self")->view.dt;
	if (ay_has_arg(c, "self"))
		dt = ay_t(c, "self")->dt;
	if (ay_has_arg(c, "fill_value"))
		dt = dtype_of_number(c, "fill_value");
	return ay_dtype_or(c, "dtype", dt);
}

static int result(const struct ay_call *c, int k, struct ay_meta *m, struct ay_err *err)
{
	if (!ay_has_arg(c, "size") && ay_has_arg(c, "self")) { /* zeros_like, ones_like */
		if (ay_result_like_first(c, k, m, err))
			return -1;
		ay_result_format(c, ay_t(c, "self"), m);
	}
	if (ay_has_arg(c, "size")) {
		m->ndim = ay_list_count(c, "size");
		for (int d = 0; d < m->ndim && d < AY_MAX_DIM; d++)
			m->shape[d] = ay_int_at(c, "size", d);
		if (m->ndim > AY_MAX_DIM)
			return ay_fail(err, AY_ERR_BIND, "size has more than %d numbers", AY_MAX_DIM);
	}
	m->dt = dtype_of(c);
	return 0;
}

static int accepts_value(const struct ay_call *c, const char *name, struct ay_err *err)
{
	const struct ay_view *v = ay_t(c, name);
	long double complex z;

	if (v->ndim)
		return ay_fail(err, AY_ERR_BIND, "'%s' is a number, or a tensor without dimensions", name);
	if (strcmp(c->s->overload, "Tensor") && v->data) {
		ay_row_load_lz(v->dt, v->data, 1, 1, &z);
		if (!holds(dtype_of(c), z))
			return ay_fail(err, AY_ERR_BIND, "%s does not hold this '%s'",
				       ay_dt_info(dtype_of(c))->name, name);
	}
	return 0;
}

static int accepts(const struct ay_call *c, struct ay_err *err)
{
	enum { STRIDED = 0, CHANNELS_LAST = 2, CHANNELS_LAST_3D = 3 };
	const bool format = ay_has_arg(c, "memory_format") && !ay_is_none(c, "memory_format");
	const int ndim = ay_has_arg(c, "self") ? ay_t(c, "self")->ndim : 0;

	if (ay_has_arg(c, "layout") && !ay_is_none(c, "layout") && ay_int(c, "layout") != STRIDED)
		return ay_fail(err, AY_ERR_BIND, "only strided tensors are judged");
	if (ay_has_arg(c, "pin_memory") && ay_flag(c, "pin_memory"))
		return ay_fail(err, AY_ERR_BIND, "pin_memory is for the host's side of a GPU");
	if (format && ((ay_int(c, "memory_format") == CHANNELS_LAST && ndim != 4) ||
		       (ay_int(c, "memory_format") == CHANNELS_LAST_3D && ndim != 5)))
		return ay_fail(err, AY_ERR_BIND, "channels_last is for 4 dimensions, channels_last_3d for 5");
	return value_name(c) ? accepts_value(c, value_name(c), err) : 0;
}

/* Nothing but the result is touched. */
static void cost(const struct ay_call *c, struct ay_cost *k)
{
	k->bytes = ay_touched(&c->out[0]->view);
}

/* clang-format off */
#define SHAPES      "s=[]|[1]|[0, 3]|[7]|[129]|[3, 65]|[2, 3, 4, 5]"
#define POINTWISE   "s=[]|[1]|[1024, 1024]|[20, 320, 15]|[16, 128, 64, 60]|[16, 7, 57, 32, 29]"
#define OPTIONS     "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None"
#define GIVEN       "'layout': torch.strided, 'device': 'cpu', 'pin_memory': False"
#define PERF_SHAPES "s=[512, 1024]|[16, 128, 64, 60]"
#define LIKE_CASES \
		{ "((T(s, dt),), {})", "dt=f32|f16|bf16 " SHAPES " ; dt=f64|c64|c128|i64|i32|i16|i8|u8|b8 s=[3, 65]", AY_QUICK }, \
		{ "((T([3, 65], da),), {'dtype': db})", "(da,db)=(f32,f16)|(f16,f64)|(f32,i32)|(i64,bf16)|(b8,f32)|(f32,b8)|(f32,c64)", AY_QUICK }, \
		{ "((T([257], dt, fill=special),), {})", "dt=f32|f16|bf16|f64", AY_QUICK }, \
		{ "((T([8, 33], dt, stride=st, offset=o),), {'memory_format': m})", "dt=f32|f16|i64 (st,o)=([66, 2],3)|([1, 8],0)|([0, 1],1) m=None|torch.contiguous_format|torch.preserve_format", AY_QUICK }, \
		{ "((T([2, 3, 5, 7], f32, stride=st),), {'memory_format': m})", "st=[105, 35, 7, 1]|[1, 2, 6, 30] m=torch.preserve_format|torch.channels_last", AY_QUICK }, \
		{ "((T([5, 9], f32),), {'dtype': f16, " GIVEN ", 'memory_format': None})", "x=1", AY_QUICK }, \
		{ "((T(s, dt),), {})", "dt=f16|f32|bf16 " POINTWISE, AY_FULL }, \
		{ "((T(s, dt),), {})", "dt=f32|bf16 " PERF_SHAPES, AY_PERF }
#define LIKE_DOC(value) \
	"out = " value " in every element, of self's shape and, unless one is given, self's dtype. self's content means nothing, NaN and " \
	"infinities neither. memory_format decides out's strides where it is given: contiguous_format, channels_last (4 dimensions), " \
	"channels_last_3d (5), or preserve_format, self's own if self has no gaps. Write through out's strides."
#define GIVES "lay=None|torch.strided dev=None|'cpu' pin=None|False"

const struct ay_op ay_ops_creation[] = {{
	.schemas   = AY_SCHEMAS("aten::zeros(SymInt[] size, *, " OPTIONS ") -> Tensor",
				"aten::zeros.out(SymInt[] size, *, Tensor(a!) out) -> Tensor(a!)"),
	.doc       = "out = 0 in every element, of shape size and dtype (f32 if None; out= form: out's).",
	.cases     = {
		{ "((s,), {'dtype': dt})", "dt=None|f32|f16|bf16|f64|c64|c128|i64|i32|i16|i8|u8|b8 " SHAPES, AY_QUICK },
		{ "(([5, 9],), {'dtype': f16, " GIVEN "})", "x=1", AY_QUICK },
		{ "aten::zeros.out((s,), {'out': T(s, dt, stride=st, offset=o)})", "dt=f32|f16|i64|b8|c64 o=0|3 (s,st)=([],[])|([0, 3],[3, 1])|([7],[3])|([5, 9],[1, 5])|([5, 9],[18, 2])", AY_QUICK },
		{ "((s,), {'dtype': dt})", "dt=None|b8|i16|i32|i64|f16|f32|bf16|f64 " POINTWISE, AY_FULL },
		{ "((s,), {'dtype': dt})", "dt=f32|bf16 " PERF_SHAPES, AY_PERF },
	},
	.vary      = {{ "((s,), {'dtype': dt, 'layout': lay, 'device': dev, 'pin_memory': pin})", "s=shape() dt=None|f32|f16|bf16|f64|i64|i32|i16|i8|u8|b8|c64|c128 " GIVES }},
	.accepts   = accepts,
	.result    = result,
	.reference = fill,
	.cost      = cost,
	.flags     = AY_EXACT | AY_CONSTANT,
}, {
	.schemas   = AY_SCHEMAS("aten::zeros_like(Tensor self, *, " OPTIONS ", MemoryFormat? memory_format=None) -> Tensor",
				"aten::zeros_like.out(Tensor self, *, MemoryFormat? memory_format=None, Tensor(a!) out) -> Tensor(a!)"),
	.doc       = LIKE_DOC("0"),
	.cases     = { LIKE_CASES },
	.vary      = {{ "((T(s, da, fill=f),), {'dtype': db, 'layout': lay, 'device': dev, 'pin_memory': pin, 'memory_format': m})", "s=shape() da=f32|f16|bf16|f64|i64|i32|i16|i8|u8|b8|c64|c128 db=None|None|None|f32|f16|bf16|f64|i64|i32|i16|i8|u8|b8|c64|c128 f='normal' " GIVES " m=None|torch.preserve_format|torch.contiguous_format|len(s) == 4 ? torch.channels_last : len(s) == 5 ? torch.channels_last_3d : None" }},
	.accepts   = accepts,
	.result    = result,
	.reference = fill,
	.cost      = cost,
	.flags     = AY_EXACT | AY_CONSTANT,
}, {
	.schemas   = AY_SCHEMAS("aten::ones_like(Tensor self, *, " OPTIONS ", MemoryFormat? memory_format=None) -> Tensor",
				"aten::ones_like.out(Tensor self, *, MemoryFormat? memory_format=None, Tensor(a!) out) -> Tensor(a!)"),
	.doc       = LIKE_DOC("1"),
	.cases     = { LIKE_CASES },
	.vary      = {{ "((T(s, da, fill=f),), {'dtype': db, 'layout': lay, 'device': dev, 'pin_memory': pin, 'memory_format': m})", "s=shape() da=f32|f16|bf16|f64|i64|i32|i16|i8|u8|b8|c64|c128 db=None|None|None|f32|f16|bf16|f64|i64|i32|i16|i8|u8|b8|c64|c128 f='normal' " GIVES " m=None|torch.preserve_format|torch.contiguous_format|len(s) == 4 ? torch.channels_last : len(s) == 5 ? torch.channels_last_3d : None" }},
	.accepts   = accepts,
	.result    = result,
	.reference = fill,
	.cost      = cost,
	.flags     = AY_EXACT | AY_CONSTANT,
}, {
	.schemas   = AY_SCHEMAS("aten::new_ones(Tensor self, SymInt[] size, *, " OPTIONS ") -> Tensor",
				"aten::new_ones.out(Tensor self, SymInt[] size, *, Tensor(a!) out) -> Tensor(a!)"),
	.doc       = "out = 1 in every element, of shape size and dtype (that of self if None; out= form: out's). Shape and content of self mean "
		     "nothing.",
	.cases     = {
		{ "((T([2], dt), s), {})", "dt=f32|f16|bf16 " SHAPES " ; dt=f64|c64|c128|i64|i32|i16|i8|u8|b8 s=[3, 65]", AY_QUICK },
		{ "((T(x, da), [3, 65]), {'dtype': db})", "x=[]|[0]|[5, 9] (da,db)=(f32,f16)|(f16,f64)|(f32,i32)|(b8,f32)|(f32,b8)|(f32,c64)", AY_QUICK },
		{ "((T([5, 9], dt, stride=(1, 5), offset=3, fill=special), [7, 11]), {})", "dt=f32|f16|f64", AY_QUICK },
		{ "((T([5, 9], f32), [9]), {'dtype': f16, " GIVEN "})", "x=1", AY_QUICK },
		{ "aten::new_ones.out((T([2], f32), s), {'out': T(s, dt, stride=st, offset=o)})", "dt=f32|f16|i64|b8|c64 o=0|3 (s,st)=([],[])|([0, 3],[3, 1])|([7],[3])|([5, 9],[1, 5])|([5, 9],[18, 2])", AY_QUICK },
		{ "((T(x, dt), s), {})", "dt=f32|f16|bf16 s=[2, 3]|[128, 256]|[32, 16, 8]|[512, 512] x=[2, 3]|[128, 256]", AY_FULL },
		{ "aten::new_ones.out((T(x, f32), s), {'out': T(s, dt)})", "dt=f32|f16|bf16 s=[2, 3]|[128, 256]|[16, 8, 4]|[512, 512] x=[2, 3]|[64, 64]", AY_FULL },
		{ "((T([2], dt), s), {})", "dt=f32|bf16 " PERF_SHAPES, AY_PERF },
	},
	.vary      = {{ "((T(x, da), s), {'dtype': db, 'layout': lay, 'device': dev, 'pin_memory': pin})", "s=shape() x=shape(0, 3) da=f32|f16|bf16|f64|i64|i32|i16|i8|u8|b8|c64|c128 db=None|None|None|f32|f16|bf16|f64|i64|i32|i16|i8|u8|b8|c64|c128 " GIVES }},
	.accepts   = accepts,
	.result    = result,
	.reference = fill,
	.cost      = cost,
	.flags     = AY_EXACT | AY_CONSTANT,
}, {
	.schemas   = AY_SCHEMAS("aten::full(SymInt[] size, Scalar fill_value, *, " OPTIONS ") -> Tensor",
				"aten::full.out(SymInt[] size, Scalar fill_value, *, Tensor(a!) out) -> Tensor(a!)"),
	.doc       = "out = fill_value in every element, of shape size and dtype (None: b8 for a bool, i64 for an int, f32 for a float, c64 for a "
		     "complex; out= form: out's). Floats are rounded to nearest even, to integers the fraction is cut off, to bool everything "
		     "but 0 is True, NaN too. Numbers that the dtype does not hold are refused before a kernel sees them.",
	.cases     = {
		{ "((s, x), {})", "x=3.1415926|2|-7|False|True|(1.5-2j) " SHAPES, AY_QUICK },
		{ "(([3, 65], x), {'dtype': dt})", "dt=f32|f16|bf16|f64|c64|i64|i32|i16|i8|u8|b8 x=0.1|2|True|0 ; dt=f32|f16|bf16|f64|c64|i64|i8 x=-2.75|-0.0", AY_QUICK },
		{ "(([9], x), {'dtype': dt})", "dt=f32|f16|bf16|f64|c64|b8 x=nan|inf|-inf", AY_QUICK },
		{ "(([9], x), {'dtype': dt})", "(dt,x)=(f16,65504.0)|(f16,6e-08)|(f32,1e-45)|(f64,5e-324)|(f32,16777217)|(f64,9007199254740993)|(i64,9223372036854775807)|(i32,-2147483648)|(i8,-128)|(u8,255)|(i64,1e15)|(c128,(0.1+0.2j))|(c64,2.5)|(f16,2049)|(bf16,257)|(f16,0.10004)|(bf16,1.00390625)", AY_QUICK },
		{ "(([5, 9], 1.5), {'dtype': f16, " GIVEN "})", "x=1", AY_QUICK },
		{ "aten::full.out((s, x), {'out': T(s, dt, stride=st, offset=o)})", "dt=f32|f16|i64|b8|c64 x=2 (s,st,o)=([],[],3)|([0, 3],[3, 1],0)|([7],[3],1)|([5, 9],[1, 5],0)|([5, 9],[18, 2],3)", AY_QUICK },
		{ "((s, x), {'dtype': dt})", "s=[3, 65] (dt,x)=(i64,9007199254740993)|(i64,-9007199254740993)|(i64,4611686018427387905)|(i64,-9223372036854775807)", AY_QUICK },
		{ "(([65], x), {'dtype': dt})", "(dt,x)=(bf16,1.01171875)|(bf16,1.00390625)|(f16,1.00048828125)|(f16,1.00146484375)|(f32,16777219)|(f32,16777221)", AY_QUICK },
		{ "((s, x), {})", "x=1.5|7 s=[12347]|[2, 3, 2, 3, 5]|[2, 1, 3, 2, 3, 5]", AY_QUICK },
		{ "((s, x), {'dtype': dt})", "dt=None|b8|i16|i32|i64|f16|f32|bf16|f64 x=3.1415926|2|False " POINTWISE, AY_FULL },
		{ "((s, 3.1415926), {'dtype': dt})", "dt=f32|bf16 " PERF_SHAPES, AY_PERF },
	},
	.vary      = {{ "((s, x), {'dtype': dt, 'layout': lay, 'device': dev, 'pin_memory': pin})", "s=shape() (dt,x)=(None,3.1415926)|(None,2)|(None,-7)|(None,True)|(None,(1.5-2j))|(f32,0.1)|(f32,-0.0)|(f32,inf)|(f16,0.1)|(f16,65504.0)|(f16,nan)|(bf16,-2.75)|(bf16,257)|(f64,0.1)|(f64,True)|(f64,-inf)|(i64,2.75)|(i64,9007199254740993)|(i32,-7)|(i16,-2.75)|(i8,-128)|(u8,255)|(b8,0)|(b8,nan)|(b8,-2)|(c64,(1-2j))|(c128,0.1)|(c64,True) " GIVES }},
	.accepts   = accepts,
	.result    = result,
	.reference = fill,
	.cost      = cost,
	.k_out     = AY_K_SAME,
	.promises  = "which neighbour a double gives near a tie of a half type",
	.flags     = AY_CONSTANT | AY_CONVERTS,
}, {
	.schemas   = AY_SCHEMAS("aten::scalar_tensor(Scalar s, *, " OPTIONS ") -> Tensor",
				"aten::scalar_tensor.out(Scalar s, *, Tensor(a!) out) -> Tensor(a!)"),
	.doc       = "out = s as a tensor without dimensions, of dtype (f32 if None, whatever the kind of s; out= form: out's). Floats are rounded "
		     "to nearest even, to integers the fraction is cut off, to bool everything but 0 is True, NaN too. Numbers that the dtype "
		     "does not hold are refused before a kernel sees them.",
	.cases     = {
		{ "((x,), {'dtype': dt})", "dt=None|f32|f16|bf16|f64|c64|i64|i32|i8|b8 x=-7|0|3|True|-1.5|2.75|0.1", AY_QUICK },
		{ "((x,), {'dtype': dt})", "dt=f32|f16|bf16|f64|c64|b8 x=nan|inf|-inf|-0.0", AY_QUICK },
		{ "((x,), {'dtype': dt})", "(dt,x)=(f16,65504.0)|(f16,6e-08)|(f32,1e-45)|(f64,5e-324)|(i64,9223372036854775807)|(u8,255)|(f64,9007199254740993)|(c128,(0.1+0.2j))|(c64,(1-2j))", AY_QUICK },
		{ "((0.1,), {'dtype': f16, " GIVEN "})", "x=1", AY_QUICK },
		{ "aten::scalar_tensor.out((x,), {'out': T([], dt, offset=o)})", "dt=f32|f16|bf16|i64|b8 x=-7|0|0.1 o=0|3", AY_QUICK },
		{ "((x,), {'dtype': i64})", "x=9007199254740993|-9007199254740993|4611686018427387905|-9223372036854775807", AY_QUICK },
		{ "((x,), {'dtype': dt})", "(dt,x)=(bf16,1.01171875)|(bf16,1.00390625)|(f16,1.00048828125)|(f16,1.00146484375)|(f32,16777219)|(f32,16777221)", AY_QUICK },
		{ "((x,), {'dtype': dt})", "dt=f32|f16|bf16 x=-7|-1|0|3|12345|-1.5|2.75|3.14159", AY_FULL },
		{ "aten::scalar_tensor.out((x,), {'out': T([], dt)})", "dt=f32|f16|bf16 x=-7|-1|0|3|12345|-1.5|2.75|3.14159", AY_FULL },
	},
	.vary      = {{ "((x,), {'dtype': dt, 'layout': lay, 'device': dev, 'pin_memory': pin})", "(dt,x)=(None,3.1415926)|(None,2)|(None,-7)|(None,True)|(None,(1.5-2j))|(f32,0.1)|(f32,-0.0)|(f32,inf)|(f16,0.1)|(f16,65504.0)|(f16,nan)|(bf16,-2.75)|(bf16,257)|(f64,0.1)|(f64,True)|(f64,-inf)|(i64,2.75)|(i64,9007199254740993)|(i32,-7)|(i16,-2.75)|(i8,-128)|(u8,255)|(b8,0)|(b8,nan)|(b8,-2)|(c64,(1-2j))|(c128,0.1)|(c64,True) " GIVES }},
	.accepts   = accepts,
	.result    = result,
	.reference = fill,
	.cost      = cost,
	.k_out     = AY_K_SAME,
	.promises  = "which neighbour a double gives near a tie of a half type",
	.flags     = AY_CONSTANT | AY_ONE | AY_CONVERTS,
}, {
	.schemas   = AY_SCHEMAS("aten::fill_.Scalar(Tensor(a!) self, Scalar value) -> Tensor(a!)",
				"aten::fill_.Tensor(Tensor(a!) self, Tensor value) -> Tensor(a!)"),
	.doc       = "self = value in every element, converted to self's dtype; gives self. As a tensor, value has no dimensions, and may have "
		     "another dtype. Floats are rounded to nearest even, to integers the fraction is cut off, to bool everything but 0 is True, "
		     "NaN too; a complex tensor gives a real self its real part. self's old content means nothing; what lies between its "
		     "elements stays.",
	.cases     = {
		{ "((T(s, dt), x), {})", "dt=f32|f16|bf16 x=9|-2.75 " SHAPES " ; dt=f64|c64|c128|i64|i32|i16|i8|b8 x=0|1|-9|2.75 s=[3, 65] ; dt=u8 x=255 s=[3, 65]", AY_QUICK },
		{ "((T([257], dt, fill=special), x), {})", "dt=f32|f16|bf16|f64 x=0|nan|inf|-0.0", AY_QUICK },
		{ "((T([8, 33], dt, stride=st, offset=o), 3), {})", "dt=f32|f16|i64|b8 st=[66, 2]|[1, 8] o=0|3", AY_QUICK },
		{ "aten::fill_.Tensor((T(s, dt), T([], dt)), {})", "dt=f32|f16|bf16 " SHAPES " ; dt=f64|c64|i64|u8|b8 s=[3, 65]", AY_QUICK },
		{ "aten::fill_.Tensor((T([65], da), T([], db, data=[x], offset=o)), {})", "o=0|3 (da,db,x)=(f16,f32,0.1)|(f16,f64,70000.0)|(bf16,i64,257)|(i32,f32,-2.75)|(f32,c64,(1.5+2j))|(b8,f32,nan)|(i8,i32,300)|(f32,b8,1)|(c64,f32,2.5)", AY_QUICK },
		{ "aten::fill_.Tensor((T([8, 33], dt, stride=(66, 2), offset=1, fill=special), T([], f32)), {})", "dt=f32|f16|bf16", AY_QUICK },
		{ "((T(s, i64), x), {})", "s=[3, 65] x=9007199254740993|-9007199254740993|4611686018427387905|-9223372036854775807|9223372036854775807", AY_QUICK },
		{ "((T([65], dt), x), {})", "(dt,x)=(bf16,1.01171875)|(bf16,1.00390625)|(f16,1.00048828125)|(f16,1.00146484375)|(f32,16777219)|(f32,16777221)", AY_QUICK },
		{ "aten::fill_.Tensor((T([65], da), T([], db, data=[x])), {})", "(da,db,x)=(i64,i64,9007199254740993)|(i64,i64,-9223372036854775807)|(f32,i64,9007199791611905)|(bf16,f32,1.01171875)|(f16,f32,1.00146484375)", AY_QUICK },
		{ "((T(s, dt), x), {})", "dt=f32|i64 x=7 s=[12347]|[2, 3, 2, 3, 5]|[2, 1, 3, 2, 3, 5]", AY_QUICK },
		{ "((T(s, dt), x), {})", "dt=f16|f32|bf16 x=0|1|9 " POINTWISE, AY_FULL },
		{ "aten::fill_.Tensor((T(s, dt), T([], dt, data=[x])), {})", "dt=f16|f32|bf16 x=0|1|9 " POINTWISE, AY_FULL },
		{ "((T(s, dt), 9), {})", "dt=f32|bf16 " PERF_SHAPES, AY_PERF },
	},
	.vary      = {
		{ "((T(s, dt, fill=f), x), {})", "s=shape() (dt,x)=(f32,0.1)|(f32,nan)|(f16,-2.75)|(f16,inf)|(bf16,257)|(bf16,-0.0)|(f64,0.1)|(i64,-9)|(i32,2.75)|(i16,True)|(i8,-128)|(u8,255)|(b8,2)|(b8,0.0)|(c64,(1-2j))|(c128,0.5) f='normal'" },
		{ "aten::fill_.Tensor((T(s, da, fill=f), v), {})", "s=shape() (da,db,x)=(f32,f32,0.1)|(f16,f16,nan)|(f16,f32,0.1)|(f16,f64,70000.0)|(bf16,i64,257)|(bf16,bf16,-0.0)|(f64,f32,0.1)|(i64,i64,9007199254740993)|(i32,f32,-2.75)|(i16,b8,1)|(i8,i32,300)|(u8,f16,3.5)|(b8,f32,nan)|(b8,i64,2)|(c64,c64,(1+2j))|(c64,f32,2.5)|(f32,c64,(1.5+2j)) o=0|0|3 f='normal' v=T([], db, data=[x], offset=o)" },
	},
	.accepts   = accepts,
	.reference = fill,
	.cost      = cost,
	.k_out     = AY_K_SAME,
	.promises  = "floats of a tensor that an integer dtype does not hold; which neighbour a double gives near a tie of a half type",
	.flags     = AY_CONSTANT | AY_CONVERTS,
}, {
	.schemas   = AY_SCHEMAS("aten::zero_(Tensor(a!) self) -> Tensor(a!)"),
	.doc       = "self = 0 in every element; gives self. The old content means nothing, NaN and infinities neither; what lies between the "
		     "elements of self stays.",
	.cases     = {
		{ "((T(s, dt),), {})", "dt=f32|f16|bf16 " SHAPES " ; dt=f64|c64|c128|i64|i32|i16|i8|u8|b8 s=[3, 65]", AY_QUICK },
		{ "((T([257], dt, fill=special),), {})", "dt=f32|f16|bf16|f64", AY_QUICK },
		{ "((T([8, 33], dt, stride=st, offset=o),), {})", "dt=f32|f16|i64|b8 st=[66, 2]|[1, 8]|[33, 1] o=0|3", AY_QUICK },
		{ "((T(s, dt),), {})", "dt=f16|f32|bf16|i16|i32|i64 " POINTWISE, AY_FULL },
		{ "((T(s, dt),), {})", "dt=f32|bf16 " PERF_SHAPES, AY_PERF },
	},
	.vary      = {{ "((T(s, dt, fill=f),), {})", "s=shape() dt=f32|f16|bf16|f64|i64|i32|i16|i8|u8|b8|c64|c128 f=dt == f32 ? 'special' : dt == f16 ? 'nonfinite' : dt == bf16 ? 'mixed' : 'normal'" }},
	.accepts   = accepts,
	.reference = fill,
	.cost      = cost,
	.flags     = AY_EXACT | AY_CONSTANT,
}, {0}};
