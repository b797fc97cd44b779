/* SPDX-License-Identifier: Apache-2.0 */
#include "timing/ceiling_loops.h"

#include <string.h>

#if defined __x86_64__
#include <immintrin.h>

typedef long long wide64 __attribute__((vector_size(64), may_alias));
typedef long long wide32 __attribute__((vector_size(32), may_alias));

#define SIMD(name)   name##_avx512
#define TARGET       __attribute__((target("avx512f")))
#define V            wide64
#define LOAD(p)      (*(const wide64 *)(p))
#define STORE(p, x)  (*(wide64 *)(p) = (x))
#define STREAM(p, x) _mm512_stream_si512((__m512i *)(void *)(p), (__m512i)(x))
#define VF           __m512
#define VD           __m512d
#define FMAF         _mm512_fmadd_ps
#define FMAD         _mm512_fmadd_pd
#define CHAINS       16
#include "timing/ceiling_simd.h"

#define SIMD(name)   name##_avx2
#define TARGET       __attribute__((target("avx2,fma")))
#define V            wide32
#define LOAD(p)      (*(const wide32 *)(p))
#define STORE(p, x)  (*(wide32 *)(p) = (x))
#define STREAM(p, x) _mm256_stream_si256((__m256i *)(void *)(p), (__m256i)(x))
#define VF           __m256
#define VD           __m256d
#define FMAF         _mm256_fmadd_ps
#define FMAD         _mm256_fmadd_pd
#define CHAINS       12 /* of 16 registers; two hold the constants */
#include "timing/ceiling_simd.h"
#endif

/* For every other CPU: vectors of 16 bytes, which the compiler maps to the available instructions.
 * This file is compiled with contraction, so that product and sum become one instruction if the
 * CPU has one. */
typedef long long wide16 __attribute__((vector_size(16), may_alias));
typedef float float4 __attribute__((vector_size(16)));
typedef double double2 __attribute__((vector_size(16)));

#define SIMD(name) name##_plain
#define TARGET
#define V             wide16
#define LOAD(p)       (*(const wide16 *)(p))
#define STORE(p, x)   (*(wide16 *)(p) = (x))
#define STREAM        STORE
#define VF            float4
#define VD            double2
#define FMAF(x, y, z) ((x) * (y) + (z))
#define FMAD(x, y, z) ((x) * (y) + (z))
#define CHAINS        12
#include "timing/ceiling_simd.h"

/* The C library has optimisations of its own, and kernels call it. */
static void libc_set(char *a, char *b, char *c, size_t n, int times)
{
	(void)b, (void)c;
	for (; times > 0; times--)
		memset(a, a[0], n);
}

static void libc_copy(char *a, char *b, char *c, size_t n, int times)
{
	(void)c;
	for (; times > 0; times--)
		memcpy(b, a, n);
}

static const struct ay_loop libc_loops[] = { { "memset", 1, 1, false, libc_set },
					     { "memcpy", 2, 2, false, libc_copy } };

enum set { PLAIN, AVX2, AVX512 };

static enum set best_set(void)
{
#if defined __x86_64__
	__builtin_cpu_init();
	if (__builtin_cpu_supports("avx512f"))
		return AVX512;
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
		return AVX2;
#endif
	return PLAIN;
}

#define ADD(list, n, from) (memcpy((list) + (n), from, sizeof(from)), (n) += (int)(sizeof(from) / sizeof *(from)))

int ay_loops(struct ay_loop *list)
{
	enum set set = best_set();
	int n = 0;

	ADD(list, n, libc_loops);
#if defined __x86_64__
	if (set >= AVX512)
		ADD(list, n, loops_avx512);
	if (set >= AVX2)
		ADD(list, n, loops_avx2);
#endif
	if (set == PLAIN)
		ADD(list, n, loops_plain);
	return n;
}

int ay_flop_loops(struct ay_flop_loop *list)
{
	enum set set = best_set();
	int n = 0;

#if defined __x86_64__
	if (set >= AVX512)
		ADD(list, n, flops_avx512);
	if (set >= AVX2)
		ADD(list, n, flops_avx2);
#endif
	if (set == PLAIN)
		ADD(list, n, flops_plain);
	return n;
}
