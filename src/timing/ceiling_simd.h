/* SPDX-License-Identifier: Apache-2.0
 *
 * ceiling_simd - the loops of one instruction set. Included once for each, with
 *
 *   SIMD(name)           name with the set's ending
 *   TARGET               function attribute
 *   V                    a vector of integers
 *   LOAD, STORE, STREAM  of one vector; STREAM bypasses the caches
 *   VF, VD, FMAF, FMAD   vectors of f32 and f64, and x * y + z
 *   CHAINS               independent chains that hide the latency of one
 *
 * No include guard: this file is included several times.
 */

enum { SIMD(BYTES) = sizeof(V) };

/* Eight vectors per iteration. AY_LOOP_STEP is a multiple of their size for every instruction
 * set. */
#define EACH8(M) M(0) M(1) M(2) M(3) M(4) M(5) M(6) M(7)
#define TURNS                                                                  \
	for (; times > 0; times--, ({ __asm__ volatile("" : : : "memory"); })) \
		for (size_t i = 0; i < n; i += 8 * SIMD(BYTES))
#define AT(p, k) ((p) + i + (k)*SIMD(BYTES))

TARGET static void SIMD(read_all)(char *a, char *b, char *c, size_t n, int times)
{
	V z = LOAD(a), s[8] = { z, z, z, z, z, z, z, z };

	(void)b, (void)c;
	TURNS
	{
#define M(k) s[k] |= LOAD(AT(a, k));
		EACH8(M)
#undef M
	}
	s[0] |= s[1] | s[2] | s[3] | s[4] | s[5] | s[6] | s[7];
	__asm__ volatile("" : : "m"(s[0])); /* keeps the compiler from removing the loads */
}

TARGET static void SIMD(write_all)(char *a, char *b, char *c, size_t n, int times)
{
	V x = LOAD(a);

	(void)b, (void)c;
	TURNS
	{
#define M(k) STORE(AT(a, k), x);
		EACH8(M)
#undef M
	}
}

TARGET static void SIMD(write_past)(char *a, char *b, char *c, size_t n, int times)
{
	V x = LOAD(a);

	(void)b, (void)c;
	TURNS
	{
#define M(k) STREAM(AT(a, k), x);
		EACH8(M)
#undef M
	}
}

TARGET static void SIMD(update)(char *a, char *b, char *c, size_t n, int times)
{
	(void)b, (void)c;
	TURNS
	{
#define M(k) STORE(AT(a, k), ~LOAD(AT(a, k)));
		EACH8(M)
#undef M
	}
}

TARGET static void SIMD(copy)(char *a, char *b, char *c, size_t n, int times)
{
	(void)c;
	TURNS
	{
#define M(k) STORE(AT(b, k), LOAD(AT(a, k)));
		EACH8(M)
#undef M
	}
}

TARGET static void SIMD(copy_past)(char *a, char *b, char *c, size_t n, int times)
{
	(void)c;
	TURNS
	{
#define M(k) STREAM(AT(b, k), LOAD(AT(a, k)));
		EACH8(M)
#undef M
	}
}

TARGET static void SIMD(join)(char *a, char *b, char *c, size_t n, int times)
{
	TURNS
	{
#define M(k) STORE(AT(c, k), LOAD(AT(a, k)) | LOAD(AT(b, k)));
		EACH8(M)
#undef M
	}
}

TARGET static void SIMD(join_past)(char *a, char *b, char *c, size_t n, int times)
{
	TURNS
	{
#define M(k) STREAM(AT(c, k), LOAD(AT(a, k)) | LOAD(AT(b, k)));
		EACH8(M)
#undef M
	}
}

/* x -> x/2 + 1 converges to 2 from any start: never a denormal, never an infinity. */
#define FLOPS(fn, T, E, FMA)                                                                                   \
	TARGET static double SIMD(fn)(int64_t rounds)                                                          \
	{                                                                                                      \
		T x[CHAINS], half = (T){ 0 } + (E)0.5, one = half + half;                                      \
                                                                                                               \
		for (int k = 0; k < CHAINS; k++)                                                               \
			x[k] = one * (E)(k + 1);                                                               \
		for (int64_t i = 0; i < rounds; i++) {                                                         \
			_Pragma("GCC unroll 16") for (int k = 0; k < CHAINS; k++) x[k] = FMA(x[k], half, one); \
		}                                                                                              \
		for (int k = 1; k < CHAINS; k++)                                                               \
			x[0] += x[k];                                                                          \
		return (double)x[0][0];                                                                        \
	}
FLOPS(flops_f32, VF, float, FMAF)
FLOPS(flops_f64, VD, double, FMAD)
#undef FLOPS

static const struct ay_loop SIMD(loops)[] = {
	{ "read", 1, 1, false, SIMD(read_all) },      { "write", 1, 1, false, SIMD(write_all) },
	{ "update", 1, 2, false, SIMD(update) },      { "copy", 2, 2, false, SIMD(copy) },
	{ "join", 3, 3, false, SIMD(join) },          { "write past", 1, 1, true, SIMD(write_past) },
	{ "copy past", 2, 2, true, SIMD(copy_past) }, { "join past", 3, 3, true, SIMD(join_past) },
};

static const struct ay_flop_loop SIMD(flops)[] = {
	{ false, 2.0 * CHAINS * sizeof(VF) / sizeof(float), SIMD(flops_f32) },
	{ true, 2.0 * CHAINS * sizeof(VD) / sizeof(double), SIMD(flops_f64) },
};

#undef EACH8
#undef TURNS
#undef AT
#undef SIMD
#undef TARGET
#undef V
#undef LOAD
#undef STORE
#undef STREAM
#undef VF
#undef VD
#undef FMAF
#undef FMAD
#undef CHAINS
