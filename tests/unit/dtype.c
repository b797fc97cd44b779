/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/kernel.h"
#include "tensor/dtype.h"
#include "test.h"

#include <float.h>
#include <math.h>
#include <string.h>

#if __has_include(<dlpack/dlpack.h>)
#include <dlpack/dlpack.h>
#define HAS_DLPACK 1
#if defined DLPACK_MAJOR_VERSION && (DLPACK_MAJOR_VERSION > 1 || DLPACK_MINOR_VERSION >= 1)
#define HAS_DLPACK_F8 1
#endif
#endif

/* Fixed random numbers by splitmix64, so that a failure can be reproduced. */
static uint64_t next(uint64_t *s)
{
	uint64_t z = *s += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static double load(enum ay_dt dt, uint64_t bits)
{
	double x;

	ay_row_load_d(dt, &bits, 1, 1, &x); /* little endian, as all supported hosts are */
	return x;
}

static uint64_t store(enum ay_dt dt, double x)
{
	uint64_t bits = 0;

	ay_row_store_d(dt, &bits, 1, 1, &x);
	return bits;
}

static uint64_t store_ld(enum ay_dt dt, long double x)
{
	uint64_t bits = 0;

	ay_row_store_ld(dt, &bits, 1, 1, &x);
	return bits;
}

/* The floats of 8 and 16 bits, which are small enough to test every pattern. `inf` is the pattern
 * after the largest finite one; `tie` is the result for a tie between these two. */
static const struct small {
	enum ay_dt dt;
	int bits, frac, bias;
	uint32_t inf, tie;
} smalls[] = {
	{ AY_DT_F8E4M3FN, 8, 3, 7, 0x7f, 0x7e },
	{ AY_DT_F8E5M2, 8, 2, 15, 0x7c, 0x7c },
	{ AY_DT_F16, 16, 10, 15, 0x7c00, 0x7c00 },
	{ AY_DT_BF16, 16, 7, 127, 0x7f80, 0x7f80 },
};

#define EACH_SMALL(f) for (const struct small *f = smalls; f < smalls + sizeof smalls / sizeof *smalls; f++)

/* Returns the value by the format's definition, with ldexp; also beyond its largest finite
 * value. */
static double value(const struct small *f, uint32_t b)
{
	const int sign = b >> (f->bits - 1) & 1, e = (b & ~(1u << (f->bits - 1))) >> f->frac;
	const double m = ldexp(b & ((1u << f->frac) - 1), -f->frac);

	return (sign ? -1 : 1) * (e ? ldexp(1 + m, e - f->bias) : ldexp(m, 1 - f->bias));
}

static bool is_nan_pattern(const struct small *f, uint32_t b)
{
	const uint32_t mag = b & ((1u << (f->bits - 1)) - 1);

	return f->dt == AY_DT_F8E4M3FN ? mag == 0x7f : mag > f->inf;
}

TEST(dtype_small_floats_load_what_their_bits_say)
{
	EACH_SMALL(f)
	{
		for (uint32_t b = 0; b < 1u << f->bits; b++) {
			const uint32_t mag = b & ((1u << (f->bits - 1)) - 1);
			const double x = load(f->dt, b);

			if (is_nan_pattern(f, b))
				CHECKF(isnan(x), "%s %#x is %g", ay_dt_info(f->dt)->name, b, x);
			else if (mag == f->inf)
				CHECKF(x == (b == mag ? INFINITY : -INFINITY), "%#x is %g", b, x);
			else
				CHECKF(x == value(f, b) && !signbit(x) == (b == mag), "%s %#x is %a, not %a",
				       ay_dt_info(f->dt)->name, b, x, value(f, b));
		}
	}
}

TEST(dtype_small_floats_store_what_they_load)
{
	EACH_SMALL(f)
	{
		for (uint32_t b = 0; b < 1u << f->bits; b++) {
			const double x = load(f->dt, b);
			const uint64_t d = store(f->dt, x), ld = store_ld(f->dt, x);

			if (is_nan_pattern(f, b))
				CHECKF(is_nan_pattern(f, (uint32_t)d) && is_nan_pattern(f, (uint32_t)ld),
				       "NaN %#x becomes %#x, %#x", b, (unsigned)d, (unsigned)ld);
			else
				CHECKF(d == b && ld == b, "%s %#x becomes %#x, %#x", ay_dt_info(f->dt)->name, b,
				       (unsigned)d, (unsigned)ld);
		}
	}
}

/* Stores x and -x, from long double, and from double if x is a double. */
static void check_store(const struct small *f, long double x, uint32_t want)
{
	const uint32_t sign = 1u << (f->bits - 1);
	const char *name = ay_dt_info(f->dt)->name;

	CHECKF(store_ld(f->dt, x) == want, "%s of %La is %#x, not %#x", name, x, (unsigned)store_ld(f->dt, x),
	       want);
	CHECKF(store_ld(f->dt, -x) == (want | sign), "%s of -%La", name, x);
	if ((double)x != x)
		return;
	CHECKF(store(f->dt, (double)x) == want, "%s of %La from double is %#x, not %#x", name, x,
	       (unsigned)store(f->dt, (double)x), want);
	CHECKF(store(f->dt, (double)-x) == (want | sign), "%s of -%La from double", name, x);
}

/* Around the midpoint of every two neighbours, the last finite value and what would follow it among
 * them. */
TEST(dtype_small_floats_round_to_nearest_even)
{
	EACH_SMALL(f)
	{
		for (uint32_t b = 0; b < f->inf; b++) {
			const double mid = (value(f, b) + value(f, b + 1)) / 2; /* exact: one more bit */
			const uint32_t even = b + 1 == f->inf ? f->tie : b + (b & 1);

			check_store(f, mid, even);
			check_store(f, nextafter(mid, 0), b);
			check_store(f, nextafter(mid, INFINITY), b + 1);
			/* A long double this close is the midpoint itself once it has been a
			 * double. */
			check_store(f, nextafterl(mid, 0), b);
			check_store(f, nextafterl(mid, INFINITY), b + 1);
		}
	}
}

TEST(dtype_small_floats_overflow_and_underflow)
{
	EACH_SMALL(f)
	{
		check_store(f, INFINITY, f->inf);
		check_store(f, DBL_MAX, f->inf);
		check_store(f, LDBL_MAX, f->inf);
		check_store(f, 0x1p200, f->inf);
		check_store(f, 0, 0);
		check_store(f, DBL_TRUE_MIN, 0);
		check_store(f, 0x1p-1000, 0);
		check_store(f, LDBL_MIN, 0);
		CHECK(is_nan_pattern(f, (uint32_t)store(f->dt, NAN)));
		CHECK(is_nan_pattern(f, (uint32_t)store_ld(f->dt, -NAN)));
	}
	CHECK(store(AY_DT_F8E4M3FN, 448) == 0x7e);
	CHECK(store(AY_DT_F8E4M3FN, 464) == 0x7e);
	CHECK(store(AY_DT_F8E4M3FN, 465) == 0x7f);
	CHECK(store(AY_DT_F8E4M3FN, -465) == 0xff);
	CHECK(store(AY_DT_F16, 65519.99) == 0x7bff);
	CHECK(store(AY_DT_F16, 65520) == 0x7c00);
}

/* 1 + 2^-11 + 2^-40 is above the midpoint of two f16, but a float cannot represent that: rounding
 * to float first would give 1. */
TEST(dtype_stores_round_once)
{
	CHECK(store(AY_DT_F16, 1 + 0x1p-11 + 0x1p-40) == 0x3c01);
	CHECK(store(AY_DT_BF16, 1 + 0x1p-8 + 0x1p-40) == 0x3f81);
	CHECK(store(AY_DT_F8E4M3FN, 1 + 0x1p-4 + 0x1p-40) == 0x39);
	CHECK(store(AY_DT_F8E5M2, 1 + 0x1p-3 + 0x1p-40) == 0x3d);
	CHECK(store_ld(AY_DT_F16, 1 + 0x1p-11L + LDBL_EPSILON) == 0x3c01);
	CHECK(store_ld(AY_DT_F32, 1 + 0x1p-24L + LDBL_EPSILON) == 0x3f800001);
}

TEST(dtype_f16_stores_as_the_compiler_does)
{
#ifdef __FLT16_MANT_DIG__
	uint64_t seed = 16;

	for (int i = 0; i < 300000; i++) {
		const uint64_t r = next(&seed);
		const double x = ldexp((double)(int64_t)r, (int)(next(&seed) % 48) - 95);
		const _Float16 h = (_Float16)x;
		uint16_t want;

		memcpy(&want, &h, sizeof want);
		CHECKF(store(AY_DT_F16, x) == want, "f16 of %a is not %#x", x, want);
	}
#else
	test_skip("the compiler has no _Float16");
#endif
}

static double f32_value(uint32_t b)
{
	float x;

	memcpy(&x, &b, sizeof x);
	return x;
}

static void check_f32_gap(uint32_t b)
{
	const double lo = f32_value(b), hi = b == 0x7f7fffff ? 0x1p128 : f32_value(b + 1), mid = (lo + hi) / 2;
	const uint32_t even = b + (b & 1);

	CHECKF(store(AY_DT_F32, mid) == even && store_ld(AY_DT_F32, mid) == even, "f32 of the tie %a", mid);
	CHECKF(store(AY_DT_F32, nextafter(mid, 0)) == b, "f32 below %a", mid);
	CHECKF(store(AY_DT_F32, -nextafter(mid, 0)) == (b | 0x80000000), "f32 below -%a", mid);
	CHECKF(store(AY_DT_F32, nextafter(mid, INFINITY)) == b + 1, "f32 above %a", mid);
	CHECKF(store_ld(AY_DT_F32, nextafterl(mid, 0)) == b, "f32 a long double below %a", mid);
	CHECKF(store_ld(AY_DT_F32, nextafterl(mid, INFINITY)) == b + 1, "f32 a long double above %a", mid);
	CHECKF(store_ld(AY_DT_F32, -nextafterl(mid, INFINITY)) == (b + 1) + 0x80000000, "f32 above -%a", mid);
}

TEST(dtype_f32_rounds_to_nearest_even)
{
	static const uint32_t edges[] = {
		0, 1, 2, 0x7ffffe, 0x7fffff, 0x800000, 0x3f7fffff, 0x7f7ffffe, 0x7f7fffff
	};
	uint64_t seed = 32;

	for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
		check_f32_gap(edges[i]);
	for (int i = 0; i < 100000; i++)
		check_f32_gap((uint32_t)(next(&seed) % 0x7f7fffff));
	CHECK(store_ld(AY_DT_F32, LDBL_MAX) == 0x7f800000);
	CHECK(store_ld(AY_DT_F32, -LDBL_MIN) == 0x80000000);
}

TEST(dtype_f64_rounds_once_from_long_double)
{
	uint64_t seed = 64;

	if (LDBL_MANT_DIG <= DBL_MANT_DIG)
		test_skip("long double is double here");
	for (int i = 0; i < 100000; i++) {
		const uint64_t b = i ? next(&seed) % 0x7fefffffffffffff : 0;
		const long double lo = load(AY_DT_F64, b), hi = load(AY_DT_F64, b + 1), mid = (lo + hi) / 2;

		CHECKF(store_ld(AY_DT_F64, mid) == b + (b & 1), "f64 of the tie %La", mid);
		CHECKF(store_ld(AY_DT_F64, nextafterl(mid, 0)) == b, "f64 below %La", mid);
		CHECKF(store_ld(AY_DT_F64, nextafterl(mid, INFINITY)) == b + 1, "f64 above %La", mid);
	}
}

TEST(dtype_integers_wrap)
{
	static const struct {
		long double x;
		int64_t i64;
	} rows[] = {
		{ 0, 0 },
		{ -0.9, 0 },
		{ 1.99, 1 },
		{ -1.99, -1 },
		{ 127, 127 },
		{ 128, 128 },
		{ -129.5, -129 },
		{ 255.9, 255 },
		{ 256, 256 },
		{ 65535, 65535 },
		{ 4294967296.0 + 7, 4294967303 },
		{ 0x1p63, INT64_MIN },
		{ -0x1p63, INT64_MIN },
		{ 0x1p63 + 2048, INT64_MIN + 2048 },
		{ -0x1p63 - 2048, INT64_MAX - 2047 },
		{ 0x1p64, 0 },
		{ -0x1p64 + 4096, 4096 },
		{ 0x1p64 + 4096 * 3, 4096 * 3 },
		{ 0x1p70 + 0x1p18, 0x1p18 },
		{ DBL_MAX, 0 },
		{ INFINITY, 0 },
		{ -INFINITY, 0 },
		{ NAN, 0 },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const uint64_t u = (uint64_t)rows[i].i64;
		const double x = (double)rows[i].x;

		CHECKF(store(AY_DT_I64, x) == u, "i64 of %g", x);
		CHECKF(store(AY_DT_I32, x) == (uint32_t)u, "i32 of %g", x);
		CHECKF(store(AY_DT_I16, x) == (uint16_t)u, "i16 of %g", x);
		CHECKF(store(AY_DT_I8, x) == (uint8_t)u, "i8 of %g", x);
		CHECKF(store(AY_DT_U8, x) == (uint8_t)u, "u8 of %g", x);
		CHECKF(store_ld(AY_DT_I64, x) == u, "i64 of %gL", x);
		CHECKF(store_ld(AY_DT_U8, x) == (uint8_t)u, "u8 of %gL", x);
	}
}

TEST(dtype_integers_load_with_their_sign)
{
	CHECK(load(AY_DT_U8, 0xff) == 255);
	CHECK(load(AY_DT_I8, 0xff) == -1);
	CHECK(load(AY_DT_I8, 0x80) == -128);
	CHECK(load(AY_DT_I16, 0x8000) == -32768);
	CHECK(load(AY_DT_I32, 0x80000000) == -2147483648.0);
	CHECK(load(AY_DT_I64, UINT64_MAX) == -1);
	CHECK(load(AY_DT_B8, 2) == 1);
	CHECK(load(AY_DT_B8, 0x100) == 0);
}

TEST(dtype_i64_is_exact_in_long_double)
{
	static const int64_t ints[] = { INT64_MAX, INT64_MIN, INT64_MIN + 1, (INT64_C(1) << 53) + 1, -1 };

	if (LDBL_MANT_DIG < 64)
		test_skip("long double has %d bits", LDBL_MANT_DIG);
	for (size_t i = 0; i < sizeof ints / sizeof *ints; i++) {
		long double x;

		ay_row_load_ld(AY_DT_I64, &ints[i], 1, 1, &x);
		CHECKF(x == (long double)ints[i] && store_ld(AY_DT_I64, x) == (uint64_t)ints[i], "%La", x);
	}
	CHECK(store_ld(AY_DT_I64, 0x1p63L + 1) == 0x8000000000000001);
}

TEST(dtype_b8_is_not_zero)
{
	const double complex j = 0.5 * _Complex_I, zero = 0;
	const long double complex lj = LDBL_MIN * _Complex_I, nan = NAN;
	uint8_t b = 9;

	CHECK(store(AY_DT_B8, 0.0) == 0);
	CHECK(store(AY_DT_B8, -0.0) == 0);
	CHECK(store(AY_DT_B8, 0.25) == 1);
	CHECK(store(AY_DT_B8, 256) == 1);
	CHECK(store(AY_DT_B8, DBL_TRUE_MIN) == 1);
	CHECK(store(AY_DT_B8, NAN) == 1);
	CHECK(store_ld(AY_DT_B8, LDBL_MIN) == 1); /* would be zero as a double */
	ay_row_store_z(AY_DT_B8, &b, 1, 1, &zero);
	CHECK(b == 0);
	ay_row_store_z(AY_DT_B8, &b, 1, 1, &j);
	CHECK(b == 1);
	b = 0;
	ay_row_store_lz(AY_DT_B8, &b, 1, 1, &lj);
	CHECK(b == 1);
	b = 0;
	ay_row_store_lz(AY_DT_B8, &b, 1, 1, &nan);
	CHECK(b == 1);
}

/* Long enough to need several of any inner buffer, and with something between the elements to be
 * left alone. */
enum { ROW = 777, STRIDE = 3 };

/* Returns small integers, exact even in f8e5m2, and 0 or 1 in b8. */
static int number(enum ay_dt dt, int i)
{
	return dt == AY_DT_B8 ? i % 2 : i * 7 % 9;
}

static void check_between(enum ay_dt dt, const unsigned char *mem, unsigned char fill)
{
	const int bytes = ay_dt_info(dt)->bytes;

	for (int i = 0; i < ROW; i++)
		for (int k = bytes; k < STRIDE * bytes; k++)
			CHECKF(mem[i * STRIDE * bytes + k] == fill, "%s: byte %d behind element %d was written",
			       ay_dt_info(dt)->name, k, i);
}

TEST(dtype_real_rows_with_strides)
{
	static unsigned char mem[ROW * STRIDE * 16];
	static double x[ROW], y[ROW];
	static long double lx[ROW], ly[ROW];

	for (int dt = 0; dt < AY_DT_COUNT; dt++) {
		memset(mem, 0xa5, sizeof mem);
		for (int i = 0; i < ROW; i++)
			lx[i] = x[i] = number(dt, i);
		ay_row_store_d(dt, mem, STRIDE, ROW, x);
		check_between(dt, mem, 0xa5);
		ay_row_load_ld(dt, mem, STRIDE, ROW, ly);
		memset(mem, 0x5a, sizeof mem);
		ay_row_store_ld(dt, mem, STRIDE, ROW, lx);
		check_between(dt, mem, 0x5a);
		ay_row_load_d(dt, mem, STRIDE, ROW, y);
		for (int i = 0; i < ROW; i++)
			CHECKF(y[i] == x[i] && ly[i] == x[i], "%s [%d]: %g, %Lg, not %g", ay_dt_info(dt)->name, i,
			       y[i], ly[i], x[i]);
	}
}

TEST(dtype_complex_rows_with_strides)
{
	static unsigned char mem[ROW * STRIDE * 16];
	static double complex x[ROW], y[ROW];
	static long double complex lx[ROW], ly[ROW];

	for (int dt = 0; dt < AY_DT_COUNT; dt++) {
		memset(mem, 0xa5, sizeof mem);
		for (int i = 0; i < ROW; i++)
			lx[i] = x[i] = number(dt, i) + (ay_dt_is_complex(dt) ? i % 5 - 2 : 0) * _Complex_I;
		ay_row_store_z(dt, mem, STRIDE, ROW, x);
		check_between(dt, mem, 0xa5);
		ay_row_load_lz(dt, mem, STRIDE, ROW, ly);
		memset(mem, 0x5a, sizeof mem);
		ay_row_store_lz(dt, mem, STRIDE, ROW, lx);
		check_between(dt, mem, 0x5a);
		memset(y, 0xff, sizeof y); /* the imaginary part is written too */
		ay_row_load_z(dt, mem, STRIDE, ROW, y);
		for (int i = 0; i < ROW; i++)
			CHECKF(y[i] == x[i] && ly[i] == x[i], "%s [%d]", ay_dt_info(dt)->name, i);
	}
}

TEST(dtype_real_numbers_in_complex_rows)
{
	const double x[2] = { 3, -4 };
	const double complex z[2] = { 5 + 6 * _Complex_I, 7 - 8 * _Complex_I };
	float mem[4] = { 1, 1, 1, 1 };
	long double l[2];
	double y[2];

	ay_row_store_d(AY_DT_C64, mem, 1, 2, x);
	CHECK(mem[0] == 3 && mem[1] == 0 && mem[2] == -4 && mem[3] == 0);
	ay_row_store_z(AY_DT_C64, mem, 1, 2, z);
	CHECK(mem[0] == 5 && mem[1] == 6 && mem[2] == 7 && mem[3] == -8);
	ay_row_load_d(AY_DT_C64, mem, 1, 2, y);
	ay_row_load_ld(AY_DT_C64, mem, 1, 2, l);
	CHECK(y[0] == 5 && y[1] == 7 && l[0] == 5 && l[1] == 7);
	ay_row_store_z(AY_DT_F32, mem, 1, 2, z);
	CHECK(mem[0] == 5 && mem[1] == 7 && mem[2] == 7);
}

TEST(dtype_expanded_and_empty_rows)
{
	const float one = 1.5f;
	double x[3] = { 0 };
	long double l[1] = { 9 };

	ay_row_load_d(AY_DT_F32, &one, 0, 3, x);
	CHECK(x[0] == 1.5 && x[1] == 1.5 && x[2] == 1.5);
	ay_row_load_ld(AY_DT_F32, &one, 1, 0, l);
	CHECK(l[0] == 9);
}

TEST(dtype_elem_int)
{
	const int64_t big = (INT64_C(1) << 53) + 1;
	const float f = -2.75f;
	const uint16_t h = 0x4500; /* 5 */
	const int8_t i = -3;

	CHECK(ay_elem_int(AY_DT_I64, &big) == big);
	CHECK(ay_elem_int(AY_DT_F32, &f) == -2);
	CHECK(ay_elem_int(AY_DT_F16, &h) == 5);
	CHECK(ay_elem_int(AY_DT_I8, &i) == -3);
	CHECK(ay_elem_int(AY_DT_U8, &i) == 253);
	CHECK(ay_elem_int(AY_DT_B8, &i) == 1);
}

/* The spacing is what lies between a value and the next, for every finite value of the small
 * floats. */
TEST(dtype_ulp_is_the_distance_to_the_next)
{
	EACH_SMALL(f)
	{
		for (uint32_t b = 0; b < f->inf; b++) {
			const double x = value(f, b), gap = value(f, b + 1) - x;

			CHECKF(ay_dt_ulp(f->dt, x) == gap, "%s: ulp(%a)", ay_dt_info(f->dt)->name, x);
			CHECKF(ay_dt_ulp(f->dt, -(x + gap / 2)) == gap, "%s: ulp of between",
			       ay_dt_info(f->dt)->name);
		}
		CHECK(ay_dt_max(f->dt) == value(f, f->inf - 1));
		CHECK(ay_dt_ulp(f->dt, INFINITY) == ay_dt_ulp(f->dt, ay_dt_max(f->dt)));
		CHECK(ay_dt_ulp(f->dt, LDBL_MAX) == ay_dt_ulp(f->dt, ay_dt_max(f->dt)));
	}
	CHECK(ay_dt_ulp(AY_DT_F32, 1) == FLT_EPSILON);
	CHECK(ay_dt_ulp(AY_DT_C64, 1) == FLT_EPSILON);
	CHECK(ay_dt_ulp(AY_DT_F32, 0) == FLT_TRUE_MIN);
	CHECK(ay_dt_ulp(AY_DT_F64, 1) == DBL_EPSILON);
	CHECK(ay_dt_ulp(AY_DT_F64, 0) == DBL_TRUE_MIN);
	CHECK(ay_dt_ulp(AY_DT_C128, DBL_MAX) == 0x1p971);
	CHECK(ay_dt_ulp(AY_DT_I32, 5) == 0);
	CHECK(isnan(ay_dt_ulp(AY_DT_F32, NAN)));
}

TEST(dtype_max)
{
	CHECK(ay_dt_max(AY_DT_B8) == 1);
	CHECK(ay_dt_max(AY_DT_U8) == 255);
	CHECK(ay_dt_max(AY_DT_I8) == 127);
	CHECK(ay_dt_max(AY_DT_I64) == (long double)INT64_MAX);
	CHECK(ay_dt_max(AY_DT_F8E4M3FN) == 448);
	CHECK(ay_dt_max(AY_DT_F8E5M2) == 57344);
	CHECK(ay_dt_max(AY_DT_F16) == 65504);
	CHECK(ay_dt_max(AY_DT_F32) == FLT_MAX);
	CHECK(ay_dt_max(AY_DT_C128) == DBL_MAX);
}

TEST(dtype_round_bits)
{
	uint64_t seed = 7;

	CHECK(ay_round_bits_d(3, 1) == 4);
	CHECK(ay_round_bits_d(6, 1) == 8);
	CHECK(ay_round_bits_d(-5, 1) == -4);
	CHECK(ay_round_bits_d(5, 2) == 4);
	CHECK(ay_round_bits_d(7, 2) == 8);
	CHECK(ay_round_bits_d(5 * DBL_TRUE_MIN, 2) == 4 * DBL_TRUE_MIN);
	CHECK(ay_round_bits_d(7 * DBL_TRUE_MIN, 2) == 8 * DBL_TRUE_MIN);
	CHECK(ay_round_bits_d(3 * DBL_TRUE_MIN, 2) == 3 * DBL_TRUE_MIN);
	CHECK(ay_round_bits_d(0x1.8p-1023, 1) == 0x1p-1022);
	CHECK(ay_round_bits_d(DBL_MAX, 24) == INFINITY);
	CHECK(isnan(ay_round_bits_d(NAN, 8)) && isnan(ay_round_bits_ld(NAN, 8)));
	CHECK(ay_round_bits_d(-INFINITY, 8) == -INFINITY);
	CHECK(signbit(ay_round_bits_d(-0.0, 8)) && signbit(ay_round_bits_ld(-0.0L, 8)));
	CHECK(ay_round_bits_ld(1 + LDBL_EPSILON, LDBL_MANT_DIG) == 1 + LDBL_EPSILON);
	CHECK(ay_round_bits_ld(1 + 0x1p-24L + LDBL_EPSILON, 24) == 1 + 0x1p-23L);
	CHECK(ay_round_bits_ld(1 + 0x1p-24L, 24) == 1);
	CHECK(ay_round_bits_ld(-0x1.fffp16000L, 4) == -0x1p16001L || LDBL_MAX_EXP < 16000);
	for (int i = 0; i < 200000; i++) {
		const uint64_t r = next(&seed) & ~(next(&seed) % 4 ? 0 : 0xfffffffffull); /* some of them ties */
		const double x = load(AY_DT_F64, r);
		const int bits = 1 + (int)(next(&seed) % 53);
		const double d = ay_round_bits_d(x, bits);

		if (!isnan(x))
			CHECKF(d == (double)ay_round_bits_ld(x, bits), "%a to %d bits is %a", x, bits, d);
	}
}

/* Within a dtype's exponent range, rounding to its significand equals storing. */
TEST(dtype_round_bits_is_a_store_in_the_normal_range)
{
	static const enum ay_dt dts[] = { AY_DT_F8E4M3FN, AY_DT_F8E5M2, AY_DT_F16, AY_DT_BF16, AY_DT_F32 };
	uint64_t seed = 8;

	for (int i = 0; i < 100000; i++) {
		const enum ay_dt dt = dts[i % 5];
		const double x = ldexp((double)(int64_t)next(&seed), -60);
		const double want = fabs(x) < 0x1p-6 ? 0 : load(dt, store(dt, x));

		if (want)
			CHECKF(ay_round_bits_d(x, ay_dt_info(dt)->mant) == want, "%a as %s", x,
			       ay_dt_info(dt)->name);
	}
}

static enum ay_dt find(const char *name)
{
	return ay_dt_find(name, strlen(name));
}

TEST(dtype_names)
{
	for (int dt = 0; dt < AY_DT_COUNT; dt++) {
		CHECK(find(ay_dt_info(dt)->name) == (enum ay_dt)dt);
		CHECK(find(ay_dt_info(dt)->torch) == (enum ay_dt)dt);
	}
	CHECK(find("half") == AY_DT_F16);
	CHECK(find("float") == AY_DT_F32);
	CHECK(find("double") == AY_DT_F64);
	CHECK(find("long") == AY_DT_I64);
	CHECK(find("int") == AY_DT_I32);
	CHECK(find("short") == AY_DT_I16);
	CHECK(find("cfloat") == AY_DT_C64);
	CHECK(find("f3") == AY_DT_NONE);
	CHECK(find("f320") == AY_DT_NONE);
	CHECK(find("") == AY_DT_NONE);
	CHECK(ay_dt_find("f32)", 3) == AY_DT_F32);
	CHECK(ay_dt_find("f16", 2) == AY_DT_NONE);
}

TEST(dtype_components)
{
	CHECK(ay_dt_component(AY_DT_C32) == AY_DT_F16);
	CHECK(ay_dt_component(AY_DT_C64) == AY_DT_F32);
	CHECK(ay_dt_component(AY_DT_C128) == AY_DT_F64);
	CHECK(ay_dt_component(AY_DT_I8) == AY_DT_I8);
	for (int dt = 0; dt < AY_DT_COUNT; dt++) {
		const struct ay_dt_info *info = ay_dt_info(dt), *part = ay_dt_info(ay_dt_component(dt));

		CHECK(info->bytes * 8 == info->dl_bits);
		CHECK(info->bytes == part->bytes * (1 + ay_dt_is_complex(dt)));
		CHECK(info->mant == part->mant && info->emin == part->emin && info->emax == part->emax);
	}
}

TEST(dtype_codes_are_those_of_the_kernel_header)
{
#define D(id, ...)                                                                                 \
	CHECK(AY_DT(ay_dt_info(AY_DT_##id)->dl_code, ay_dt_info(AY_DT_##id)->dl_bits) == AY_##id); \
	CHECK(ay_dt_from_dl(AY_##id & 255, AY_##id >> 8 & 255) == AY_DT_##id);
	AY_DTYPES(D)
#undef D
	CHECK(ay_dt_from_dl(AY_CODE_FLOAT, 8) == AY_DT_NONE);
	CHECK(ay_dt_from_dl(99, 32) == AY_DT_NONE);
}

#ifdef HAS_DLPACK
#define SAME_PLACE(field)                                               \
	CHECK(offsetof(ay_tensor, field) == offsetof(DLTensor, field)); \
	CHECK(sizeof((ay_tensor){ 0 }.field) == sizeof((DLTensor){ 0 }.field))
#endif

TEST(dtype_tensor_starts_as_a_dltensor)
{
#ifdef HAS_DLPACK
	CHECK(sizeof(DLTensor) == 48 && offsetof(ay_tensor, flags) == 48);
	SAME_PLACE(data);
	SAME_PLACE(device);
	SAME_PLACE(ndim);
	SAME_PLACE(dtype);
	SAME_PLACE(shape);
	SAME_PLACE(strides);
	SAME_PLACE(byte_offset);
	CHECK(offsetof(ay_device, type) == offsetof(DLDevice, device_type));
	CHECK(offsetof(ay_device, id) == offsetof(DLDevice, device_id));
	CHECK(offsetof(ay_dtype, code) == offsetof(DLDataType, code));
	CHECK(offsetof(ay_dtype, bits) == offsetof(DLDataType, bits));
	CHECK(offsetof(ay_dtype, lanes) == offsetof(DLDataType, lanes));
#else
	test_skip("no dlpack/dlpack.h here");
#endif
}

TEST(dtype_codes_are_dlpacks)
{
#ifdef HAS_DLPACK
	CHECK((int)kDLInt == AY_CODE_INT);
	CHECK((int)kDLUInt == AY_CODE_UINT);
	CHECK((int)kDLFloat == AY_CODE_FLOAT);
	CHECK((int)kDLBfloat == AY_CODE_BFLOAT);
	CHECK((int)kDLComplex == AY_CODE_COMPLEX);
	CHECK((int)kDLCPU == AY_CPU);
	CHECK((int)kDLCUDA == AY_CUDA);
#else
	test_skip("no dlpack/dlpack.h here");
#endif
}

TEST(dtype_newer_codes_are_dlpacks)
{
#ifdef HAS_DLPACK_F8
	CHECK((int)kDLBool == AY_CODE_BOOL);
	CHECK((int)kDLFloat8_e4m3fn == AY_CODE_F8E4M3FN);
	CHECK((int)kDLFloat8_e5m2 == AY_CODE_F8E5M2);
#else
	test_skip("no dlpack/dlpack.h of version 1.1 or later here: bool and 8-bit floats are not in it");
#endif
}
