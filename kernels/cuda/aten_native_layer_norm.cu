/* due: PASS - a row to a block: the mean, then the mean of squares of what is left, then the row again; it lies
 * in a cache by then. Sixteen bytes a thread where rows allow it. Half types are computed in f32.
 *
 * case: aten::native_layer_norm((T([65, 129], bf16), [129], T([129], bf16), T([129], bf16), 1e-05), {})
 */
#include <assay/kernel.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

enum { MAX_DIM = 16, WARP = 32 };

template <typename T, int LANES> struct alignas(sizeof(T) * LANES) pack {
	T x[LANES];
};

static __device__ float inverse_root(float x)
{
	return rsqrtf(x);
}

static __device__ double inverse_root(double x)
{
	return rsqrt(x);
}

/* All threads of the block get the result; twice in a row, so the memory is free again at the end. */
template <typename W> static __device__ W sum_block(W x)
{
	__shared__ W part[WARP];

	for (int far = WARP / 2; far; far /= 2)
		x += __shfl_xor_sync(~0u, x, far);
	if (threadIdx.x % WARP == 0)
		part[threadIdx.x / WARP] = x;
	__syncthreads();
	x = threadIdx.x % WARP < blockDim.x / WARP ? part[threadIdx.x % WARP] : (W)0;
	for (int far = WARP / 2; far; far /= 2)
		x += __shfl_xor_sync(~0u, x, far);
	__syncthreads();
	return x;
}

/* Statistics of half types are f32 on a GPU, and of their own dtype where the caller says so. */
struct statistic {
	void *data;
	int dt;
};

static __device__ void put(const statistic &s, int64_t at, double x)
{
	switch (s.dt) {
	case AY_F16: ((__half *)s.data)[at] = __double2half(x); break;
	case AY_BF16: ((__nv_bfloat16 *)s.data)[at] = __double2bfloat16(x); break;
	case AY_F32: ((float *)s.data)[at] = (float)x; break;
	default: ((double *)s.data)[at] = x;
	}
}

template <typename T, typename W, int LANES>
__global__ void norm_row(const T *input, const T *weight, const T *bias, double eps, int64_t n, T *out,
			 statistic mean, statistic rstd)
{
	typedef pack<T, LANES> packed;
	const packed *x = (const packed *)(input + blockIdx.x * n);
	packed *y = (packed *)(out + blockIdx.x * n);
	W sum = 0, m, r;

	for (int64_t i = threadIdx.x; i < n / LANES; i += blockDim.x) {
		const packed p = x[i];

#pragma unroll
		for (int e = 0; e < LANES; e++)
			sum += (W)p.x[e];
	}
	m = sum_block(sum) / (W)n;
	sum = 0;
	for (int64_t i = threadIdx.x; i < n / LANES; i += blockDim.x) {
		const packed p = x[i];

#pragma unroll
		for (int e = 0; e < LANES; e++)
			sum += ((W)p.x[e] - m) * ((W)p.x[e] - m);
	}
	r = inverse_root(sum_block(sum) / (W)n + (W)eps);
	for (int64_t i = threadIdx.x; i < n / LANES; i += blockDim.x) {
		packed p = x[i], w, b;

		if (weight)
			w = ((const packed *)weight)[i];
		if (bias)
			b = ((const packed *)bias)[i];
#pragma unroll
		for (int e = 0; e < LANES; e++) {
			W v = ((W)p.x[e] - m) * r;

			v = weight ? v * (W)w.x[e] : v;
			v = bias ? v + (W)b.x[e] : v;
			p.x[e] = (T)v;
		}
		y[i] = p;
	}
	if (!threadIdx.x) {
		put(mean, blockIdx.x, m);
		put(rstd, blockIdx.x, r);
	}
}

struct job {
	const ay_tensor *input, *weight, *bias;
	ay_tensor *out, *mean, *rstd;
	double eps;
	int64_t rows, n;
};

template <typename T, typename W> static int launch(const job &j, cudaStream_t stream)
{
	constexpr int LANES = 16 / sizeof(T);
	const T *w = j.weight ? (const T *)j.weight->data : NULL, *b = j.bias ? (const T *)j.bias->data : NULL;
	const T *x = (const T *)j.input->data;
	T *y = (T *)j.out->data;
	const statistic mean = { j.mean->data, ay_dt(j.mean) }, rstd = { j.rstd->data, ay_dt(j.rstd) };
	const bool packed = j.n % LANES == 0 &&
			    ((uintptr_t)x | (uintptr_t)y | (uintptr_t)w | (uintptr_t)b) % 16 == 0;
	int threads = WARP;

	while (threads < 1024 && threads * (packed ? LANES : 1) < j.n)
		threads *= 2;
	if (packed)
		norm_row<T, W, LANES>
			<<<(unsigned)j.rows, threads, 0, stream>>>(x, w, b, j.eps, j.n, y, mean, rstd);
	else
		norm_row<T, W, 1><<<(unsigned)j.rows, threads, 0, stream>>>(x, w, b, j.eps, j.n, y, mean, rstd);
	return cudaGetLastError() ? 2 : AY_OK;
}

static bool is_plain(const ay_tensor *t, const ay_tensor *like)
{
	return !t || (ay_is_dense(t) && ay_dt(t) == ay_dt(like));
}

extern "C" int aten_native_layer_norm(const ay_tensor *input, const int64_t *normalized_shape,
				      int64_t n_normalized_shape, const ay_tensor *weight, const ay_tensor *bias,
				      double eps, ay_tensor *out0, ay_tensor *out1, ay_tensor *out2,
				      const ay_ctx *ctx)
{
	const cudaStream_t stream = (cudaStream_t)ctx->stream;
	job j = { input, weight, bias, out0, out1, out2, eps, 0, 1 };

	for (int64_t d = 0; d < n_normalized_shape; d++)
		j.n *= normalized_shape[d];
	if (!is_plain(input, input) || !is_plain(weight, input) || !is_plain(bias, input) ||
	    !is_plain(out0, input) || !ay_is_dense(out1) || !ay_is_dense(out2))
		return AY_UNSUPPORTED;
	if (!ay_numel(input))
		return ay_numel(out1) ? AY_UNSUPPORTED : AY_OK; /* means of nothing */
	j.rows = ay_numel(input) / j.n;
	switch (ay_dt(input)) {
	case AY_F16: return launch<__half, float>(j, stream);
	case AY_BF16: return launch<__nv_bfloat16, float>(j, stream);
	case AY_F32: return launch<float, float>(j, stream);
	case AY_F64: return launch<double, double>(j, stream);
	default: return AY_UNSUPPORTED;
	}
}
