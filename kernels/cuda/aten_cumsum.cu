/* due: PASS - running sums along dim: half types and f32 in f32, f64 in its own, integers modulo 2^64, complex
 * numbers part by part. A line to a block, or lines that lie side by side 32 to a block; in both a thread adds
 * up a few neighbours, and the block scans the sums. */
#include <assay/kernel.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

enum { MAX_DIM = 16, WARP = 32, BLOCK = 256, EACH = 8, DOWN = 16 };

/* --- numbers ----------------------------------------------------------------------------------------------- */

static __device__ double number(const void *x, int dt, int64_t at)
{
	switch (dt) {
	case AY_B8:
	case AY_U8: return ((const uint8_t *)x)[at];
	case AY_I8: return ((const int8_t *)x)[at];
	case AY_I16: return ((const int16_t *)x)[at];
	case AY_I32: return ((const int32_t *)x)[at];
	case AY_I64: return (double)((const int64_t *)x)[at];
	case AY_F16: return __half2float(((const __half *)x)[at]);
	case AY_BF16: return __bfloat162float(((const __nv_bfloat16 *)x)[at]);
	case AY_F32: return ((const float *)x)[at];
	default: return ((const double *)x)[at];
	}
}

/* An element as the result's dtype T holds it, in the type W that is added in. */
template <typename T, typename W> struct reader {
	static __device__ W read(const void *x, int dt, int64_t at)
	{
		return (W)(T)number(x, dt, at);
	}
};

template <typename T> struct reader<T, uint64_t> {
	static __device__ uint64_t read(const void *x, int dt, int64_t at)
	{
		return dt == AY_I64 ? ((const uint64_t *)x)[at] : (uint64_t)(int64_t)number(x, dt, at);
	}
};

/* Where every element has the result's dtype already. */
template <typename T, typename W, bool SAME> static __device__ W get(const void *x, int dt, int64_t at)
{
	return SAME ? (W)((const T *)x)[at] : reader<T, W>::read(x, dt, at);
}

/* --- lines ------------------------------------------------------------------------------------------------- */

struct lines {
	int dims;
	int64_t n, count, from, to; /* length, how many, steps along a line in self and out */
	int64_t shape[MAX_DIM], in[MAX_DIM], out[MAX_DIM];
};

static __device__ void begin(const lines &l, int64_t line, int64_t *from, int64_t *to)
{
	*from = *to = 0;
	for (int d = l.dims - 1; d >= 0; d--) {
		const int64_t k = line % l.shape[d];

		line /= l.shape[d];
		*from += k * l.in[d];
		*to += k * l.out[d];
	}
}

/* The sum of what the threads before this one have; *all: of all threads. An exclusive scan, since what comes
 * before an infinity must not be found by a difference. */
template <typename W> static __device__ W before(W x, W *all)
{
	__shared__ W part[WARP + 1];
	const int warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
	W sum = x, first, below;

	for (int far = 1; far < WARP; far *= 2) {
		const W y = __shfl_up_sync(~0u, sum, far);

		sum += lane >= far ? y : (W)0;
	}
	below = __shfl_up_sync(~0u, sum, 1);
	if (lane == WARP - 1)
		part[warp + 1] = sum;
	__syncthreads();
	if (!threadIdx.x) {
		part[0] = 0;
		for (int w = 1; w <= BLOCK / WARP; w++)
			part[w] += part[w - 1];
	}
	__syncthreads();
	first = part[warp];
	*all = part[BLOCK / WARP];
	__syncthreads();
	return lane ? first + below : first;
}

template <typename T, typename W, bool SAME> __global__ void scan_line(const void *x, int dt, T *y, lines l)
{
	int64_t from, to;
	W carry = 0, all;

	begin(l, blockIdx.x, &from, &to);
	for (int64_t start = 0; start < l.n; start += BLOCK * EACH) {
		const int64_t first = start + threadIdx.x * EACH;
		W v[EACH], sum = 0;

#pragma unroll
		for (int e = 0; e < EACH; e++) {
			v[e] = first + e < l.n ? get<T, W, SAME>(x, dt, from + (first + e) * l.from) : (W)0;
			sum += v[e];
		}
		sum = carry + before(sum, &all);
#pragma unroll
		for (int e = 0; e < EACH; e++) {
			sum += v[e];
			if (first + e < l.n)
				y[to + (first + e) * l.to] = (T)sum;
		}
		carry += all;
	}
}

/* Thread (c, d) has EACH neighbours of line c, behind those of thread (c, d - 1). */
template <typename T, typename W, bool SAME> __global__ void scan_across(const void *x, int dt, T *y, lines l)
{
	__shared__ W part[DOWN][WARP];
	const int64_t line = blockIdx.x * (int64_t)WARP + threadIdx.x, n = line < l.count ? l.n : 0;
	int64_t from, to;
	W carry = 0;

	begin(l, line < l.count ? line : 0, &from, &to);
	for (int64_t start = 0; start < l.n; start += DOWN * EACH) {
		const int64_t first = start + threadIdx.y * EACH;
		W v[EACH], sum = 0;

#pragma unroll
		for (int e = 0; e < EACH; e++) {
			v[e] = first + e < n ? get<T, W, SAME>(x, dt, from + (first + e) * l.from) : (W)0;
			sum += v[e];
		}
		part[threadIdx.y][threadIdx.x] = sum;
		__syncthreads();
		sum = carry;
		for (int d = 0; d < threadIdx.y; d++)
			sum += part[d][threadIdx.x];
		for (int d = 0; d < DOWN; d++)
			carry += part[d][threadIdx.x];
		__syncthreads();
#pragma unroll
		for (int e = 0; e < EACH; e++) {
			sum += v[e];
			if (first + e < n)
				y[to + (first + e) * l.to] = (T)sum;
		}
	}
}

/* --- the operator ------------------------------------------------------------------------------------------ */

/* Strides in units of the real type: a complex tensor is two real ones that lie between each other. */
static lines lines_of(const ay_tensor *self, const ay_tensor *out, int64_t axis, int64_t parts)
{
	lines l = { 0, 1, 1, 1, 1 };

	for (int d = 0; d < self->ndim; d++) {
		if (d == axis) {
			l.n = self->shape[d];
			l.from = self->strides[d] * parts;
			l.to = out->strides[d] * parts;
			continue;
		}
		l.count *= self->shape[d];
		l.shape[l.dims] = self->shape[d];
		l.in[l.dims] = self->strides[d] * parts;
		l.out[l.dims++] = out->strides[d] * parts;
	}
	return l;
}

template <typename T, typename W, bool SAME>
static void launch_either(const void *x, int dt, T *y, const lines &l, cudaStream_t stream)
{
	const int last = l.dims - 1;

	if (last >= 0 && l.in[last] < l.from && l.shape[last] >= WARP / 2)
		scan_across<T, W, SAME>
			<<<(unsigned)((l.count + WARP - 1) / WARP), dim3(WARP, DOWN), 0, stream>>>(x, dt, y, l);
	else
		scan_line<T, W, SAME><<<(unsigned)l.count, BLOCK, 0, stream>>>(x, dt, y, l);
}

template <typename T, typename W>
static int launch(const ay_tensor *self, ay_tensor *out, int64_t axis, cudaStream_t stream)
{
	const int parts = ay_is_complex(out) ? 2 : 1;
	const lines l = lines_of(self, out, axis, parts);
	const int dt = ay_is_complex(self) ? AY_DT(AY_CODE_FLOAT, self->dtype.bits / 2) : ay_dt(self);

	for (int p = 0; p < parts; p++) {
		const void *x = (const char *)self->data + p * self->dtype.bits / 16;
		T *y = (T *)out->data + p;

		if (ay_dt(self) == ay_dt(out))
			launch_either<T, W, true>(x, dt, y, l, stream);
		else
			launch_either<T, W, false>(x, dt, y, l, stream);
	}
	return cudaGetLastError() ? 2 : AY_OK;
}

extern "C" int aten_cumsum(const ay_tensor *self, int64_t dim, int32_t dtype, ay_tensor *out, const ay_ctx *ctx)
{
	const cudaStream_t stream = (cudaStream_t)ctx->stream;
	const int64_t axis = dim < 0 ? dim + self->ndim : dim;

	(void)dtype; /* out's dtype says it already */
	if (self->ndim > MAX_DIM || self->flags || ay_is_complex(self) != ay_is_complex(out))
		return AY_UNSUPPORTED;
	if (!ay_numel(self))
		return AY_OK;
	switch (ay_dt(out)) {
	case AY_F16: return launch<__half, float>(self, out, axis, stream);
	case AY_BF16: return launch<__nv_bfloat16, float>(self, out, axis, stream);
	case AY_F32:
	case AY_C64: return launch<float, float>(self, out, axis, stream);
	case AY_F64:
	case AY_C128: return launch<double, double>(self, out, axis, stream);
	case AY_I64: return launch<int64_t, uint64_t>(self, out, axis, stream);
	case AY_I32: return launch<int32_t, uint64_t>(self, out, axis, stream);
	case AY_I16: return launch<int16_t, uint64_t>(self, out, axis, stream);
	case AY_I8: return launch<int8_t, uint64_t>(self, out, axis, stream);
	case AY_U8: return launch<uint8_t, uint64_t>(self, out, axis, stream);
	default: return AY_UNSUPPORTED;
	}
}
