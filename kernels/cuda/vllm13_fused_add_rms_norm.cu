/* due: PASS - a row to a block: adds in the storage type, squares in f32, rounds once. Sixteen bytes a thread
 * where rows allow it; the sum is read back from residual, which lies in a cache by then. */
#include <assay/kernel.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

enum { MAX_DIM = 16, WARP = 32 };

struct rows {
	int dims;
	int64_t n, shape[MAX_DIM], stride[MAX_DIM]; /* of input; residual and weight are dense */
};

template <typename T, int LANES> struct alignas(sizeof(T) * LANES) pack {
	T x[LANES];
};

/* All threads of the block get the result. */
static __device__ float sum_block(float x)
{
	__shared__ float part[WARP];

	for (int far = WARP / 2; far; far /= 2)
		x += __shfl_xor_sync(~0u, x, far);
	if (threadIdx.x % WARP == 0)
		part[threadIdx.x / WARP] = x;
	__syncthreads();
	x = threadIdx.x % WARP < blockDim.x / WARP ? part[threadIdx.x % WARP] : 0;
	for (int far = WARP / 2; far; far /= 2)
		x += __shfl_xor_sync(~0u, x, far);
	return x;
}

template <typename T, int LANES>
__global__ void norm_row(T *input, T *residual, const T *weight, float epsilon, rows r)
{
	typedef pack<T, LANES> packed;
	int64_t row = blockIdx.x, at = 0;
	packed *z = (packed *)(residual + row * r.n), *x;
	float sum = 0, scale;

	for (int d = r.dims - 1; d >= 0; d--) {
		at += row % r.shape[d] * r.stride[d];
		row /= r.shape[d];
	}
	x = (packed *)(input + at);
	for (int64_t i = threadIdx.x; i < r.n / LANES; i += blockDim.x) {
		packed p = x[i], q = z[i];

#pragma unroll
		for (int e = 0; e < LANES; e++) {
			q.x[e] = (T)((float)p.x[e] + (float)q.x[e]);
			sum += (float)q.x[e] * (float)q.x[e];
		}
		z[i] = q;
	}
	scale = rsqrtf(sum_block(sum) / (float)r.n + epsilon);
	for (int64_t i = threadIdx.x; i < r.n / LANES; i += blockDim.x) {
		packed p, q = z[i], w = ((const packed *)weight)[i];

#pragma unroll
		for (int e = 0; e < LANES; e++)
			p.x[e] = (T)((float)q.x[e] * scale * (float)w.x[e]);
		x[i] = p;
	}
}

template <typename T>
static int launch(ay_tensor *input, ay_tensor *residual, const ay_tensor *weight, double epsilon,
		  cudaStream_t stream)
{
	constexpr int LANES = 16 / sizeof(T);
	rows r = { input->ndim - 1, weight->shape[0] };
	const unsigned count = (unsigned)(ay_numel(input) / r.n);
	bool packed = r.n % LANES == 0 &&
		      ((uintptr_t)input->data | (uintptr_t)residual->data | (uintptr_t)weight->data) % 16 == 0;
	int threads = WARP;

	for (int d = 0; d < r.dims; d++) {
		r.shape[d] = input->shape[d];
		r.stride[d] = input->strides[d];
		packed &= r.stride[d] % LANES == 0;
	}
	while (threads < 1024 && threads * (packed ? LANES : 1) < r.n)
		threads *= 2;
	if (packed)
		norm_row<T, LANES><<<count, threads, 0, stream>>>((T *)input->data, (T *)residual->data,
								  (const T *)weight->data, (float)epsilon, r);
	else
		norm_row<T, 1><<<count, threads, 0, stream>>>((T *)input->data, (T *)residual->data,
							      (const T *)weight->data, (float)epsilon, r);
	return cudaGetLastError() ? 2 : AY_OK;
}

extern "C" int vllm13_fused_add_rms_norm(ay_tensor *input, ay_tensor *residual, const ay_tensor *weight,
					 double epsilon, const ay_ctx *ctx)
{
	const cudaStream_t stream = (cudaStream_t)ctx->stream;

	if (input->ndim > MAX_DIM)
		return AY_UNSUPPORTED;
	if (!ay_numel(input))
		return AY_OK;
	switch (ay_dt(input)) {
	case AY_F16: return launch<__half>(input, residual, weight, epsilon, stream);
	case AY_BF16: return launch<__nv_bfloat16>(input, residual, weight, epsilon, stream);
	case AY_F32: return launch<float>(input, residual, weight, epsilon, stream);
	default: return AY_UNSUPPORTED;
	}
}
