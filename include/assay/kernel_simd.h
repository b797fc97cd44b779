/* SPDX-License-Identifier: Apache-2.0
 *
 * Vectors of f32 for a kernel in C, as the vector types of gcc and clang: arithmetic and comparisons are C's operators.
 * AY_LANES numbers make a vector: 16 with AVX-512, else 8. A kernel that needs 8 defines AY_LANES as 8 before it includes
 * this. f16 and bf16 are converted when they are loaded and stored; a `dt` that is a constant costs nothing.
 */
#ifndef ASSAY_KERNEL_SIMD_H
#define ASSAY_KERNEL_SIMD_H

#include <assay/kernel.h>
#include <math.h>
#include <string.h>
#if defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
#include <immintrin.h>
#endif

#if !defined(AY_LANES) && defined(__AVX512F__)
#define AY_LANES 16
#elif !defined(AY_LANES)
#define AY_LANES 8
#endif

/* The intrinsic for a whole vector; undefined where there is none. */
#if AY_LANES == 16 && defined(__AVX512F__)
#define AY_AVX(name) _mm512_##name
#elif AY_LANES == 8 && defined(__AVX2__) && defined(__FMA__) && defined(__F16C__)
#define AY_AVX(name) _mm256_##name
#endif

#pragma GCC diagnostic ignored "-Wpsabi" /* vectors are passed to inlined functions only */

/* For functions whose arguments, dtypes or other functions, are constants where they are called. */
#define AY_INLINE static inline __attribute__((always_inline, unused))

typedef float ay_vec __attribute__((vector_size(4 * AY_LANES)));
typedef uint32_t ay_vec_u32 __attribute__((vector_size(4 * AY_LANES)));
typedef int32_t ay_vec_i32 __attribute__((vector_size(4 * AY_LANES)));
typedef uint16_t ay_vec_u16 __attribute__((vector_size(2 * AY_LANES)));
typedef long long ay_vec_half __attribute__((vector_size(2 * AY_LANES))); /* u16 as intrinsics take them */

/* Returns the size of an element that ay_load_vec takes. */
AY_INLINE int64_t ay_vec_item(int32_t dt)
{
	return dt == AY_F32 ? 4 : 2;
}

AY_INLINE ay_vec ay_vec_of(float x)
{
	return (ay_vec){ 0 } + x;
}

/* --- loads and stores ------------------------------------------------------------------------------------ */

/* Loads AY_LANES numbers of dtype dt (f32, f16, bf16). */
AY_INLINE ay_vec ay_load_vec(int32_t dt, const void *p)
{
	ay_vec_u16 h;
	ay_vec v;

	if (dt == AY_F32) {
		memcpy(&v, p, sizeof v);
		return v;
	}
	memcpy(&h, p, sizeof h);
	if (dt == AY_BF16)
		return (ay_vec)(__builtin_convertvector(h, ay_vec_u32) << 16);
#ifdef AY_AVX
	v = (ay_vec)AY_AVX(cvtph_ps)((ay_vec_half)h);
	__asm__("" : "+v"(v)); /* else clang compares them as f16, one by one */
#else
	for (int e = 0; e < AY_LANES; e++)
		v[e] = ay_from_f16(h[e]);
#endif
	return v;
}

/* Rounds to f16 or bf16, to nearest even. */
AY_INLINE ay_vec_u16 ay_vec_to_half(int32_t dt, ay_vec v)
{
	const ay_vec_u32 u = (ay_vec_u32)v, nan = (ay_vec_u32)(v != v), up = (u + 0x7fff + (u >> 16 & 1)) >> 16;

	if (dt == AY_BF16)
		return __builtin_convertvector((nan & 0x7fc0) | (~nan & up), ay_vec_u16);
#ifdef AY_AVX
	return (ay_vec_u16)AY_AVX(cvtps_ph)(v, _MM_FROUND_TO_NEAREST_INT);
#else
	ay_vec_u16 h;

	for (int e = 0; e < AY_LANES; e++)
		h[e] = ay_to_f16(v[e]);
	return h;
#endif
}

/* Stores AY_LANES numbers as dtype dt. `stream` goes past the caches, which a result larger than they are would only
 * sweep out; p must be aligned to the size of the vector then, and ay_stream_fence() must follow. */
AY_INLINE void ay_store_vec(int32_t dt, void *p, ay_vec v, bool stream)
{
	const ay_vec_u16 h = dt == AY_F32 ? (ay_vec_u16){ 0 } : ay_vec_to_half(dt, v);

	(void)stream;
#ifdef __clang__
	if (stream && dt == AY_F32)
		__builtin_nontemporal_store(v, (ay_vec *)p);
	else if (stream)
		__builtin_nontemporal_store(h, (ay_vec_u16 *)p);
	else
#endif
		memcpy(p, dt == AY_F32 ? (const void *)&v : (const void *)&h, dt == AY_F32 ? sizeof v : sizeof h);
}

/* Loads the first n of AY_LANES numbers, or all of them if n is larger; the others are 0. */
AY_INLINE ay_vec ay_load_some(int32_t dt, const void *p, int64_t n)
{
	ay_vec some = { 0 };

	if (n >= AY_LANES)
		return ay_load_vec(dt, p);
	memcpy(&some, p, (size_t)(n * ay_vec_item(dt)));
	return ay_load_vec(dt, &some);
}

AY_INLINE void ay_store_some(int32_t dt, void *p, ay_vec v, int64_t n)
{
	ay_vec some = { 0 };

	if (n >= AY_LANES) {
		ay_store_vec(dt, p, v, false);
	} else {
		ay_store_vec(dt, &some, v, false);
		memcpy(p, &some, (size_t)(n * ay_vec_item(dt)));
	}
}

/* Makes streamed stores visible to other threads. */
static inline void ay_stream_fence(void)
{
#ifdef AY_AVX
	_mm_sfence();
#endif
}

/* --- functions ------------------------------------------------------------------------------------------- */

/* Returns a where the comparison `where` holds, else b. */
AY_INLINE ay_vec ay_select(ay_vec_i32 where, ay_vec a, ay_vec b)
{
	return (ay_vec)((where & (ay_vec_i32)a) | (~where & (ay_vec_i32)b));
}

AY_INLINE bool ay_any(ay_vec_i32 where)
{
#if defined(AY_AVX) && AY_LANES == 16
	return _mm512_test_epi32_mask((__m512i)where, (__m512i)where);
#elif defined(AY_AVX)
	return _mm256_movemask_ps((__m256)where);
#else
	int32_t all = 0;

	for (int e = 0; e < AY_LANES; e++)
		all |= where[e];
	return all;
#endif
}

AY_INLINE ay_vec ay_vec_abs(ay_vec x)
{
	return (ay_vec)((ay_vec_u32)x & 0x7fffffff);
}

/* Returns p 2^k for whole k, in two factors so that subnormals come out right. */
AY_INLINE ay_vec ay_vec_scale(ay_vec p, ay_vec k)
{
#if defined(AY_AVX) && AY_LANES == 16
	return (ay_vec)_mm512_scalef_ps((__m512)p, (__m512)k);
#else
	const ay_vec_i32 i = __builtin_convertvector(k, ay_vec_i32), half = i >> 1;

	return p * (ay_vec)((half + 127) << 23) * (ay_vec)((i - half + 127) << 23);
#endif
}

/* Returns e^x for -110 <= x <= 88: 2^k e^r. */
AY_INLINE ay_vec ay_vec_exp(ay_vec x)
{
	const ay_vec magic = ay_vec_of(0x1.8p23f), k = x * 1.44269504f + magic - magic;
	const ay_vec r = x - k * 0.693359375f + k * 2.12194440e-4f;
	ay_vec p = r * 1.9875691500e-4f + 1.3981999507e-3f;

	p = p * r + 8.3334519073e-3f;
	p = p * r + 4.1665795894e-2f;
	p = p * r + 1.6666665459e-1f;
	p = p * r + 5.0000001201e-1f;
	return ay_vec_scale(p * (r * r) + r + 1, k);
}

/* Returns e^x for x <= 0, one number, in a loop that the compiler vectorises: 2^k e^r with |r| <= ln(2) / 2. Below the
 * normal numbers it is 0. */
AY_INLINE float ay_exp_negative(float x)
{
	const float shifted = x * 1.44269504f + 12582912.0f; /* 1.5 * 2^23: k in the last bits */
	const float k = shifted - 12582912.0f, r = x - k * 0.693359375f - k * -2.12194440e-4f;
	float p = 1.9875691500e-4f;

	p = p * r + 1.3981999507e-3f;
	p = p * r + 8.3334519073e-3f;
	p = p * r + 4.1665795894e-2f;
	p = p * r + 1.6666665459e-1f;
	p = p * r + 5.0000001201e-1f;
	p = p * r * r + r + 1;
	p *= ay_bits_f32((ay_f32_bits(shifted) << 23) + 0x3f800000u);
	return x < -87.3365f ? 0 : p;
}

/* Quarter turns for sines and cosines: x - k pi/2. pi/2 comes in three parts; the first difference is exact and the others
 * are rounded once, so that the rest is good to its last bits also where it nearly is 0. */
AY_INLINE ay_vec ay_vec_quarter_rest(ay_vec x, ay_vec k)
{
#ifdef AY_AVX
	static const float part[] = { 0x1.921fb6p+0f, -0x1.777a5cp-25f, -0x1.ee59dap-50f };

	for (int i = 0; i < 3; i++)
		x = (ay_vec)AY_AVX(fnmadd_ps)(k, AY_AVX(set1_ps)(part[i]), x);
#else
	(void)k; /* not called: see ay_vec_sine */
#endif
	return x;
}

/* Returns sin(x + turns pi/2): a sine is turns 0, a cosine is turns 1. Polynomials in r^2 for the rest r in
 * [-pi/4, pi/4]; large x, NaN and infinity go to `exact`, which has all bits of pi. */
AY_INLINE ay_vec ay_vec_sine(ay_vec x, int32_t turns, float (*exact)(float))
{
#ifdef AY_AVX
	const float farthest = 32768; /* k is below 2^15: the third part of pi/2 is enough for it */
#else
	const float farthest = 0;
#endif
	const ay_vec_i32 far = ~(ay_vec_abs(x) < farthest);
	const ay_vec magic = ay_vec_of(0x1.8p23f),
		     k = ay_select(far, ay_vec_of(0), x) * 0.636619772f + magic - magic;
	const ay_vec r = ay_vec_quarter_rest(x, k), z = r * r;
	const ay_vec_i32 turn = __builtin_convertvector(k, ay_vec_i32) + turns, odd = -(turn & 1);
	ay_vec sine = z * -1.9515295891e-4f + 8.3321608736e-3f,
	       cosine = z * 2.443315711809948e-5f - 1.388731625493765e-3f;
	ay_vec y;

	sine = (sine * z - 1.6666654611e-1f) * z * r + r;
	cosine = (cosine * z + 4.166664568298827e-2f) * (z * z) - 0.5f * z + 1;
	y = (ay_vec)((ay_vec_i32)ay_select(odd, cosine, sine) ^ (turn >> 1 << 31));
	if (ay_any(far))
		for (int e = 0; e < AY_LANES; e++)
			y[e] = far[e] ? exact(x[e]) : y[e];
	return y;
}

#endif
