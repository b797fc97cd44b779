/* due: PASS - the product of two matrices, sums in f32. f16 and bf16: tensor cores, tiles of 128 or 64; f32:
 * eight by eight or four by four sums a thread; a few rows: one pass over the matrix. The rest, f64, integers
 * and complex numbers, in plain tiles. */
#include <assay/kernel.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>

enum { WARP = 32, FEW = 4, DOWN = 32, SIDE = 16, BUSY = 132 };

/* C = A * B, A m x k, B k x n: element (i, j) of x lies i * row + j * col behind its first. */
struct view {
	int64_t row, col;
};

struct shape {
	int64_t m, n, k;
	view a, b, c;
	double sign_a, sign_b; /* of imaginary parts */
};

/* --- f16 and bf16 on tensor cores -------------------------------------------------------------------------- */

namespace wmma = nvcuda::wmma;

enum { STEP = 32, RUN = 16, PAD = 8 }; /* of k at a time; numbers that a thread fetches; against bank conflicts */

/* RUN neighbours of a row, zeros where there are none. */
template <typename T>
static __device__ void fetch(const T *x, view v, int64_t i, int64_t j, int64_t rows, int64_t cols, T *to)
{
	const T *at = x + i * v.row + j * v.col;

	if (i < rows && j + RUN <= cols && v.col == 1 && (uintptr_t)at % 16 == 0) {
		((uint4 *)to)[0] = ((const uint4 *)at)[0];
		((uint4 *)to)[1] = ((const uint4 *)at)[1];
		return;
	}
#pragma unroll
	for (int e = 0; e < RUN; e++)
		to[e] = i < rows && j + e < cols ? at[e * v.col] : (T)0.0f;
}

/* Warps of 32 x TILE / 2 numbers, TILE / 16 of them; the next step is fetched while this one is multiplied. */
template <typename T, typename O, int TILE>
__global__ __launch_bounds__(TILE * 2) void mm_tensor_cores(const T *a, const T *b, O *c, shape s)
{
	constexpr int ACROSS = TILE / 32;
	__shared__ __align__(32) T as[TILE][STEP + PAD];
	__shared__ __align__(32) T bs[STEP][TILE + PAD];
	__shared__ __align__(32) float stage[TILE / 16][16 * 16];
	const int t = threadIdx.x, warp = t / WARP, lane = t % WARP, wi = warp / 2 * 32,
		  wj = warp % 2 * (TILE / 2);
	const int64_t i0 = blockIdx.y * (int64_t)TILE, j0 = blockIdx.x * (int64_t)TILE;
	const int ra = t / 2, ka = t % 2 * RUN, kb = t / (TILE / RUN), rb = t % (TILE / RUN) * RUN;
	wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[2][ACROSS];
	alignas(16) T next_a[RUN], next_b[RUN];

	for (int p = 0; p < 2; p++)
		for (int q = 0; q < ACROSS; q++)
			wmma::fill_fragment(sum[p][q], 0.0f);
	fetch(a, s.a, i0 + ra, ka, s.m, s.k, next_a);
	fetch(b, s.b, kb, j0 + rb, s.k, s.n, next_b);
	for (int64_t k = 0; k < s.k; k += STEP) {
		__syncthreads();
		for (int e = 0; e < 2; e++) {
			((uint4 *)&as[ra][ka])[e] = ((uint4 *)next_a)[e];
			((uint4 *)&bs[kb][rb])[e] = ((uint4 *)next_b)[e];
		}
		__syncthreads();
		if (k + STEP < s.k) {
			fetch(a, s.a, i0 + ra, k + STEP + ka, s.m, s.k, next_a);
			fetch(b, s.b, k + STEP + kb, j0 + rb, s.k, s.n, next_b);
		}
		for (int kk = 0; kk < STEP; kk += 16) {
			wmma::fragment<wmma::matrix_a, 16, 16, 16, T, wmma::row_major> fa[2];
			wmma::fragment<wmma::matrix_b, 16, 16, 16, T, wmma::row_major> fb;

			for (int p = 0; p < 2; p++)
				wmma::load_matrix_sync(fa[p], &as[wi + p * 16][kk], STEP + PAD);
			for (int q = 0; q < ACROSS; q++) {
				wmma::load_matrix_sync(fb, &bs[kk][wj + q * 16], TILE + PAD);
				for (int p = 0; p < 2; p++)
					wmma::mma_sync(sum[p][q], fa[p], fb, sum[p][q]);
			}
		}
	}
	for (int p = 0; p < 2; p++) {
		for (int q = 0; q < ACROSS; q++) {
			const int64_t i = i0 + wi + p * 16, j = j0 + wj + q * 16;

			wmma::store_matrix_sync(stage[warp], sum[p][q], 16, wmma::mem_row_major);
			__syncwarp();
			for (int e = lane; e < 256; e += WARP)
				if (i + e / 16 < s.m && j + e % 16 < s.n)
					c[(i + e / 16) * s.c.row + (j + e % 16) * s.c.col] = (O)stage[warp][e];
			__syncwarp();
		}
	}
}

/* --- f32 --------------------------------------------------------------------------------------------------- */

enum { DEEP = 16 };

/* 256 threads, each with EACH x EACH sums of a tile of 16 * EACH. Both factors lie in shared memory k by k. */
template <int EACH>
__global__ __launch_bounds__(256) void mm_f32(const float *a, const float *b, float *c, shape s)
{
	constexpr int TILE = 16 * EACH, LOADS = TILE * DEEP / 256;
	__shared__ __align__(16) float as[DEEP][TILE + 4];
	__shared__ __align__(16) float bs[DEEP][TILE + 4];
	const int t = threadIdx.x, ti = t / 16 * EACH, tj = t % 16 * EACH;
	const int64_t i0 = blockIdx.y * (int64_t)TILE, j0 = blockIdx.x * (int64_t)TILE;
	const bool a_by_k = s.a.col == 1,
		   b_by_k = s.b.row == 1; /* neighbours in memory go to neighbouring threads */
	float sum[EACH][EACH] = {}, next_a[LOADS], next_b[LOADS];

	for (int64_t k = -DEEP; k < s.k; k += DEEP) {
		if (k >= 0) {
			__syncthreads();
#pragma unroll
			for (int e = 0; e < LOADS; e++) {
				const int f = t + e * 256;

				as[a_by_k ? f % DEEP : f / TILE][a_by_k ? f / DEEP : f % TILE] = next_a[e];
				bs[b_by_k ? f % DEEP : f / TILE][b_by_k ? f / DEEP : f % TILE] = next_b[e];
			}
			__syncthreads();
		}
#pragma unroll
		for (int e = 0; e < LOADS; e++) {
			const int f = t + e * 256;
			const int64_t ka = k + DEEP + (a_by_k ? f % DEEP : f / TILE),
				      i = i0 + (a_by_k ? f / DEEP : f % TILE);
			const int64_t kb = k + DEEP + (b_by_k ? f % DEEP : f / TILE),
				      j = j0 + (b_by_k ? f / DEEP : f % TILE);

			next_a[e] = i < s.m && ka < s.k ? a[i * s.a.row + ka * s.a.col] : 0;
			next_b[e] = j < s.n && kb < s.k ? b[kb * s.b.row + j * s.b.col] : 0;
		}
		if (k < 0)
			continue;
#pragma unroll
		for (int kk = 0; kk < DEEP; kk++) {
			float x[EACH], y[EACH];

#pragma unroll
			for (int e = 0; e < EACH; e += 4) {
				*(float4 *)(x + e) = *(const float4 *)&as[kk][ti + e];
				*(float4 *)(y + e) = *(const float4 *)&bs[kk][tj + e];
			}
#pragma unroll
			for (int p = 0; p < EACH; p++)
#pragma unroll
				for (int q = 0; q < EACH; q++)
					sum[p][q] += x[p] * y[q];
		}
	}
	for (int p = 0; p < EACH; p++)
		for (int q = 0; q < EACH; q++)
			if (i0 + ti + p < s.m && j0 + tj + q < s.n)
				c[(i0 + ti + p) * s.c.row + (j0 + tj + q) * s.c.col] = sum[p][q];
}

/* --- a few rows -------------------------------------------------------------------------------------------- */

/* Thread (j, d) adds every DOWN-th product of column j; block row y is row y of C. */
template <typename T, typename O> __global__ void mm_few(const T *a, const T *b, O *c, shape s)
{
	__shared__ float part[DOWN][WARP + 1];
	const int64_t j = blockIdx.x * (int64_t)WARP + threadIdx.x, i = blockIdx.y;
	float sum = 0;

	if (j < s.n) {
#pragma unroll 4
		for (int64_t k = threadIdx.y; k < s.k; k += DOWN)
			sum += (float)a[i * s.a.row + k * s.a.col] * (float)b[k * s.b.row + j * s.b.col];
	}
	part[threadIdx.y][threadIdx.x] = sum;
	__syncthreads();
	sum = part[threadIdx.x][threadIdx.y]; /* now a warp has all parts of one column */
	for (int far = WARP / 2; far; far /= 2)
		sum += __shfl_xor_sync(~0u, sum, far);
	const int64_t to = blockIdx.x * (int64_t)WARP + threadIdx.y;

	if (!threadIdx.x && to < s.n)
		c[i * s.c.row + to * s.c.col] = (O)sum;
}

/* --- the rest ---------------------------------------------------------------------------------------------- */

template <typename R> struct complex {
	R re, im;

	__device__ complex operator*(complex o) const
	{
		return { re * o.re - im * o.im, re * o.im + im * o.re };
	}
	__device__ complex &operator+=(complex o)
	{
		re += o.re;
		im += o.im;
		return *this;
	}
};

template <typename T> static __device__ T conjugated(T x, double)
{
	return x;
}

template <typename R> static __device__ complex<R> conjugated(complex<R> x, double sign)
{
	return { x.re, (R)sign * x.im };
}

/* W: what is added in. */
template <typename T, typename W> __global__ void mm_plain(const T *a, const T *b, T *c, shape s)
{
	__shared__ W as[SIDE][SIDE], bs[SIDE][SIDE];
	const int64_t i = blockIdx.y * (int64_t)SIDE + threadIdx.y, j = blockIdx.x * (int64_t)SIDE + threadIdx.x;
	W sum = {};

	for (int64_t k = 0; k < s.k; k += SIDE) {
		const int64_t ka = k + threadIdx.x, kb = k + threadIdx.y;

		as[threadIdx.y][threadIdx.x] = i < s.m && ka < s.k
						       ? (W)conjugated(a[i * s.a.row + ka * s.a.col], s.sign_a)
						       : W{};
		bs[threadIdx.y][threadIdx.x] = j < s.n && kb < s.k
						       ? (W)conjugated(b[kb * s.b.row + j * s.b.col], s.sign_b)
						       : W{};
		__syncthreads();
		for (int e = 0; e < SIDE; e++)
			sum += as[threadIdx.y][e] * bs[e][threadIdx.x];
		__syncthreads();
	}
	if (i < s.m && j < s.n)
		c[i * s.c.row + j * s.c.col] = (T)sum;
}

/* --- the operator ------------------------------------------------------------------------------------------ */

static shape shape_of(const ay_tensor *a, const ay_tensor *b, const ay_tensor *c)
{
	return { a->shape[0],
		 b->shape[1],
		 a->shape[1],
		 { a->strides[0], a->strides[1] },
		 { b->strides[0], b->strides[1] },
		 { c->strides[0], c->strides[1] },
		 a->flags & AY_CONJ ? -1.0 : 1.0,
		 b->flags & AY_CONJ ? -1.0 : 1.0 };
}

static dim3 tiles(const shape &s, int side)
{
	return dim3((unsigned)((s.n + side - 1) / side), (unsigned)((s.m + side - 1) / side));
}

static bool fills_gpu(const shape &s, int side)
{
	const dim3 grid = tiles(s, side);

	return (int64_t)grid.x * grid.y >= BUSY;
}

template <typename T, typename O>
static void launch_half(const ay_tensor *self, const ay_tensor *mat2, ay_tensor *out, const shape &s,
			cudaStream_t stream)
{
	const T *a = (const T *)self->data, *b = (const T *)mat2->data;
	O *c = (O *)out->data;

	if (s.m <= FEW)
		mm_few<T, O><<<dim3((unsigned)((s.n + WARP - 1) / WARP), (unsigned)s.m), dim3(WARP, DOWN), 0,
			       stream>>>(a, b, c, s);
	else if (fills_gpu(s, 128))
		mm_tensor_cores<T, O, 128><<<tiles(s, 128), 256, 0, stream>>>(a, b, c, s);
	else
		mm_tensor_cores<T, O, 64><<<tiles(s, 64), 128, 0, stream>>>(a, b, c, s);
}

static void launch_f32(const ay_tensor *self, const ay_tensor *mat2, ay_tensor *out, const shape &s,
		       cudaStream_t stream)
{
	const float *a = (const float *)self->data, *b = (const float *)mat2->data;
	float *c = (float *)out->data;

	if (s.m <= FEW)
		mm_few<float, float><<<dim3((unsigned)((s.n + WARP - 1) / WARP), (unsigned)s.m), dim3(WARP, DOWN),
				       0, stream>>>(a, b, c, s);
	else if (fills_gpu(s, 128))
		mm_f32<8><<<tiles(s, 128), 256, 0, stream>>>(a, b, c, s);
	else
		mm_f32<4><<<tiles(s, 64), 256, 0, stream>>>(a, b, c, s);
}

template <typename T, typename W>
static void launch_plain(const ay_tensor *self, const ay_tensor *mat2, ay_tensor *out, const shape &s,
			 cudaStream_t stream)
{
	mm_plain<T, W><<<tiles(s, SIDE), dim3(SIDE, SIDE), 0, stream>>>((const T *)self->data,
									(const T *)mat2->data, (T *)out->data, s);
}

static int multiply(const ay_tensor *self, const ay_tensor *mat2, ay_tensor *out, cudaStream_t stream)
{
	const shape s = shape_of(self, mat2, out);
	const bool wider = ay_dt(out) != ay_dt(self);

	switch (ay_dt(self)) {
	case AY_F16:
		wider ? launch_half<__half, float>(self, mat2, out, s, stream)
		      : launch_half<__half, __half>(self, mat2, out, s, stream);
		break;
	case AY_BF16:
		wider ? launch_half<__nv_bfloat16, float>(self, mat2, out, s, stream)
		      : launch_half<__nv_bfloat16, __nv_bfloat16>(self, mat2, out, s, stream);
		break;
	case AY_F32: launch_f32(self, mat2, out, s, stream); break;
	case AY_F64: launch_plain<double, double>(self, mat2, out, s, stream); break;
	case AY_C64: launch_plain<complex<float>, complex<float>>(self, mat2, out, s, stream); break;
	case AY_C128: launch_plain<complex<double>, complex<double>>(self, mat2, out, s, stream); break;
	case AY_I64: launch_plain<int64_t, uint64_t>(self, mat2, out, s, stream); break;
	case AY_I32: launch_plain<int32_t, uint32_t>(self, mat2, out, s, stream); break;
	case AY_I16: launch_plain<int16_t, uint32_t>(self, mat2, out, s, stream); break;
	case AY_I8: launch_plain<int8_t, uint32_t>(self, mat2, out, s, stream); break;
	case AY_U8: launch_plain<uint8_t, uint32_t>(self, mat2, out, s, stream); break;
	default: return AY_UNSUPPORTED;
	}
	return cudaGetLastError() ? 2 : AY_OK;
}

extern "C" int aten_mm(const ay_tensor *self, const ay_tensor *mat2, ay_tensor *out, const ay_ctx *ctx)
{
	if ((self->flags | mat2->flags) & AY_NEG)
		return AY_UNSUPPORTED;
	return ay_numel(out) ? multiply(self, mat2, out, (cudaStream_t)ctx->stream) : AY_OK;
}

extern "C" int aten_mm_dtype(const ay_tensor *self, const ay_tensor *mat2, int32_t out_dtype, ay_tensor *out,
			     const ay_ctx *ctx)
{
	(void)out_dtype; /* out has it */
	return aten_mm(self, mat2, out, ctx);
}
