/* due: PASS - max(x, 0) as one comparison of bits for every dtype; sixteen bytes a thread where they lie in a
 * row. */
#include <assay/kernel.h>
#include <cuda_runtime.h>

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

/* Read as an integer, a float that is negative and no NaN is at most the bits of -inf, and an integer at most -1:
 * `top`. */
template <typename T> __device__ T relu(T x, T top)
{
	return x <= top ? (T)0 : x;
}

template <typename T> __global__ void relu_row(const T *x, T *y, int64_t n, T top)
{
	constexpr int LANES = 16 / sizeof(T);
	const int64_t i = (blockIdx.x * (int64_t)BLOCK + threadIdx.x) * LANES;

	if (i + LANES <= n) {
		uint4 four = *(const uint4 *)(x + i);
		T *lane = (T *)&four;

#pragma unroll
		for (int k = 0; k < LANES; k++)
			lane[k] = relu(lane[k], top);
		*(uint4 *)(y + i) = four;
	} else {
		for (int64_t k = i; k < n; k++)
			y[k] = relu(x[k], top);
	}
}

template <typename T> __global__ void relu_each(const T *x, layout from, T *y, layout to, int64_t n, T top)
{
	const int64_t i = blockIdx.x * (int64_t)BLOCK + threadIdx.x;

	if (i < n)
		y[place(to, i)] = relu(x[place(from, i)], top);
}

template <typename T> static int launch(const ay_tensor *self, ay_tensor *out, int64_t top, cudaStream_t stream)
{
	const T *x = (const T *)self->data;
	T *y = (T *)out->data;
	const int64_t n = ay_numel(self), each = BLOCK * (16 / sizeof(T));

	if (ay_is_dense(self) && ay_is_dense(out) && ((uintptr_t)x | (uintptr_t)y) % 16 == 0)
		relu_row<T><<<(n + each - 1) / each, BLOCK, 0, stream>>>(x, y, n, (T)top);
	else
		relu_each<T><<<(n + BLOCK - 1) / BLOCK, BLOCK, 0, stream>>>(x, layout_of(self), y, layout_of(out),
									    n, (T)top);
	return cudaGetLastError() ? 2 : AY_OK;
}

extern "C" int aten_relu(const ay_tensor *self, ay_tensor *out, const ay_ctx *ctx)
{
	const cudaStream_t stream = (cudaStream_t)ctx->stream;

	if (self->ndim > MAX_DIM)
		return AY_UNSUPPORTED;
	if (!ay_numel(self))
		return AY_OK;
	switch (ay_dt(self)) {
	case AY_F16: return launch<int16_t>(self, out, (int16_t)0xfc00, stream);
	case AY_BF16: return launch<int16_t>(self, out, (int16_t)0xff80, stream);
	case AY_F32: return launch<int32_t>(self, out, (int32_t)0xff800000, stream);
	case AY_F64: return launch<int64_t>(self, out, (int64_t)0xfff0000000000000, stream);
	case AY_I8: return launch<int8_t>(self, out, -1, stream);
	case AY_I16: return launch<int16_t>(self, out, -1, stream);
	case AY_I32: return launch<int32_t>(self, out, -1, stream);
	case AY_I64: return launch<int64_t>(self, out, -1, stream);
	case AY_B8:
	case AY_U8: return launch<uint8_t>(self, out, 0, stream); /* never negative: 0 stays 0 */
	default: return AY_UNSUPPORTED;
	}
}
