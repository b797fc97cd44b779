/* SPDX-License-Identifier: Apache-2.0
 *
 * dtype - element types: names, sizes and classes, and conversion to and from numbers.
 *
 * A load is exact: every value of every dtype fits in its number type. Real types up to f64 fit in
 * long double; i64 does too, on x86 and aarch64.
 *
 * A store rounds the given number once, to nearest, ties to even. Beyond the largest finite value
 * it gives infinity, or NaN if the dtype has no infinity (f8e4m3fn). Integers wrap on store, as C's
 * unsigned conversions do. A b8 is "not zero".
 */
#ifndef AY_TENSOR_DTYPE_H
#define AY_TENSOR_DTYPE_H

#include <complex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef CMPLX /* glibc defines these for gcc only */
#define CMPLX(x, y)  __builtin_complex((double)(x), (double)(y))
#define CMPLXL(x, y) __builtin_complex((long double)(x), (long double)(y))
#endif
#undef I /* complex.h's I is too short a name for a macro; use _Complex_I */

enum ay_class { AY_CLASS_BOOL, AY_CLASS_INT, AY_CLASS_FLOAT, AY_CLASS_COMPLEX };

/*	enum	 name	     torch		 class	  bytes code bits  mant  emin	emax   (of a component) */
/* mant: bits of the significand, with the hidden bit. emin, emax: exponents of the smallest and
 * largest normal number. */
/* clang-format off */
#define AY_DTYPES(D)                                                                         \
	D(B8,       "b8",       "bool",          BOOL,    1,  6, 8,    1,     0,     0)       \
	D(U8,       "u8",       "uint8",         INT,     1,  1, 8,    8,     0,     0)       \
	D(I8,       "i8",       "int8",          INT,     1,  0, 8,    7,     0,     0)       \
	D(I16,      "i16",      "int16",         INT,     2,  0, 16,   15,    0,     0)       \
	D(I32,      "i32",      "int32",         INT,     4,  0, 32,   31,    0,     0)       \
	D(I64,      "i64",      "int64",         INT,     8,  0, 64,   63,    0,     0)       \
	D(F8E4M3FN, "f8e4m3fn", "float8_e4m3fn", FLOAT,   1, 10, 8,    4,    -6,     8)       \
	D(F8E5M2,   "f8e5m2",   "float8_e5m2",   FLOAT,   1, 12, 8,    3,   -14,    15)       \
	D(F16,      "f16",      "float16",       FLOAT,   2,  2, 16,  11,   -14,    15)       \
	D(BF16,     "bf16",     "bfloat16",      FLOAT,   2,  4, 16,   8,  -126,   127)       \
	D(F32,      "f32",      "float32",       FLOAT,   4,  2, 32,  24,  -126,   127)       \
	D(F64,      "f64",      "float64",       FLOAT,   8,  2, 64,  53, -1022,  1023)       \
	D(C32,      "c32",      "complex32",     COMPLEX, 4,  5, 32,  11,   -14,    15)       \
	D(C64,      "c64",      "complex64",     COMPLEX, 8,  5, 64,  24,  -126,   127)       \
	D(C128,     "c128",     "complex128",    COMPLEX, 16, 5, 128, 53, -1022,  1023)
/* clang-format on */

enum ay_dt {
#define D(name, ...) AY_DT_##name,
	AY_DTYPES(D)
#undef D
		AY_DT_COUNT,
	AY_DT_NONE = -1,
};

struct ay_dt_info {
	const char *name, *torch;
	enum ay_class cls;
	int bytes, dl_code, dl_bits; /* DLPack's code and bits */
	int mant, emin, emax;
};

extern const struct ay_dt_info ay_dt_table[AY_DT_COUNT];

static inline const struct ay_dt_info *ay_dt_info(enum ay_dt dt)
{
	return &ay_dt_table[dt];
}

/* Finds a dtype by assay's name or PyTorch's ("f16", "float16", "half", "bool"). Returns AY_DT_NONE
 * if the name is unknown. */
enum ay_dt ay_dt_find(const char *name, size_t len);
/* Returns the dtype with these DLPack code and bits, or AY_DT_NONE. */
enum ay_dt ay_dt_from_dl(int code, int bits);
/* Returns the real dtype of a complex dtype's components. Returns dt itself for other dtypes. */
enum ay_dt ay_dt_component(enum ay_dt dt);

static inline bool ay_dt_is_complex(enum ay_dt dt)
{
	return ay_dt_info(dt)->cls == AY_CLASS_COMPLEX;
}

static inline bool ay_dt_is_float(enum ay_dt dt)
{
	return ay_dt_info(dt)->cls == AY_CLASS_FLOAT;
}

/* Returns true for integers and b8. */
static inline bool ay_dt_is_integral(enum ay_dt dt)
{
	return ay_dt_info(dt)->cls <= AY_CLASS_INT;
}

/* Convert a row of n elements, `stride` elements apart, to or from dense numbers. A real load of a
 * complex dtype gives the real part. A complex load of a real dtype gives imaginary part 0. A real
 * store to a complex dtype stores imaginary part 0. A complex store to a real dtype drops the
 * imaginary part; to b8 it stores whether the complex number is not zero. */
void ay_row_load_d(enum ay_dt dt, const void *src, int64_t stride, int64_t n, double *dst);
void ay_row_load_ld(enum ay_dt dt, const void *src, int64_t stride, int64_t n, long double *dst);
void ay_row_load_z(enum ay_dt dt, const void *src, int64_t stride, int64_t n, double complex *dst);
void ay_row_load_lz(enum ay_dt dt, const void *src, int64_t stride, int64_t n, long double complex *dst);
void ay_row_store_d(enum ay_dt dt, void *dst, int64_t stride, int64_t n, const double *src);
void ay_row_store_ld(enum ay_dt dt, void *dst, int64_t stride, int64_t n, const long double *src);
void ay_row_store_z(enum ay_dt dt, void *dst, int64_t stride, int64_t n, const double complex *src);
void ay_row_store_lz(enum ay_dt dt, void *dst, int64_t stride, int64_t n, const long double complex *src);

/* Returns the integer at src; floats are truncated. For indices and sizes. */
int64_t ay_elem_int(enum ay_dt dt, const void *src);

/* Returns the distance between x and its neighbours in a floating dtype: 2^(e-mant+1). Below the
 * smallest normal it is the spacing of subnormals. For a complex dtype it is that of a component.
 * Returns 0 for integral dtypes. */
double ay_dt_ulp(enum ay_dt dt, long double x);
/* Returns the largest finite value of a component. */
long double ay_dt_max(enum ay_dt dt);
/* Return x rounded to `bits` bits of significand, to nearest even; the exponent is not limited. */
double ay_round_bits_d(double x, int bits);
long double ay_round_bits_ld(long double x, int bits);

#endif
