/* SPDX-License-Identifier: Apache-2.0 */
/* The table and the way operands are combined are those of PyTorch 2.13 (c10/core/ScalarType.h and
 * ATen/native/TypeProperties.cpp). They were compared with PyTorch for every pair of dtypes and,
 * with and without dimensions, for every triple of tensors. */
#include "tensor/promote.h"

/* In struct ay_promotion: the operands so far do not promote. There, AY_DT_NONE means that no
 * operand was seen yet. */
#define CLASH AY_DT_COUNT

_Static_assert(AY_DT_COUNT == 15, "a new dtype needs a row and a column in the table");

/* An 8-bit float promotes only with itself. With any other dtype, even b8, PyTorch raises. */
static const signed char table[AY_DT_COUNT][AY_DT_COUNT] = {
#define x AY_DT_NONE
#define b AY_DT_B8
#define u AY_DT_U8
#define c AY_DT_I8
#define s AY_DT_I16
#define i AY_DT_I32
#define l AY_DT_I64
#define p AY_DT_F8E4M3FN
#define q AY_DT_F8E5M2
#define h AY_DT_F16
#define g AY_DT_BF16
#define f AY_DT_F32
#define d AY_DT_F64
#define H AY_DT_C32
#define F AY_DT_C64
#define D AY_DT_C128
	/* clang-format off */
	/*                   b8 u8 i8   i16 i32 i64  f8 f8  f16 bf16 f32 f64  c32 c64 c128 */
	[AY_DT_B8]       = { b, u, c,   s,  i,  l,   x, x,  h,  g,   f,  d,   H,  F,  D },
	[AY_DT_U8]       = { u, u, s,   s,  i,  l,   x, x,  h,  g,   f,  d,   H,  F,  D },
	[AY_DT_I8]       = { c, s, c,   s,  i,  l,   x, x,  h,  g,   f,  d,   H,  F,  D },
	[AY_DT_I16]      = { s, s, s,   s,  i,  l,   x, x,  h,  g,   f,  d,   H,  F,  D },
	[AY_DT_I32]      = { i, i, i,   i,  i,  l,   x, x,  h,  g,   f,  d,   H,  F,  D },
	[AY_DT_I64]      = { l, l, l,   l,  l,  l,   x, x,  h,  g,   f,  d,   H,  F,  D },
	[AY_DT_F8E4M3FN] = { x, x, x,   x,  x,  x,   p, x,  x,  x,   x,  x,   x,  x,  x },
	[AY_DT_F8E5M2]   = { x, x, x,   x,  x,  x,   x, q,  x,  x,   x,  x,   x,  x,  x },
	[AY_DT_F16]      = { h, h, h,   h,  h,  h,   x, x,  h,  f,   f,  d,   H,  F,  D },
	[AY_DT_BF16]     = { g, g, g,   g,  g,  g,   x, x,  f,  g,   f,  d,   F,  F,  D },
	[AY_DT_F32]      = { f, f, f,   f,  f,  f,   x, x,  f,  f,   f,  d,   F,  F,  D },
	[AY_DT_F64]      = { d, d, d,   d,  d,  d,   x, x,  d,  d,   d,  d,   D,  D,  D },
	[AY_DT_C32]      = { H, H, H,   H,  H,  H,   x, x,  H,  F,   F,  D,   H,  F,  D },
	[AY_DT_C64]      = { F, F, F,   F,  F,  F,   x, x,  F,  F,   F,  D,   F,  F,  D },
	[AY_DT_C128]     = { D, D, D,   D,  D,  D,   x, x,  D,  D,   D,  D,   D,  D,  D },
/* clang-format on */
#undef x
#undef b
#undef u
#undef c
#undef s
#undef i
#undef l
#undef p
#undef q
#undef h
#undef g
#undef f
#undef d
#undef H
#undef F
#undef D
};

enum ay_dt ay_promote(enum ay_dt a, enum ay_dt b)
{
	return (enum ay_dt)table[a][b];
}

/* As ay_promote, but an operand may be missing, and a CLASH stays a CLASH. */
static enum ay_dt join(enum ay_dt a, enum ay_dt b)
{
	enum ay_dt dt;

	if (a == CLASH || b == CLASH)
		return CLASH;
	if (a == AY_DT_NONE || b == AY_DT_NONE)
		return a == AY_DT_NONE ? b : a;
	dt = ay_promote(a, b);
	return dt == AY_DT_NONE ? CLASH : dt;
}

/* Returns the complex dtype for a real one. There is no complex dtype for 8-bit floats, where
 * PyTorch raises, and none for bf16, where PyTorch uses c64. */
static enum ay_dt to_complex(enum ay_dt dt)
{
	switch (dt) {
	case AY_DT_F16: return AY_DT_C32;
	case AY_DT_BF16:
	case AY_DT_F32: return AY_DT_C64;
	case AY_DT_F64: return AY_DT_C128;
	default: return CLASH;
	}
}

/* Combines `high` with the result of a lower priority. `low` counts only if its class is higher
 * than that of `high`. It then makes `high` no wider than necessary. */
static enum ay_dt combine(enum ay_dt high, enum ay_dt low)
{
	if (high == CLASH || low == CLASH)
		return CLASH;
	if (high == AY_DT_NONE || low == AY_DT_NONE)
		return high == AY_DT_NONE ? low : high;
	if (ay_dt_is_complex(high))
		return high;
	if (ay_dt_is_float(high))
		return ay_dt_is_complex(low) ? to_complex(high) : high;
	if (high == AY_DT_B8 || !ay_dt_is_integral(low))
		return join(high, low);
	return high;
}

void ay_promote_tensor(struct ay_promotion *p, enum ay_dt dt, int ndim)
{
	enum ay_dt *slot = ndim > 0 ? &p->dim : &p->zero;

	*slot = join(*slot, dt);
}

void ay_promote_number(struct ay_promotion *p, enum ay_class cls)
{
	static const enum ay_dt of_class[] = {
		[AY_CLASS_BOOL] = AY_DT_B8,
		[AY_CLASS_INT] = AY_DT_I64,
		[AY_CLASS_FLOAT] = AY_DT_F32,
		[AY_CLASS_COMPLEX] = AY_DT_C64,
	};

	p->wrapped = join(p->wrapped, of_class[cls]);
}

enum ay_dt ay_promote_result(const struct ay_promotion *p)
{
	const enum ay_dt dt = combine(p->dim, combine(p->zero, p->wrapped));

	return dt == CLASH ? AY_DT_NONE : dt;
}
