/* SPDX-License-Identifier: Apache-2.0
 *
 * Dtypes for a kernel in C: kinds of dtypes, elements that ay_read and ay_write do not hold exactly (i64, complex), rows
 * of floats, and conversion between any two dtypes. Places are counted in elements from data, as in ay_read.
 */
#ifndef ASSAY_KERNEL_CONVERT_H
#define ASSAY_KERNEL_CONVERT_H

#include <assay/kernel.h>
#include <string.h>
#ifdef __F16C__
#include <immintrin.h>
#endif

/* --- kinds ----------------------------------------------------------------------------------------------- */

static inline bool ay_is_float(const ay_tensor *t)
{
	return t->dtype.code == AY_CODE_FLOAT || t->dtype.code == AY_CODE_BFLOAT;
}

static inline bool ay_is_integral(const ay_tensor *t)
{
	return t->dtype.code == AY_CODE_INT || t->dtype.code == AY_CODE_UINT || t->dtype.code == AY_CODE_BOOL;
}

/* Returns true for f32, f16 and bf16: a kernel may compute in f32. */
static inline bool ay_fits_f32(const ay_tensor *t)
{
	return ay_dt(t) == AY_F32 || ay_dt(t) == AY_F16 || ay_dt(t) == AY_BF16;
}

static inline int64_t ay_item_size(const ay_tensor *t)
{
	return t->dtype.bits / 8;
}

/* Returns the address of the element at place `at`. */
static inline void *ay_address(const ay_tensor *t, int64_t at)
{
	return (char *)t->data + at * ay_item_size(t);
}

/* --- integers -------------------------------------------------------------------------------------------- */

/* Reads an element of an integer or bool tensor exactly; ay_read gives a double, which rounds i64. */
static inline int64_t ay_read_int(const ay_tensor *t, int64_t at)
{
	return ay_dt(t) == AY_I64 ? ((const int64_t *)t->data)[at] : (int64_t)ay_read(t, at);
}

/* Writes x modulo the width of t's dtype; a bool is x != 0. */
static inline void ay_write_int(const ay_tensor *t, int64_t at, int64_t x)
{
	switch (ay_dt(t)) {
	case AY_I64: ((int64_t *)t->data)[at] = x; break;
	case AY_I32: ((int32_t *)t->data)[at] = (int32_t)x; break;
	case AY_I16: ((int16_t *)t->data)[at] = (int16_t)x; break;
	case AY_B8: ((uint8_t *)t->data)[at] = x != 0; break;
	default: ((uint8_t *)t->data)[at] = (uint8_t)x;
	}
}

/* Returns x as t's dtype, which is integral, holds it: -3 is 253 in u8. */
static inline int64_t ay_wrap_int(const ay_tensor *t, int64_t x)
{
	switch (ay_dt(t)) {
	case AY_I64: return x;
	case AY_I32: return (int32_t)x;
	case AY_I16: return (int16_t)x;
	case AY_I8: return (int8_t)x;
	case AY_B8: return x != 0;
	default: return (uint8_t)x;
	}
}

/* Reads an element of an index tensor, which is i64 or i32. */
static inline int64_t ay_read_index(const ay_tensor *t, int64_t at)
{
	return ay_dt(t) == AY_I64 ? ((const int64_t *)t->data)[at] : ((const int32_t *)t->data)[at];
}

/* --- real and imaginary parts ---------------------------------------------------------------------------- */

/* Reads the real (part 0) or imaginary part (1) of an element of any dtype; of a conjugated or negated view, as it
 * means. */
static inline double ay_read_part(const ay_tensor *t, int64_t at, int part)
{
	const double sign = (part && t->flags & AY_CONJ) != !!(t->flags & AY_NEG) ? -1 : 1;

	switch (ay_dt(t)) {
	case AY_C128: return sign * ((const double *)t->data)[2 * at + part];
	case AY_C64: return sign * ((const float *)t->data)[2 * at + part];
	case AY_C32: return sign * ay_from_f16(((const uint16_t *)t->data)[2 * at + part]);
	case AY_F8E5M2: /* the upper half of f16 */
		return part ? 0 : sign * ay_from_f16((uint16_t)(((const uint8_t *)t->data)[at] << 8));
	default: return part ? 0 : sign * ay_read(t, at);
	}
}

/* Writes one part of an element; of a real dtype there is only part 0. */
static inline void ay_write_part(const ay_tensor *t, int64_t at, int part, double x)
{
	switch (ay_dt(t)) {
	case AY_C128: ((double *)t->data)[2 * at + part] = x; break;
	case AY_C64: ((float *)t->data)[2 * at + part] = (float)x; break;
	case AY_C32: ((uint16_t *)t->data)[2 * at + part] = ay_to_f16((float)x); break;
	default: ay_write(t, at, x);
	}
}

/* Returns one part of a complex tensor as a real tensor. Its places are twice those of t. */
static inline ay_tensor ay_part_of(const ay_tensor *t, int part)
{
	ay_tensor p = *t;

	p.dtype = (ay_dtype){ AY_CODE_FLOAT, (uint8_t)(t->dtype.bits / 2), 1 };
	p.data = (char *)t->data + part * t->dtype.bits / 16;
	return p;
}

/* --- scalars --------------------------------------------------------------------------------------------- */

/* Returns *s, which must live as long, as a tensor without dimensions. */
static inline ay_tensor ay_scalar_tensor(ay_scalar *s)
{
	static const ay_dtype kinds[] = { [AY_SCALAR_BOOL] = { AY_CODE_BOOL, 8, 1 },
					  [AY_SCALAR_INT] = { AY_CODE_INT, 64, 1 },
					  [AY_SCALAR_FLOAT] = { AY_CODE_FLOAT, 64, 1 },
					  [AY_SCALAR_COMPLEX] = { AY_CODE_COMPLEX, 128, 1 } };

	return (ay_tensor){ .data = &s->v, .dtype = kinds[s->kind] };
}

/* Returns the real part of s. */
static inline double ay_scalar_real(ay_scalar s)
{
	switch (s.kind) {
	case AY_SCALAR_BOOL: return s.v.b;
	case AY_SCALAR_INT: return (double)s.v.i;
	case AY_SCALAR_FLOAT: return s.v.f;
	default: return s.v.c[0];
	}
}

/* Returns s as an integer; a float is cut. */
static inline int64_t ay_scalar_int(ay_scalar s)
{
	return s.kind == AY_SCALAR_INT ? s.v.i : (int64_t)ay_scalar_real(s);
}

/* --- from one dtype to another --------------------------------------------------------------------------- */

/* Returns x as t's dtype holds it. */
static inline double ay_round_to(const ay_tensor *t, double x)
{
	switch (ay_dt(t)) {
	case AY_F16: return ay_from_f16(ay_to_f16((float)x));
	case AY_BF16: return ay_from_bf16(ay_to_bf16((float)x));
	case AY_C64:
	case AY_F32: return (float)x;
	default: return x;
	}
}

/* Reads an element as PyTorch promotes it for a function with a float result: integers become f32, rounded once. */
static inline double ay_read_promoted(const ay_tensor *t, int64_t at)
{
	if (ay_dt(t) == AY_I64)
		return (float)((const int64_t *)t->data)[at];
	return t->dtype.code == AY_CODE_INT ? (float)ay_read(t, at) : ay_read(t, at);
}

/* Converts one element of any dtype to any dtype. Equal dtypes are copied byte by byte. */
static inline void ay_convert(const ay_tensor *src, int64_t from, const ay_tensor *dst, int64_t to)
{
	if (ay_dt(src) == ay_dt(dst) && src->flags == dst->flags)
		memcpy(ay_address(dst, to), ay_address(src, from), (size_t)ay_item_size(dst));
	else if (ay_is_integral(src) && ay_is_integral(dst))
		ay_write_int(dst, to, ay_read_int(src, from));
	else if (ay_dt(src) == AY_I64 && ay_dt(dst) == AY_F32) /* a double would round first */
		((float *)dst->data)[to] = (float)((const int64_t *)src->data)[from];
	else if (ay_dt(dst) == AY_B8)
		ay_write(dst, to, ay_read_part(src, from, 0) != 0 || ay_read_part(src, from, 1) != 0);
	else
		for (int part = 0; part <= ay_is_complex(dst); part++)
			ay_write_part(dst, to, part, ay_read_part(src, from, part));
}

/* --- rows of floats -------------------------------------------------------------------------------------- */

/* Converts n neighbours of dtype dt (f64, f32, f16, bf16) to f32. */
static inline void ay_floats_from(int32_t dt, const void *src, float *restrict dst, int64_t n)
{
	const uint16_t *h = (const uint16_t *)src;
	int64_t i = 0;

	if (dt == AY_F32) {
		memcpy(dst, src, (size_t)n * sizeof *dst);
	} else if (dt == AY_F64) {
		for (; i < n; i++)
			dst[i] = (float)((const double *)src)[i];
	} else if (dt == AY_BF16) {
		for (; i < n; i++)
			dst[i] = ay_from_bf16(h[i]);
	} else {
#ifdef __F16C__
		for (; i + 8 <= n; i += 8)
			_mm256_storeu_ps(dst + i, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(h + i))));
#endif
		for (; i < n; i++)
			dst[i] = ay_from_f16(h[i]);
	}
}

/* Converts n f32 to neighbours of dtype dt (f64, f32, f16, bf16). */
static inline void ay_floats_to(int32_t dt, const float *restrict src, void *dst, int64_t n)
{
	uint16_t *h = (uint16_t *)dst;
	int64_t i = 0;

	if (dt == AY_F32) {
		memcpy(dst, src, (size_t)n * sizeof *src);
	} else if (dt == AY_F64) {
		for (; i < n; i++)
			((double *)dst)[i] = src[i];
	} else if (dt == AY_BF16) {
		for (; i < n; i++)
			h[i] = ay_to_bf16(src[i]);
	} else {
#ifdef __F16C__
		for (; i + 8 <= n; i += 8)
			_mm_storeu_si128((__m128i *)(h + i),
					 _mm256_cvtps_ph(_mm256_loadu_ps(src + i), _MM_FROUND_TO_NEAREST_INT));
#endif
		for (; i < n; i++)
			h[i] = ay_to_f16(src[i]);
	}
}

/* Reads n neighbours from place `at` on as f32, into dst. */
static inline void ay_load_floats(const ay_tensor *t, int64_t at, float *dst, int64_t n)
{
	ay_floats_from(ay_dt(t), ay_address(t, at), dst, n);
}

static inline void ay_store_floats(const ay_tensor *t, int64_t at, const float *src, int64_t n)
{
	ay_floats_to(ay_dt(t), src, ay_address(t, at), n);
}

/* Returns n neighbours from place `at` on as f32: the tensor's own if it is f32, else converted into buf. */
static inline const float *ay_floats_at(const ay_tensor *t, int64_t at, float *buf, int64_t n)
{
	if (ay_dt(t) == AY_F32)
		return (const float *)t->data + at;
	ay_load_floats(t, at, buf, n);
	return buf;
}

#endif
