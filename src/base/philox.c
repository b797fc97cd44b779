/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Theory of operation. A block is ten rounds of two products of 64 by 64 bits. In a run only the
 * first word of the counter increases. So one of the two products is equal for all blocks in the
 * first round, and one in the second round; both are computed once.
 *
 * With AVX-512 sixteen blocks are made at a time, in two vectors. The rounds of the two vectors are
 * interleaved, because each waits for its own products. A product of 64 by 64 bits is made of four
 * of 32 by 32 bits. (Products of 52 bits, which newer processors have, were slower, and so were
 * several blocks at a time in scalar registers.)
 */
#include "base/multiversion.h"
#include "base/rng.h"

#include <string.h>

#define M0 0xD2E7470EE14C6C93u
#define M1 0xCA5A826395121157u
#define W0 0x9E3779B97F4A7C15u
#define W1 0xBB67AE8584CAA73Bu

enum { ROUNDS = 10 };

typedef unsigned __int128 wide;

static inline uint64_t high(wide p)
{
	return (uint64_t)(p >> 64);
}

void ay_philox(struct ay_key key, const uint64_t counter[4], uint64_t out[4])
{
	uint64_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
	uint64_t k0 = key.k[0], k1 = key.k[1];

	for (int i = 0; i < ROUNDS; i++, k0 += W0, k1 += W1) {
		const wide p0 = (wide)M0 * c0, p1 = (wide)M1 * c2;

		c0 = high(p1) ^ c1 ^ k0;
		c1 = (uint64_t)p1;
		c2 = high(p0) ^ c3 ^ k1;
		c3 = (uint64_t)p0;
	}
	memcpy(out, (const uint64_t[4]){ c0, c1, c2, c3 }, 4 * sizeof *out);
}

/* The values that are equal for all blocks of a run. */
struct run {
	uint64_t first;        /* counter */
	uint64_t k[ROUNDS][2]; /* keys of the rounds */
	uint64_t x2;           /* after the first product: its high half ^ x2 is word 2 */
	/* after the second product: its high half ^ x0 is word 0, y2 ^ word 3 is word 2, y3 is
	 * word 3 */
	uint64_t x0, y2, y3;
};

static struct run start(struct ay_key key, const uint64_t c[4])
{
	const wide p1 = (wide)M1 * c[2];
	struct run r = { .first = c[0] };
	wide p0;

	for (uint64_t i = 0; i < ROUNDS; i++) {
		r.k[i][0] = key.k[0] + i * W0;
		r.k[i][1] = key.k[1] + i * W1;
	}
	r.x2 = c[3] ^ r.k[0][1];
	p0 = (wide)M0 * (high(p1) ^ c[1] ^ r.k[0][0]);
	r.x0 = (uint64_t)p1 ^ r.k[1][0];
	r.y2 = high(p0) ^ r.k[1][1];
	r.y3 = (uint64_t)p0;
	return r;
}

static inline void block(const struct run *r, int64_t i, uint64_t out[4])
{
	const wide a = (wide)M0 * (r->first + (uint64_t)i), b = (wide)M1 * (high(a) ^ r->x2);
	uint64_t c0 = high(b) ^ r->x0, c1 = (uint64_t)b, c2 = (uint64_t)a ^ r->y2, c3 = r->y3;

#pragma GCC unroll 8
	for (int k = 2; k < ROUNDS; k++) {
		const wide p0 = (wide)M0 * c0, p1 = (wide)M1 * c2;

		c0 = high(p1) ^ c1 ^ r->k[k][0];
		c1 = (uint64_t)p1;
		c2 = high(p0) ^ c3 ^ r->k[k][1];
		c3 = (uint64_t)p0;
	}
	out[0] = c0;
	out[1] = c1;
	out[2] = c2;
	out[3] = c3;
}

/* Returns the sum of the four 16-bit words of x. */
static inline uint64_t word_sum(uint64_t x)
{
	x = (x & 0x0000ffff0000ffff) + (x >> 16 & 0x0000ffff0000ffff);
	return (x & 0xffffffff) + (x >> 32);
}

AY_MULTIVERSION("bmi2") static void run_plain(const struct run *r, int64_t i, int64_t n, uint64_t (*out)[4])
{
	for (; i < n; i++)
		block(r, i, out[i]);
}

AY_MULTIVERSION("bmi2") static void sums_plain(const struct run *r, int64_t i, int64_t n, int32_t (*sum)[2])
{
	for (; i < n; i++) {
		uint64_t b[4];

		block(r, i, b);
		sum[i][0] = (int32_t)(word_sum(b[0]) + word_sum(b[1]));
		sum[i][1] = (int32_t)(word_sum(b[2]) + word_sum(b[3]));
	}
}

/* --- sixteen blocks at a time ----------------------------------------------------------------- */

#if defined __x86_64__
#include <immintrin.h>

#define TARGET __attribute__((target("avx512f")))
#define HAVE() (__builtin_cpu_supports("avx512f"))

enum { LANES = 8, VECTORS = 2, AT_ONCE = LANES * VECTORS };

/* Words 0 to 3 of eight blocks; each lane is a block. */
struct eight {
	__m512i c[4];
};

struct wide_product {
	__m512i low, high;
};

/* Returns c * m, with c = c1 : c0 and m = m1 : m0 in halves of 32 bits. The sum of c1 m0 and
 * the upper half of c0 m0 cannot overflow a word; nor can the sum of c0 m1 and the lower half
 * of that. */
TARGET static inline struct wide_product times(__m512i c, uint64_t m)
{
	const __m512i m0 = _mm512_set1_epi64((int64_t)m), m1 = _mm512_set1_epi64((int64_t)(m >> 32));
	const __m512i c1 = _mm512_srli_epi64(c, 32), low = _mm512_mul_epu32(c, m0);
	const __m512i t = _mm512_add_epi64(_mm512_mul_epu32(c1, m0), _mm512_srli_epi64(low, 32));
	const __m512i u = _mm512_add_epi64(_mm512_mul_epu32(c, m1),
					   _mm512_and_si512(t, _mm512_set1_epi64(0xffffffff)));
	const __m512i high = _mm512_add_epi64(_mm512_mul_epu32(c1, m1), _mm512_srli_epi64(t, 32));

	return (struct wide_product){ _mm512_mask_shuffle_epi32(low, 0xaaaa, u, _MM_PERM_CCAA),
				      _mm512_add_epi64(high, _mm512_srli_epi64(u, 32)) };
}

TARGET static inline __m512i xor3(__m512i a, __m512i b, uint64_t c)
{
	return _mm512_ternarylogic_epi64(a, b, _mm512_set1_epi64((int64_t)c), 0x96);
}

TARGET static inline __m512i xor2(__m512i a, uint64_t b)
{
	return _mm512_xor_si512(a, _mm512_set1_epi64((int64_t)b));
}

TARGET static inline void blocks(const struct run *r, int64_t i, struct eight v[VECTORS])
{
	const __m512i places = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);

	for (int j = 0; j < VECTORS; j++) {
		const int64_t first = (int64_t)(r->first + (uint64_t)(i + j * LANES));
		const struct wide_product a = times(_mm512_add_epi64(_mm512_set1_epi64(first), places), M0);
		const struct wide_product b = times(xor2(a.high, r->x2), M1);

		v[j] = (struct eight){ { xor2(b.high, r->x0), b.low, xor2(a.low, r->y2),
					 _mm512_set1_epi64((int64_t)r->y3) } };
	}
	for (int k = 2; k < ROUNDS; k++)
#pragma GCC unroll 2
		for (int j = 0; j < VECTORS; j++) {
			const struct wide_product p0 = times(v[j].c[0], M0), p1 = times(v[j].c[2], M1);

			v[j] = (struct eight){ { xor3(p1.high, v[j].c[1], r->k[k][0]), p1.low,
						 xor3(p0.high, v[j].c[3], r->k[k][1]), p0.low } };
		}
}

/* Transposes: each lane becomes a row of `out`. */
TARGET static inline void put(const struct eight *v, uint64_t (*out)[4])
{
	const __m512i a = _mm512_unpacklo_epi64(v->c[0], v->c[1]), b = _mm512_unpackhi_epi64(v->c[0], v->c[1]);
	const __m512i c = _mm512_unpacklo_epi64(v->c[2], v->c[3]), d = _mm512_unpackhi_epi64(v->c[2], v->c[3]);
	const __m512i lo = _mm512_set_epi64(11, 10, 3, 2, 9, 8, 1, 0),
		      hi = _mm512_set_epi64(15, 14, 7, 6, 13, 12, 5, 4);
	/* halves of blocks 0 and 2, 4 and 6; of 1 and 3, 5 and 7 */
	const __m512i even[2] = { _mm512_permutex2var_epi64(a, lo, c), _mm512_permutex2var_epi64(a, hi, c) };
	const __m512i odd[2] = { _mm512_permutex2var_epi64(b, lo, d), _mm512_permutex2var_epi64(b, hi, d) };

	for (int j = 0; j < 2; j++) {
		_mm512_storeu_si512(out[4 * j], _mm512_shuffle_i64x2(even[j], odd[j], 0x44));
		_mm512_storeu_si512(out[4 * j + 2], _mm512_shuffle_i64x2(even[j], odd[j], 0xee));
	}
}

/* Returns, in each half of a lane, a part of the sum of its words. The two halves still have to
 * be added. */
TARGET static inline __m512i halves(__m512i a, __m512i b)
{
	const __m512i word = _mm512_set1_epi32(0xffff);
	const __m512i lower = _mm512_add_epi32(_mm512_and_si512(a, word), _mm512_and_si512(b, word));

	return _mm512_add_epi32(lower, _mm512_add_epi32(_mm512_srli_epi32(a, 16), _mm512_srli_epi32(b, 16)));
}

TARGET static inline void put_sums(const struct eight *v, int32_t (*sum)[2])
{
	const __m512i a = halves(v->c[0], v->c[1]), b = halves(v->c[2], v->c[3]);
	const __m512i lower = _mm512_mask_shuffle_epi32(a, 0xaaaa, b, _MM_PERM_CCAA);
	const __m512i upper = _mm512_mask_shuffle_epi32(b, 0x5555, a, _MM_PERM_DDBB);

	_mm512_storeu_si512(sum, _mm512_add_epi32(lower, upper));
}

TARGET static int64_t run_fast(const struct run *r, int64_t n, uint64_t (*out)[4])
{
	struct eight v[VECTORS];
	int64_t i = 0;

	for (; i + AT_ONCE <= n; i += AT_ONCE) {
		blocks(r, i, v);
		for (int j = 0; j < VECTORS; j++)
			put(&v[j], out + i + j * LANES);
	}
	return i;
}

TARGET static int64_t sums_fast(const struct run *r, int64_t n, int32_t (*sum)[2])
{
	struct eight v[VECTORS];
	int64_t i = 0;

	for (; i + AT_ONCE <= n; i += AT_ONCE) {
		blocks(r, i, v);
		for (int j = 0; j < VECTORS; j++)
			put_sums(&v[j], sum + i + j * LANES);
	}
	return i;
}

#define FAST(does, ...) (HAVE() ? does(__VA_ARGS__) : 0)
#else
#define FAST(does, ...) 0
#endif

void ay_philox_run(struct ay_key key, const uint64_t counter[4], int64_t n, uint64_t (*out)[4])
{
	const struct run r = start(key, counter);

	run_plain(&r, FAST(run_fast, &r, n, out), n, out);
}

void ay_philox_sums(struct ay_key key, const uint64_t counter[4], int64_t n, int32_t (*sum)[2])
{
	const struct run r = start(key, counter);

	sums_plain(&r, FAST(sums_fast, &r, n, sum), n, sum);
}
