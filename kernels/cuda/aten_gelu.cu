/* due: PASS - x Phi(x), by erf or by tanh, in f32, f64 in its own; sixteen bytes a thread where they lie in a
 * row.
 *
 * case: aten::gelu((T([65, 129], f16),), {})
 */
#include <assay/kernel.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <string.h>

enum { MAX_DIM = 16, BLOCK = 256 };

/* Where the element with a flat index lies. */
struct layout {
	int dims;
	int64_t shape[MAX_DIM], stride[MAX_DIM];
};

static layout layout_of(const ay_tensor *t)
{
	layout l = { t->ndim };

	for (int d = 0; d < t->ndim; d++) {
		l.shape[d] = t->shape[d];
		l.stride[d] = t->strides[d];
	}
	return l;
}

static __device__ int64_t place(const layout &l, int64_t i)
{
	int64_t at = 0;

	for (int d = l.dims - 1; d >= 0; d--) {
		at += i % l.shape[d] * l.stride[d];
		i /= l.shape[d];
	}
	return at;
}

/* By erfc, the tail of large negative x is not lost. */
template <bool TANH> static __device__ float gelu(float x)
{
	if (TANH)
		return 0.5f * x * (1 + tanhf(0.7978845608f * (x + 0.044715f * x * x * x)));
	return 0.5f * x * erfcf(-0.7071067812f * x);
}

template <bool TANH> static __device__ double gelu(double x)
{
	if (TANH)
		return 0.5 * x * (1 + tanh(0.79788456080286535588 * (x + 0.044715 * x * x * x)));
	return 0.5 * x * erfc(-0.70710678118654752440 * x);
}

template <bool TANH> static __device__ __half gelu(__half x)
{
	return __float2half(gelu<TANH>(__half2float(x)));
}

template <bool TANH> static __device__ __nv_bfloat16 gelu(__nv_bfloat16 x)
{
	return __float2bfloat16(gelu<TANH>(__bfloat162float(x)));
}

template <typename T, bool TANH> __global__ void gelu_row(const T *x, T *y, int64_t n)
{
	constexpr int LANES = 16 / sizeof(T);
	const int64_t i = (blockIdx.x * (int64_t)BLOCK + threadIdx.x) * LANES;

	if (i + LANES <= n) {
		uint4 four = *(const uint4 *)(x + i);
		T *lane = (T *)&four;

#pragma unroll
		for (int k = 0; k < LANES; k++)
			lane[k] = gelu<TANH>(lane[k]);
		*(uint4 *)(y + i) = four;
	} else {
		for (int64_t k = i; k < n; k++)
			y[k] = gelu<TANH>(x[k]);
	}
}

template <typename T, bool TANH> __global__ void gelu_each(const T *x, layout from, T *y, layout to, int64_t n)
{
	const int64_t i = blockIdx.x * (int64_t)BLOCK + threadIdx.x;

	if (i < n)
		y[place(to, i)] = gelu<TANH>(x[place(from, i)]);
}

template <typename T, bool TANH>
static void launch(const ay_tensor *self, ay_tensor *out, int64_t n, cudaStream_t stream)
{
	const T *x = (const T *)self->data;
	T *y = (T *)out->data;
	const int64_t each = BLOCK * (16 / sizeof(T));

	if (ay_is_dense(self) && ay_is_dense(out) && ((uintptr_t)x | (uintptr_t)y) % 16 == 0)
		gelu_row<T, TANH><<<(n + each - 1) / each, BLOCK, 0, stream>>>(x, y, n);
	else
		gelu_each<T, TANH>
			<<<(n + BLOCK - 1) / BLOCK, BLOCK, 0, stream>>>(x, layout_of(self), y, layout_of(out), n);
}

template <typename T>
static void launch_either(const ay_tensor *self, bool by_tanh, ay_tensor *out, int64_t n, cudaStream_t stream)
{
	if (by_tanh)
		launch<T, true>(self, out, n, stream);
	else
		launch<T, false>(self, out, n, stream);
}

extern "C" int aten_gelu(const ay_tensor *self, const char *approximate, ay_tensor *out, const ay_ctx *ctx)
{
	const cudaStream_t stream = (cudaStream_t)ctx->stream;
	const bool by_tanh = !strcmp(approximate, "tanh");
	const int64_t n = ay_numel(self);

	if (self->ndim > MAX_DIM)
		return AY_UNSUPPORTED;
	if (!n)
		return AY_OK;
	switch (ay_dt(self)) {
	case AY_F16: launch_either<__half>(self, by_tanh, out, n, stream); break;
	case AY_BF16: launch_either<__nv_bfloat16>(self, by_tanh, out, n, stream); break;
	case AY_F32: launch_either<float>(self, by_tanh, out, n, stream); break;
	case AY_F64: launch_either<double>(self, by_tanh, out, n, stream); break;
	default: return AY_UNSUPPORTED;
	}
	return cudaGetLastError() ? 2 : AY_OK;
}
