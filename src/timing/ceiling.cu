/* SPDX-License-Identifier: Apache-2.0
 *
 * ceiling.cu - every known way to access a GPU's memory fast, and to multiply and add fast.
 *
 * NVRTC compiles this file for the present GPU, so it includes no header. Each kernel for memory
 * goes `times` times through `parts` pieces of n vectors of 16 bytes. n is a multiple of what a
 * block processes at once. Loads bypass the L1. It keeps nothing from one launch to the next, so
 * it can serve no byte that a kernel must touch.
 */
typedef unsigned int u32;
typedef unsigned long long u64;

#define DEVICE static __device__ __forceinline__
#define KERNEL extern "C" __global__ void

DEVICE uint4 load16(const uint4 *p)
{
	uint4 v;

	asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
		     : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
		     : "l"(p)
		     : "memory");
	return v;
}

DEVICE void store16(uint4 *p, uint4 v)
{
	asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};"
		     :
		     : "l"(p), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w)
		     : "memory");
}

/* Stores data that will not be read again soon. */
DEVICE void store16s(uint4 *p, uint4 v)
{
	asm volatile("st.global.cs.v4.u32 [%0], {%1, %2, %3, %4};"
		     :
		     : "l"(p), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w)
		     : "memory");
}

DEVICE uint4 or16(uint4 a, uint4 b)
{
	return make_uint4(a.x | b.x, a.y | b.y, a.z | b.z, a.w | b.w);
}

/* A block processes tiles of U vectors per thread, every gridDim.x-th of them. */
#define TILES(U)                                                                    \
	for (; times; times--)                                                      \
		for (u64 i = (u64)blockIdx.x * blockDim.x * U + threadIdx.x; i < n; \
		     i += (u64)gridDim.x * blockDim.x * U)
#define EACH(U) _Pragma("unroll") for (int k = 0; k < U; k++)
#define AT(p)   ((p) + i + k * blockDim.x)

#define WAYS(U)                                                                                 \
	KERNEL read##U(uint4 *a, uint4 *b, uint4 *c, u64 n, u32 times)                          \
	{                                                                                       \
		uint4 s = make_uint4(0, 0, 0, 0);                                               \
                                                                                                \
		TILES(U)                                                                        \
		{                                                                               \
			uint4 v[U];                                                             \
                                                                                                \
			EACH(U) v[k] = load16(AT(a));                                           \
			EACH(U) s = or16(s, v[k]);                                              \
		}                                                                               \
		if ((s.x & s.y & s.z & s.w) == 0x12345678) /* never true; keeps the loads */    \
			store16(a, s);                                                          \
	}                                                                                       \
	KERNEL write##U(uint4 *a, uint4 *b, uint4 *c, u64 n, u32 times)                         \
	{                                                                                       \
		TILES(U)                                                                        \
		{                                                                               \
			EACH(U) store16(AT(a), make_uint4((u32)i + k, times, 1, 2));            \
		}                                                                               \
	}                                                                                       \
	KERNEL update##U(uint4 *a, uint4 *b, uint4 *c, u64 n, u32 times)                        \
	{                                                                                       \
		TILES(U)                                                                        \
		{                                                                               \
			uint4 v[U];                                                             \
                                                                                                \
			EACH(U) v[k] = load16(AT(a));                                           \
			EACH(U) store16(AT(a), make_uint4(~v[k].x, ~v[k].y, ~v[k].z, ~v[k].w)); \
		}                                                                               \
	}                                                                                       \
	KERNEL copy##U(uint4 *a, uint4 *b, uint4 *c, u64 n, u32 times)                          \
	{                                                                                       \
		TILES(U)                                                                        \
		{                                                                               \
			uint4 v[U];                                                             \
                                                                                                \
			EACH(U) v[k] = load16(AT(a));                                           \
			EACH(U) store16s(AT(b), v[k]);                                          \
		}                                                                               \
	}                                                                                       \
	KERNEL join##U(uint4 *a, uint4 *b, uint4 *c, u64 n, u32 times)                          \
	{                                                                                       \
		TILES(U)                                                                        \
		{                                                                               \
			uint4 v[U];                                                             \
                                                                                                \
			EACH(U) v[k] = or16(load16(AT(a)), load16(AT(b)));                      \
			EACH(U) store16(AT(c), v[k]);                                           \
		}                                                                               \
	}
WAYS(2)
WAYS(4)
WAYS(8)

/* --- the copy engine of an SM (generation 9 and later) ----------------------------------------------------- */

enum { CHUNK = 8192, STAGES = 4, PATIENCE = 1 << 22 };

#if __CUDA_ARCH__ >= 900
DEVICE u32 in_shared(const void *p)
{
	return (u32)__cvta_generic_to_shared(p);
}

DEVICE void barrier_init(u64 *bar)
{
	asm volatile("mbarrier.init.shared.b64 [%0], 1;" : : "r"(in_shared(bar)) : "memory");
}

DEVICE void bulk_load(char *to, const char *from, u64 *bar)
{
	asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;"
		     :
		     : "r"(in_shared(bar)), "r"((u32)CHUNK)
		     : "memory");
	asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
		     :
		     : "r"(in_shared(to)), "l"(from), "r"((u32)CHUNK), "r"(in_shared(bar))
		     : "memory");
}

DEVICE void bulk_store(char *to, const char *from)
{
	asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\n\tcp.async.bulk.commit_group;"
		     :
		     : "l"(to), "r"(in_shared(from)), "r"((u32)CHUNK)
		     : "memory");
}

/* Waits for a limited time: a GPU that hangs takes its machine with it. */
DEVICE void barrier_wait(u64 *bar, u32 phase)
{
	for (u32 ready = 0, i = 0; !ready && i < PATIENCE; i++)
		asm volatile("{\n\t.reg .pred p;\n\tmbarrier.try_wait.parity.shared.b64 p, [%1], %2;\n\t"
			     "selp.u32 %0, 1, 0, p;\n\t}"
			     : "=r"(ready)
			     : "r"(in_shared(bar)), "r"(phase)
			     : "memory");
}

/* One thread of a block keeps STAGES chunks in flight. */
struct ring {
	u64 total, mine, chunks; /* iterations of this block; its chunks; all chunks */
};

DEVICE ring ring_of(u64 n, u32 times)
{
	ring r;

	r.chunks = n / (CHUNK / 16);
	r.mine = blockIdx.x < r.chunks ? (r.chunks - blockIdx.x + gridDim.x - 1) / gridDim.x : 0;
	r.total = r.mine * times;
	return r;
}

DEVICE u64 chunk_at(const ring &r, u64 turn)
{
	return (blockIdx.x + turn % r.mine * gridDim.x) * CHUNK;
}
#define SHARED                                             \
	__shared__ __align__(128) char buf[STAGES][CHUNK]; \
	__shared__ __align__(8) u64 bar[STAGES]
#define BEGIN                                                                \
	const ring r = ring_of(n, times);                                    \
	for (int s = 0; s < STAGES; s++)                                     \
		barrier_init(&bar[s]);                                       \
	asm volatile("fence.mbarrier_init.release.cluster;" : : : "memory"); \
	for (u64 t = 0; t < STAGES && t < r.total; t++)                      \
	bulk_load(buf[t], (const char *)a + chunk_at(r, t), &bar[t])
#endif

KERNEL bulk_read(uint4 *a, uint4 *b, uint4 *c, u64 n, u32 times)
{
#if __CUDA_ARCH__ >= 900
	SHARED;
	if (threadIdx.x)
		return;
	BEGIN;
	for (u64 t = 0; t < r.total; t++) {
		const int s = t % STAGES;

		barrier_wait(&bar[s], t / STAGES & 1);
		if (t + STAGES < r.total)
			bulk_load(buf[s], (const char *)a + chunk_at(r, t + STAGES), &bar[s]);
	}
#endif
}

KERNEL bulk_copy(uint4 *a, uint4 *b, uint4 *c, u64 n, u32 times)
{
#if __CUDA_ARCH__ >= 900
	SHARED;
	if (threadIdx.x)
		return;
	BEGIN;
	for (u64 t = 0; t < r.total; t++) {
		const int s = t % STAGES;

		barrier_wait(&bar[s], t / STAGES & 1);
		bulk_store((char *)b + chunk_at(r, t), buf[s]);
		/* all stores but this one have left their buffers: the previous one can be filled
		 * again */
		asm volatile("cp.async.bulk.wait_group.read 1;" : : : "memory");
		if (t && t - 1 + STAGES < r.total)
			bulk_load(buf[(t - 1) % STAGES], (const char *)a + chunk_at(r, t - 1 + STAGES),
				  &bar[(t - 1) % STAGES]);
	}
	asm volatile("cp.async.bulk.wait_group 0;" : : : "memory");
#endif
}

KERNEL bulk_write(uint4 *a, uint4 *b, uint4 *c, u64 n, u32 times)
{
#if __CUDA_ARCH__ >= 900
	__shared__ __align__(128) char buf[CHUNK];
	const ring r = ring_of(n, times);

	for (int i = threadIdx.x; i < CHUNK; i += blockDim.x)
		buf[i] = (char)(i * 7);
	asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
	__syncthreads();
	if (threadIdx.x)
		return;
	for (u64 t = 0; t < r.total; t++) {
		bulk_store((char *)a + chunk_at(r, t), buf);
		asm volatile("cp.async.bulk.wait_group.read 8;" : : : "memory");
	}
	asm volatile("cp.async.bulk.wait_group 0;" : : : "memory");
#endif
}

/* --- arithmetic, content, nothing -------------------------------------------------------------------------- */

/* x -> x/2 + 1 converges to 2 from any start: never a denormal, never an infinity. */
#define FLOPS(name, T, FMA)                                           \
	KERNEL name(T *out, u32 rounds)                               \
	{                                                             \
		T x[CHAINS];                                          \
                                                                      \
		EACH(CHAINS) x[k] = (T)(threadIdx.x + k);             \
		_Pragma("unroll 16") for (u32 i = 0; i < rounds; i++) \
		{                                                     \
			EACH(CHAINS) x[k] = FMA(x[k], (T)0.5, (T)1);  \
		}                                                     \
		EACH(CHAINS) x[0] += k ? x[k] : (T)0;                 \
		if (x[0] == (T)12345)                                 \
			*out = x[0];                                  \
	}
enum { CHAINS = 8 };
FLOPS(flops_f32, float, fmaf)
FLOPS(flops_f64, double, fma)

DEVICE u64 mixed(u64 x)
{
	x ^= x >> 33;
	x *= 0xff51afd7ed558ccdull;
	x ^= x >> 33;
	x *= 0xc4ceb9fe1a85ec53ull;
	return x ^ x >> 33;
}

/* Fills with random bits under a mask and fixed bits elsewhere: numbers of any format between 1/2
 * and 1, of either sign. */
KERNEL fill(u64 *a, u64 n, u64 mask, u64 bits)
{
	for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (u64)gridDim.x * blockDim.x)
		a[i] = mixed(i + 1) & mask | bits;
}

KERNEL nothing()
{
}
