/* SPDX-License-Identifier: Apache-2.0 */
#include "tensor/half_rows.h"

#if defined __x86_64__
#include <immintrin.h>

/* F16C is older than AVX2, so a processor with AVX2 has both. Not every compiler can test
 * for F16C. */
#define TARGET __attribute__((target("avx2,f16c")))
#define HAVE() (__builtin_cpu_supports("avx2"))

enum { GROUP = 8 };

/* Converts four doubles to floats, rounding "to odd" (the reason is in dtype.c): bits that do not
 * fit in a float set the float's last bit. Subnormal floats are rounded once more, but no f16 is
 * that small. */
TARGET static inline __m128 odd(__m256d x)
{
	const __m256i rest = _mm256_set1_epi64x((1 << 29) - 1);
	const __m256i u = _mm256_castpd_si256(x);
	const __m256i mark = _mm256_add_epi64(_mm256_and_si256(u, rest), rest);

	return _mm256_cvtpd_ps(_mm256_castsi256_pd(_mm256_andnot_si256(rest, _mm256_or_si256(u, mark))));
}

TARGET static inline __m256 odd8(__m256d lo, __m256d hi)
{
	return _mm256_set_m128(odd(hi), odd(lo));
}

/* Returns a mask of the NaNs and of the nonzero numbers that are too small for a normal f32. */
TARGET static inline __m256d not_normal(__m256d x)
{
	const __m256d mag = _mm256_andnot_pd(_mm256_set1_pd(-0.0), x);

	return _mm256_and_pd(_mm256_cmp_pd(mag, _mm256_set1_pd(0x1p-126), _CMP_NGE_UQ),
			     _mm256_cmp_pd(mag, _mm256_setzero_pd(), _CMP_NEQ_UQ));
}

TARGET static int64_t load_f16(const uint16_t *src, int64_t n, double *dst)
{
	const __m128i mag = _mm_set1_epi16(0x7fff), inf = _mm_set1_epi16(0x7c00);
	int64_t i = 0;

	for (; i + GROUP <= n; i += GROUP) {
		const __m128i v = _mm_loadu_si128((const __m128i *)(src + i));
		const __m128i nan = _mm_cmpgt_epi16(_mm_and_si128(v, mag), inf);
		const __m256 f = _mm256_cvtph_ps(v);

		if (!_mm_testz_si128(nan, nan))
			break;
		_mm256_storeu_pd(dst + i, _mm256_cvtps_pd(_mm256_castps256_ps128(f)));
		_mm256_storeu_pd(dst + i + 4, _mm256_cvtps_pd(_mm256_extractf128_ps(f, 1)));
	}
	return i;
}

TARGET static int64_t store_f16(uint16_t *dst, int64_t n, const double *src)
{
	int64_t i = 0;

	for (; i + GROUP <= n; i += GROUP) {
		const __m256 f = odd8(_mm256_loadu_pd(src + i), _mm256_loadu_pd(src + i + 4));

		if (_mm256_movemask_ps(_mm256_cmp_ps(f, f, _CMP_UNORD_Q)))
			break;
		_mm_storeu_si128((__m128i *)(dst + i), _mm256_cvtps_ph(f, _MM_FROUND_TO_NEAREST_INT));
	}
	return i;
}

/* A bf16 is the upper half of a float. A carry out of the largest finite value gives infinity
 * without special handling. */
TARGET static int64_t store_bf16(uint16_t *dst, int64_t n, const double *src)
{
	const __m256i half = _mm256_set1_epi32(0x7fff), one = _mm256_set1_epi32(1);
	int64_t i = 0;

	for (; i + GROUP <= n; i += GROUP) {
		const __m256d lo = _mm256_loadu_pd(src + i), hi = _mm256_loadu_pd(src + i + 4);
		const __m256i f = _mm256_castps_si256(odd8(lo, hi));
		const __m256i even = _mm256_and_si256(_mm256_srli_epi32(f, 16), one);
		const __m256i q = _mm256_srli_epi32(_mm256_add_epi32(_mm256_add_epi32(f, half), even), 16);

		if (_mm256_movemask_pd(_mm256_or_pd(not_normal(lo), not_normal(hi))))
			break;
		_mm_storeu_si128((__m128i *)(dst + i),
				 _mm_packus_epi32(_mm256_castsi256_si128(q), _mm256_extracti128_si256(q, 1)));
	}
	return i;
}

#define DOOR(does, ...) (HAVE() ? does(__VA_ARGS__) : 0)
#else
#define DOOR(does, ...) 0
#endif

int64_t ay_f16_load(const void *src, int64_t n, double *dst)
{
	(void)src, (void)n, (void)dst;
	return DOOR(load_f16, src, n, dst);
}

int64_t ay_f16_store(void *dst, int64_t n, const double *src)
{
	(void)dst, (void)n, (void)src;
	return DOOR(store_f16, dst, n, src);
}

int64_t ay_bf16_store(void *dst, int64_t n, const double *src)
{
	(void)dst, (void)n, (void)src;
	return DOOR(store_bf16, dst, n, src);
}
